import type { VirtualClock } from '@weeder/kube-runtime/testing';
import { parseConfig } from '../../../src/config/parse.ts';
import type { SimulatedRestartsOptions } from '../restarts/simulatedRestarts.ts';
import { configMap, type RestartWorld, restartWorld, withEnv } from '../world/restartWorld.ts';

const second = 1_000;
const minute = 60 * second;

/** A workload in each state that lasts, and others that are current: 33 of them. */
export const troubled: readonly string[] = ['blocked', 'breaker', 'night', 'paused', 'rolling', 'slot', 'stalled'];
export const current = Array.from({ length: 33 - troubled.length }, (_, n) => `calm-${n + 1}`);

/** Each workload uses the ConfigMap of its name. */
export function namespaceOf(workload: string): string {
  return workload === 'night' ? 'night' : 'shop';
}

/** The section `restartControl`. `pace`: its durations; `windows`: maintenance windows that are closed. */
export function restartSection(pace: object, windows: readonly object[]): object {
  return {
    ...pace,
    burst: 100,
    maxConcurrentRollouts: 1,
    maxAdoptionsPerMinute: 1000,
    rules: [
      { namespaces: ['night'], kinds: ['Deployment'], maintenanceWindows: windows },
      { namespaces: ['shop'], kinds: ['Deployment'] },
    ],
  };
}

/** The contents of the ConfigMap of `breaker`: one more than the breaker accepts restarts. */
export const breakerValues = ['1', '2', '3', '4', '5', '6'] as const;

/** Restart control of the scene, with everything current. */
export async function createWorkloads(
  clock: VirtualClock,
  { inspect, onEvent }: Required<Pick<SimulatedRestartsOptions, 'inspect' | 'onEvent'>>,
): Promise<RestartWorld> {
  const restartControl = restartSection({ quietPeriod: '5s', minInterval: '1m', stallAfter: '1m' }, [
    { cron: '0 22 * * *', timeZone: 'UTC', duration: '2h' },
  ]);
  const parsed = parseConfig(JSON.stringify({ restartControl }), 'scene.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const world = await restartWorld(parsed.value.restart, { clock, inspect, onEvent });
  for (const name of [...troubled, ...current]) {
    const namespace = namespaceOf(name);
    world.putSource({ ...configMap(name), namespace }, { a: '0' });
    world.putWorkload(name, withEnv(name, 'a'), { namespace });
  }
  await world.pass(minute);
  return world;
}

/** Takes seven minutes. */
export async function breakWorkloads(world: RestartWorld): Promise<void> {
  const change = (name: string, value: string) => world.putSource(configMap(name), { a: value });
  for (const value of breakerValues) {
    change('breaker', value);
    await world.pass(70 * second);
  }
  world.rolloutTime = Number.POSITIVE_INFINITY;
  change('stalled', '1');
  await world.pass(10 * second);
  world.breakPods('stalled');
  await world.pass(10 * second);
  world.deleteSource(configMap('blocked'));
  world.annotate('paused', { 'weeder.dev/paused-until': '2026-11-22T12:00:00Z' });
  change('paused', '1');
  world.putSource({ ...configMap('night'), namespace: 'night' }, { a: '1' });
  await world.pass(10 * second);
}

/** A rollout does not make progress for longer than it takes to stall. Takes 20 seconds. */
export async function beginRollout(world: RestartWorld): Promise<void> {
  world.putSource(configMap('rolling'), { a: '1' });
  await world.pass(10 * second);
  world.putSource(configMap('slot'), { a: '1' });
  await world.pass(10 * second);
}
