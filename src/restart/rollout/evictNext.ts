import { isExcludedByPartition } from '../content/affectedPods.ts';
import type { Observed } from '../patches/observed.ts';
import type { RestartEffects } from '../patches/restartEffects.ts';
import { isByEviction, type WorkloadEntry } from '../patches/workloadEntry.ts';
import type { PodSummary } from '../pods/podSummary.ts';
import { podsOfOlderTemplate, type RolloutProgress } from '../pods/rollout.ts';
import type { Refusal } from '../references/answer.ts';
import { pollInterval } from './awaitRollout.ts';

/** The current view of a workload's rollout. */
export interface RolloutView {
  /** Its own pods. */
  readonly own: readonly PodSummary[];
  /** Its own pods that run with old content. */
  readonly old: readonly PodSummary[];
  readonly progress: RolloutProgress;
}

/** A refused eviction is reported once, and again as the reason of a stalled rollout. */
const reportRefusal = createRefusalReporter();

/** Evicts the next pod through the Eviction API. Returns why that was refused; undefined if it was not. */
export async function evictNext(
  effects: RestartEffects,
  entry: WorkloadEntry,
  view: RolloutView,
  signal: AbortSignal,
): Promise<string | undefined> {
  const next = isByEviction(entry)
    ? nextToEvict(entry.observed.summary.replicas, view.own, view.old)
    : stuckPod(entry.observed, view);
  if (next === undefined) return undefined;
  const answer = await effects.api.evict(next, signal);
  // The next view shows whether the pod was deleted or replaced.
  const refusal = answer.type === 'refused' && !signal.aborted ? answer : undefined;
  reportRefusal(effects, entry, refusal);
  return refusal && `pod ${next.name} cannot be evicted: ${refusal.reason}`;
}

/**
 * Evicts one pod at a time, when all desired pods exist and are ready, so that at most one is missing. A pod that is
 * not ready goes first and does not wait for the others: it serves nothing, and they may never become ready.
 */
export function nextToEvict(
  replicas: number,
  own: readonly PodSummary[],
  old: readonly PodSummary[],
): PodSummary | undefined {
  if (own.length < replicas) return undefined;
  return old.find(({ isReady }) => !isReady) ?? (own.every(({ isReady }) => isReady) ? old[0] : undefined);
}

/** A StatefulSet does not replace a broken pod of an older revision: it waits for the pod to become ready. */
export function stuckPod(
  { summary, settings }: Pick<Observed, 'summary' | 'settings'>,
  { own, progress }: Pick<RolloutView, 'own' | 'progress'>,
): PodSummary | undefined {
  if (!summary.kind.waitsForEachPod || settings?.unstick !== true || progress.type !== 'progressing') return undefined;
  return podsOfOlderTemplate(summary, own).find(
    (pod) => pod.failure !== undefined && !isExcludedByPartition(summary, pod.name),
  );
}

/**
 * Reports the refusals of repeated attempts, such as of an eviction: once per class, and again after a success in
 * between (undefined).
 */
export function createRefusalReporter() {
  const newest = new WeakMap<WorkloadEntry, Refusal['failure']>();
  return ({ report }: Pick<RestartEffects, 'report'>, entry: WorkloadEntry, refusal: Refusal | undefined): void => {
    const before = newest.get(entry);
    if (refusal === undefined) {
      newest.delete(entry);
      return;
    }
    const { reason, failure, retryAfter } = refusal;
    newest.set(entry, failure);
    if (failure === before) return;
    const { ref: workload, uid } = entry.observed.summary;
    const retryIn = Math.max(pollInterval, retryAfter);
    report({ type: 'workload.refused', workload, uid, reason, failure, attempt: 1, retryIn });
  };
}
