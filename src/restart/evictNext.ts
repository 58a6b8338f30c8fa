import type { PodFacts } from './podFacts.ts';
import type { RestartEffects } from './restartEffects.ts';
import type { WorkloadEntry } from './workloadEntry.ts';

/** Ends the next pod with old content, by the Eviction API, once every other one stands: one after the other. */
export async function evictNext(
  { api }: RestartEffects,
  entry: WorkloadEntry,
  pods: readonly PodFacts[],
  old: readonly PodFacts[],
  signal: AbortSignal,
): Promise<void> {
  const isCalm = pods.every((pod) => !pod.isEnding) && pods.length >= entry.facts.replicas;
  const [next] = old;
  if (!isCalm || next === undefined) return;
  // A budget that does not allow it now, and whatever else refuses it: looked at again soon.
  await api.evict(next, signal);
}
