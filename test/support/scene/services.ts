import type { DeletionAnswer, DeletionAttempt } from '../../../src/weeder/deletions/deletePod.ts';
import { backOff, terminated } from '../objects/objects.ts';
import type { SimulationOptions } from '../world/simulation.ts';
import { type World, world } from '../world/world.ts';

const minute = 60_000;
export const names = Array.from({ length: 15 }, (_, n) => `name-${n + 1}`);
export const namespaces = Array.from({ length: 20 }, (_, n) => `team-${String(n + 1).padStart(2, '0')}`);

/** 300 services: the same 15 names in 20 namespaces. Those of two namespaces go down, and 12 of them recover. */
export const downNamespaces = ['team-01', 'team-02'] as const;
export const recovered = names.slice(0, 12);
/** Of those that recovered, in `team-01`: down again. */
export const downAgain = recovered.slice(0, 2);
/** In `team-20`: not ready since weeder started. */
export const neverReady = names.slice(5);
export const misspelt = 'nmae-1';

/** What the config says of each of its services. */
export const configured = [...names, misspelt].map((name) => ({
  name,
  podSelectors: [{ matchLabels: usesOf(name) }],
  onStart: 'never' as const,
}));

export function isReadyAtStart(namespace: string, service: string): boolean {
  return !(namespace === 'team-20' && neverReady.includes(service));
}

interface LoopingPod {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isBare?: boolean;
  /** It has ended a minute ago, and no back-off is reported. */
  readonly isUnreported?: boolean;
}

const window = { namespace: downNamespaces[0], labels: usesOf('name-3') };

/** The dependants of a service that is down, and those of the window of `team-01/name-3`, by what happens to them. */
export const loopingPods: readonly LoopingPod[] = [
  ...['web-1', 'web-2', 'web-3'].map((name) => ({ name, namespace: downNamespaces[1], labels: usesOf('name-1') })),
  { ...window, name: 'bare', isBare: true },
  { ...window, name: 'ignored', annotations: { 'weeder.dev/ignore': 'true' } },
  { ...window, name: 'refused' },
  { ...window, name: 'waiting', labels: usesOf('name-3', 'name-13') },
  { ...window, name: 'deleted', isUnreported: true },
];

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
  const at = world({ ...options, services: configured, answer }, ({ slice }) => {
    for (const namespace of namespaces)
      for (const service of names) slice({ namespace, service, ready: [isReadyAtStart(namespace, service)] });
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
  for (const { isUnreported = false, ...pod } of loopingPods) {
    const container = isUnreported ? terminated(at.clock.now() - minute) : backOff();
    at.put({ ...pod, owner: { uid: pod.name, kind: 'StatefulSet' }, containers: [container] });
  }
  await at.clock.pass(minute);
  const [namespace] = downNamespaces;
  set(namespace, recovered, true);
  await at.clock.pass(20_000);
  set(namespace, downAgain, false);
  await at.clock.pass(10_000);
}
