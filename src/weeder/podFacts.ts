import type { LimitedQueue } from '@weeder/kube-runtime/queue';
import type { ServiceLookup } from '../config/serviceLookup.ts';
import { protectionBy } from './deletions/deletionEntry.ts';
import type { Dependants } from './deletions/deletionRequest.ts';
import type { Deletions } from './deletions/deletions.ts';
import type { PodIndex } from './pods/podIndex.ts';
import type { PodFacts, SeenPod, SelectingService } from './report/podSentence.ts';
import type { Endpoints } from './services/endpoints.ts';
import type { ServiceStatus } from './services/serviceStatus.ts';

/** What the running weeder knows of one pod; its reports are kept elsewhere. */
export type KnownPod = Omit<PodFacts, 'report'>;

interface PodSources {
  readonly indexes: () => Iterable<PodIndex>;
  readonly statuses: () => Iterable<ServiceStatus>;
  readonly services: ServiceLookup;
  readonly dependantsOf: (namespace: string, service: string) => readonly Dependants[];
  readonly endpoints: Pick<Endpoints, 'windowOf'>;
  readonly deletions: Pick<Deletions, 'progressOf'>;
  readonly queue: Pick<LimitedQueue, 'active' | 'waiting'>;
}

/** Reads every index and every service: only for a question of a user. */
export function podFactsFrom(sources: PodSources, namespace: string, name: string): KnownPod {
  const { deletions, queue } = sources;
  const seen = seenIn(sources.indexes(), namespace, name);
  return {
    seen,
    services: [...servicesOf(sources, seen)],
    progress: seen.type === 'crashLooping' ? deletions.progressOf(seen.pod.uid) : undefined,
    queue: { inFlight: queue.active, queued: queue.waiting },
  };
}

/** While the weeder does not run. */
export const unknownPod: KnownPod = {
  seen: { type: 'unknown' },
  services: [],
  progress: undefined,
  queue: { inFlight: 0, queued: 0 },
};

function seenIn(indexes: Iterable<PodIndex>, namespace: string, name: string): SeenPod {
  const isIt = (pod: { readonly namespace: string; readonly name: string }) =>
    pod.namespace === namespace && pod.name === name;
  for (const index of indexes) {
    const pod = index.podsIn('all').find(isIt);
    if (pod !== undefined) return { type: 'crashLooping', pod };
    const stuck = [...index.neverStarted('all')].find(isIt);
    if (stuck !== undefined) return { type: 'neverStarted', pod: stuck };
  }
  return { type: 'unseen' };
}

function* servicesOf(sources: PodSources, seen: SeenPod): Generator<SelectingService> {
  if (seen.type !== 'crashLooping' && seen.type !== 'neverStarted') return;
  for (const { namespace, service, isReady, exists, since } of sources.statuses()) {
    const policy = sources.services(namespace, service);
    if (policy === undefined || !sources.dependantsOf(namespace, service).some((each) => isIn(each, seen))) continue;
    const protection = seen.type === 'crashLooping' ? protectionBy(policy, seen.pod) : 'none';
    const window = sources.endpoints.windowOf(namespace, service);
    const hasSiblingEvidence = policy.siblingEvidence !== undefined;
    yield { namespace, service, isReady, exists, since, window, protection, hasSiblingEvidence };
  }
}

function isIn({ index, scope }: Dependants, { type, pod }: Extract<SeenPod, { readonly pod: object }>): boolean {
  if (type === 'crashLooping') return index.includes(scope, pod.uid);
  return [...index.neverStarted(scope)].some((each) => each.name === pod.name && each.namespace === pod.namespace);
}
