import type { DeletionAnswer, DeletionAttempt } from '../../../src/weeder/deletions/deletePod.ts';
import { backOff, terminated } from '../objects/objects.ts';
import type { SimulationOptions } from '../world/simulation.ts';
import { type World, world } from '../world/world.ts';

const minute = 60_000;
const names = Array.from({ length: 15 }, (_, n) => `name-${n + 1}`);
const namespaces = Array.from({ length: 20 }, (_, n) => `team-${String(n + 1).padStart(2, '0')}`);

/** 300 services: the same 15 names in 20 namespaces. Those of two namespaces go down, and 12 of them recover. */
export const downNamespaces = ['team-01', 'team-02'] as const;
export const recovered = names.slice(0, 12);
/** Of those that recovered, in `team-01`: down again. */
export const downAgain = recovered.slice(0, 2);
/** In `team-20`: not ready since weeder started. */
export const neverReady = names.slice(5);
export const misspelt = 'nmae-1';

const refused: DeletionAnswer = {
  type: 'delete.failed',
  failure: 'forbidden',
  reason: 'pods "refused" is forbidden: User "weeder" cannot delete resource "pods"',
};

function usesOf(...services: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(services.map((name) => [`uses-${name}`, 'true']));
}

/** The weeder of the scene, before anything happens. */
export function createServices(options: Pick<SimulationOptions, 'inspect' | 'report' | 'startTime'>): World {
  const services = [...names, misspelt].map((name) => ({
    name,
    podSelectors: [{ matchLabels: usesOf(name) }],
    onStart: 'never' as const,
  }));
  const at = world({ ...options, services, answer }, ({ slice }) => {
    for (const namespace of namespaces)
      for (const service of names)
        slice({ namespace, service, ready: [!(namespace === 'team-20' && neverReady.includes(service))] });
  });
  async function answer(request: DeletionAttempt): Promise<DeletionAnswer> {
    return request.name === 'refused' ? refused : await at.answerTo(request);
  }
  return at;
}

/** The outage, and the pods of the window of `team-01/name-3`. Takes a minute and a half. */
export async function breakServices(at: World): Promise<void> {
  const set = (namespace: string, services: readonly string[], isReady: boolean) => {
    for (const service of services) at.slice({ namespace, service, ready: [isReady] });
  };
  for (const namespace of downNamespaces) set(namespace, names, false);
  for (const [index, name] of ['web-1', 'web-2', 'web-3'].entries())
    at.put({ namespace: 'team-02', name, labels: usesOf('name-1'), containers: [backOff(4 + index)] });
  const [namespace] = downNamespaces;
  const labels = usesOf('name-3');
  const owner = (uid: string) => ({ owner: { uid, kind: 'StatefulSet' } });
  at.put({ namespace, name: 'bare', labels, isBare: true, containers: [backOff()] });
  at.put({ namespace, name: 'ignored', labels, annotations: { 'weeder.dev/ignore': 'true' }, containers: [backOff()] });
  at.put({ namespace, name: 'refused', labels, ...owner('a'), containers: [backOff()] });
  at.put({ namespace, name: 'waiting', labels: usesOf('name-3', 'name-13'), ...owner('b'), containers: [backOff()] });
  at.put({ namespace, name: 'deleted', labels, ...owner('c'), containers: [terminated(at.clock.now() - minute)] });
  await at.clock.pass(minute);
  set(namespace, recovered, true);
  await at.clock.pass(20_000);
  set(namespace, downAgain, false);
  await at.clock.pass(10_000);
}
