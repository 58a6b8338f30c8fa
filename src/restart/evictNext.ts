import type { PodFacts } from './podFacts.ts';
import type { RestartEffects } from './restartEffects.ts';
import type { WorkloadEntry } from './workloadEntry.ts';

/** Where nothing is told, the pods are looked at again after this time. Milliseconds. */
const lookEvery = 5_000;

/** What refused the newest eviction: it is told once. */
const refused = new WeakMap<WorkloadEntry, string>();

/** Ends the next pod with old content, by the Eviction API, once every other one stands: one after the other. */
export async function evictNext(
  { api, report }: RestartEffects,
  entry: WorkloadEntry,
  pods: readonly PodFacts[],
  old: readonly PodFacts[],
  signal: AbortSignal,
): Promise<void> {
  const isCalm = pods.every((pod) => !pod.isEnding) && pods.length >= entry.facts.replicas;
  const [next] = old;
  if (!isCalm || next === undefined) return;
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
