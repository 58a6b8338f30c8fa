import type { PodFacts } from './podFacts.ts';
import type { RestartEffects } from './restartEffects.ts';
import type { WorkloadEntry } from './workloadEntry.ts';

/** Ends the next pod with old content by the Eviction API. `own`: the pods of the workload that run or will. */
export async function evictNext(
  { api }: RestartEffects,
  entry: WorkloadEntry,
  own: readonly PodFacts[],
  old: readonly PodFacts[],
  signal: AbortSignal,
): Promise<void> {
  const next = nextToEvict(entry.facts.replicas, own, old);
  // A budget that does not allow it now, and whatever else refuses it: looked at again soon.
  if (next !== undefined) await api.evict(next, signal);
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
