import { isKeptByPartition } from './concernedPods.ts';
import type { PodFacts } from './podFacts.ts';
import type { RestartEffects } from './restartEffects.ts';
import { podsOfOlderTemplate, type RolloutProgress } from './rollout.ts';
import { isByEviction, type WorkloadEntry } from './workloadEntry.ts';

/** What the rollout of a workload has come to. */
export interface RolloutLook {
  /** Its own pods. */
  readonly own: readonly PodFacts[];
  /** Those of them with old content. */
  readonly old: readonly PodFacts[];
  readonly progress: RolloutProgress;
}

/** Ends the pod that has to go now, by the Eviction API. Returns why that was refused; undefined: it was not. */
export async function evictNext(
  { api }: RestartEffects,
  entry: WorkloadEntry,
  look: RolloutLook,
  signal: AbortSignal,
): Promise<string | undefined> {
  const next = isByEviction(entry) ? nextOf(entry, look) : stuckOf(entry, look);
  if (next === undefined) return undefined;
  const answer = await api.evict(next, signal);
  // One that is gone, or another one by now, is seen as it is by the next look.
  return answer.is === 'refused' ? `pod ${next.name} cannot be evicted: ${answer.reason}` : undefined;
}

/**
 * One after the other: only when every pod with new content serves. Those that do not serve themselves go first, for
 * nobody misses them.
 */
function nextOf({ facts }: WorkloadEntry, { own, old }: RolloutLook): PodFacts | undefined {
  const isOld = new Set(old);
  const isCalm = own.length >= facts.replicas && own.every((pod) => pod.isReady || isOld.has(pod));
  if (!isCalm) return undefined;
  return old.find(({ isReady }) => !isReady) ?? old[0];
}

/** A StatefulSet does not replace a pod that is broken at an older revision: it waits for it to become ready (F9). */
function stuckOf({ facts, settings }: WorkloadEntry, { own, progress }: RolloutLook): PodFacts | undefined {
  if (facts.ref.kind !== 'StatefulSet' || settings?.unstick !== true || progress.is !== 'progressing') return undefined;
  return podsOfOlderTemplate(facts, own).find(
    (pod) => pod.trouble !== undefined && !isKeptByPartition(facts, pod.name),
  );
}
