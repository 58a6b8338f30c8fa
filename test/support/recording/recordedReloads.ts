import type { StreamNeed } from '@weeder/kube-runtime/watch';
import fc from 'fast-check';
import type { Config } from '../../../src/config/config.ts';
import { openRecorder } from '../../../src/recording/recorder.ts';
import { backOff, pod, running, slice } from '../objects/objects.ts';
import { heldCluster } from '../world/heldCluster.ts';
import { serviceConfig } from '../world/simulation.ts';
import { weederOptions } from '../world/weederOptions.ts';
import { recordedWeeder, recordingOf } from './recording.ts';

const name = fc.constantFrom('a', 'b', 'c');

/**
 * The services of a config, and their dependants; `many` selectors more make one stream of all pods. No two
 * services select the same pod: requests that one window had in flight when a file began are not in the next file.
 */
const options = fc.record({
  services: fc.uniqueArray(
    fc.record({
      name,
      selects: fc.subarray(['x', 'y'], { minLength: 1 }),
      seconds: fc.constantFrom(30, 60, 120),
      onStart: fc.constantFrom('recent' as const, 'always' as const, 'never' as const),
    }),
    { selector: (each) => each.name, minLength: 1, maxLength: 3 },
  ),
  isOfMany: fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0),
});
type ReloadOptions = typeof options extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40_000 }) }) },
  { weight: 10, arbitrary: fc.record({ type: fc.constant('slice' as const), service: name, isReady: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('pod' as const),
      app: fc.constantFrom('ax', 'ay', 'bx', 'by', 'cx'),
      nr: fc.nat(1),
      isCrashing: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('config' as const), options }) },
  // The new streams are read: at once, or later, while the old ones continue. Their lists may be older than that.
  { weight: 4, arbitrary: fc.record({ type: fc.constant('request' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('remove' as const), service: name }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('read' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What happens while a recording is made, the config included. */
export const recordedReloads = fc.record({ first: options, steps: fc.array(step, { minLength: 15, maxLength: 60 }) });
export type RecordedReloads = typeof recordedReloads extends fc.Arbitrary<infer T> ? T : never;

function configOf({ services, isOfMany }: ReloadOptions): Config {
  const extra = isOfMany ? Array.from({ length: 17 }, (_, index) => `many-${index}`) : [];
  const configs = services.map(({ name: service, selects, seconds, onStart }) =>
    serviceConfig({
      name: service,
      watchDuration: seconds * 1000,
      onStart,
      podSelectors: [...selects.map((app) => `${service}${app}`), ...extra].map((app) => ({ matchLabels: { app } })),
    }),
  );
  return { services: new Map(configs.map((each) => [each.name, each])), restart: undefined };
}

function objectOf(update: Extract<Step, { readonly type: 'slice' | 'pod' }>) {
  if (update.type === 'slice') return slice({ service: update.service, ready: [update.isReady], withTargets: true });
  const { app, nr, isCrashing } = update;
  return pod({ name: `${app}-${nr}`, labels: { app }, containers: [isCrashing ? backOff(4) : running(4)] });
}

/** Records the story with the production wiring. */
export async function recordReloads(file: string, limit: number, { first, steps }: RecordedReloads): Promise<void> {
  const base = recordingOf(file);
  const { clock } = base;
  const opened = await openRecorder({ ...base, config: configOf(first), limit });
  if (!opened.ok) throw new Error(opened.error.message);
  const recorder = opened.value;
  const takeTime = <T>(ms: number, value: T) => new Promise<T>((resolve) => clock.setTimeout(() => resolve(value), ms));
  const weeder = recordedWeeder(
    recorder,
    weederOptions(configOf(first), clock, {
      random: Math.random,
      readySince: () => takeTime(7, clock.now() - 20_000),
      deletePod: () => takeTime(13, { type: 'delete.accepted' as const }),
    }),
  );
  const cluster = heldCluster(clock);
  const read = new Set<StreamNeed>();

  /** Those of the read streams that are still open. */
  const follow = () => cluster.follow([...weeder.needs.values()].filter((need) => read.has(need)));

  function readAll(): void {
    for (const need of weeder.needs.values()) read.add(need);
    follow();
  }

  async function take(step: Step): Promise<void> {
    if (step.type === 'wait') await clock.pass(step.ms);
    else if (step.type === 'read') readAll();
    else if (step.type === 'request') cluster.request(weeder.needs.values());
    else if (step.type === 'remove') cluster.remove('EndpointSlice', 'shoot-1', `${step.service}-abcde`);
    else if (step.type === 'config') weeder.configure(configOf(step.options));
    else cluster.put(step.type === 'slice' ? 'EndpointSlice' : 'Pod', objectOf(step));
  }

  for (const service of ['a', 'b', 'c']) {
    cluster.put('EndpointSlice', slice({ service, ready: [false] }));
  }
  readAll();
  weeder.start();
  for (const step of steps) {
    follow();
    await take(step);
  }
  readAll();
  await clock.pass(300_000);
  weeder.stop();
  await recorder.close();
}
