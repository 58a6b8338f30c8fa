import type { RefusalClass } from './answer.ts';
import { isKeptByPartition } from './concernedPods.ts';
import type { PodFacts } from './podFacts.ts';
import type { RestartEffects } from './restartEffects.ts';
import { podsOfOlderTemplate, type RolloutProgress } from './rollout.ts';
import { lookEvery } from './rolloutWatch.ts';
import { isByEviction, type WorkloadEntry } from './workloadEntry.ts';

/** What the rollout of a workload has come to. */
export interface RolloutLook {
  /** Its own pods. */
  readonly own: readonly PodFacts[];
  /** Those of them with old content. */
  readonly old: readonly PodFacts[];
  readonly progress: RolloutProgress;
}

/** What refused the newest eviction: it is told once, and again as what a rollout stands still for. */
const refused = new WeakMap<WorkloadEntry, RefusalClass>();

/** Ends the pod that has to go now, by the Eviction API. Returns why that was refused; undefined: it was not. */
export async function evictNext(
  { api, report }: RestartEffects,
  entry: WorkloadEntry,
  look: RolloutLook,
  signal: AbortSignal,
): Promise<string | undefined> {
  const next = isByEviction(entry) ? nextToEvict(entry.facts.replicas, look.own, look.old) : stuckPod(entry, look);
  if (next === undefined) return undefined;
  const answer = await api.evict(next, signal);
  // One that is gone, or another one by now, is seen as it is by the next look.
  if (answer.is !== 'refused' || signal.aborted) {
    refused.delete(entry);
    return undefined;
  }
  const { reason, failure, retryAfter } = answer;
  const { ref: workload, uid } = entry.facts;
  const retryIn = Math.max(lookEvery, retryAfter);
  if (refused.get(entry) !== failure)
    report({ type: 'workload.refused', workload, uid, reason, failure, attempt: 1, retryIn });
  refused.set(entry, failure);
  return `pod ${next.name} cannot be evicted: ${reason}`;
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

/** A StatefulSet does not replace a pod that is broken at an older revision: it waits for it to become ready (F9). */
export function stuckPod(
  { facts, settings }: Pick<WorkloadEntry, 'facts' | 'settings'>,
  { own, progress }: Pick<RolloutLook, 'own' | 'progress'>,
): PodFacts | undefined {
  if (facts.ref.kind !== 'StatefulSet' || settings?.unstick !== true || progress.is !== 'progressing') return undefined;
  return podsOfOlderTemplate(facts, own).find(
    (pod) => pod.trouble !== undefined && !isKeptByPartition(facts, pod.name),
  );
}
