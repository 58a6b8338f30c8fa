import type { PodFacts } from './podFacts.ts';
import type { RestartEffects } from './restartEffects.ts';
import type { WorkloadEntry } from './workloadEntry.ts';

/** Where nothing is told, the pods are looked at again after this time. Milliseconds. */
const lookEvery = 5_000;

/** What refused the newest eviction: it is told once. */
const refused = new WeakMap<WorkloadEntry, string>();

/** Ends the next pod with old content by the Eviction API. `own`: the pods of the workload that run or will. */
export async function evictNext(
  { api, report }: RestartEffects,
  entry: WorkloadEntry,
  own: readonly PodFacts[],
  old: readonly PodFacts[],
  signal: AbortSignal,
): Promise<void> {
  const next = nextToEvict(entry.facts.replicas, own, old);
  if (next === undefined) return;
  const answer = await api.evict(next, signal);
  // A budget that does not allow it now, and whatever else refuses it: looked at again soon.
  const failure = answer.is === 'refused' && !signal.aborted ? answer.failure : undefined;
  const isNews = failure !== refused.get(entry);
  if (failure === undefined) refused.delete(entry);
  else refused.set(entry, failure);
  if (answer.is !== 'refused' || failure === undefined || !isNews) return;
  const { ref: workload, uid } = entry.facts;
  const { reason, retryAfter } = answer;
  const retryIn = Math.max(lookEvery, retryAfter);
  report({ type: 'workload.refused', workload, uid, reason, failure, attempt: 1, retryIn });
}

/**
 * One after the other, each when all pods that are wanted are there and ready: so one at the most is missing. One that is
 * not ready goes first, and needs not wait for the others: nobody misses it, and they may never be ready.
 */
export function nextToEvict(
  replicas: number,
  own: readonly PodFacts[],
  old: readonly PodFacts[],
): PodFacts | undefined {
  if (own.length < replicas) return undefined;
  return old.find(({ isReady }) => !isReady) ?? (own.every(({ isReady }) => isReady) ? old[0] : undefined);
}
