import type { WorkloadSummary } from '../references/workloadSummary.ts';
import type { PodSummary } from './podSummary.ts';

/** The progress of the newest pod template. */
export type RolloutProgress =
  | { readonly type: 'complete' }
  | {
      readonly type: 'progressing';
      /** The number of pods with the newest template, and of those that are to have it. */
      readonly done: number;
      readonly of: number;
      /** Available pods, whatever their template. */
      readonly available: number;
      /** Pods that still have an older template; with a partition: only those with this ordinal or a higher one. */
      readonly old: number;
      /** The Deployment's own deadline has passed. */
      readonly isOverdue: boolean;
    }
  /** OnDelete: these pods stay until a user deletes them. Names; empty: the pods were not passed. */
  | { readonly type: 'waitingForDeletion'; readonly pods: readonly string[] }
  | { readonly type: 'paused' }
  /**
   * The status is older than the spec, so the progress is unknown. A scaling has the same effect, see
   * `WorkloadSummary.generation`.
   */
  | { readonly type: 'unobserved' };

/**
 * Determines the progress from the workload's status, by the rules of `kubectl rollout status`. `pods`, its own, are
 * needed to name those that wait to be deleted. A CronJob's next run and a Job's pods have no rollout.
 */
export function rolloutOf(summary: WorkloadSummary, pods: readonly PodSummary[] = []): RolloutProgress {
  const { kind, status, generation, updateStrategy } = summary;
  if (kind.restart !== 'rollout') return { type: 'complete' };
  if ((status.observedGeneration ?? 0) < generation) return { type: 'unobserved' };
  const { done, of, old } = turnover(summary);
  const isTurnedOver = done >= of && old === 0 && hasOneRevision(summary) && !isRestarting(summary);
  if (isTurnedOver && status.available >= summary.replicas) return { type: 'complete' };
  if (summary.isPaused) return { type: 'paused' };
  if (updateStrategy === 'onDelete' && old > 0) {
    return { type: 'waitingForDeletion', pods: podsOfOlderTemplate(summary, pods).map(({ name }) => name) };
  }
  return { type: 'progressing', done, of, available: status.available, old, isOverdue: status.isOverdue };
}

/**
 * Returns why its controller creates no further pods, as far as the workload itself says so. The controllers of
 * StatefulSets and DaemonSets say so only in Events, which weeder does not read: the number of missing pods leads there.
 */
export function obstacleOf({ ref, kind, status, replicas }: WorkloadSummary): string | undefined {
  if (status.replicaFailure !== undefined) return status.replicaFailure;
  if (!kind.reportsByEvents || status.pods >= replicas) return undefined;
  return `only ${status.pods} of ${replicas} pods exist: see the Events of the ${ref.kind}`;
}

/**
 * Returns those of its pods that have an older template. For a Deployment, only those from before the latest restart
 * are known: no status names the ReplicaSet of the newest pods.
 */
export function podsOfOlderTemplate(
  { kind, status, templateAnnotation }: WorkloadSummary,
  pods: readonly PodSummary[],
): PodSummary[] {
  return pods.filter((pod) => {
    if (pod.isEnding) return false;
    if (pod.dependenciesHash !== templateAnnotation) return true;
    return kind.hasOlderTemplate(pod, status);
  });
}

function turnover({ updateStrategy, replicas, status: { pods, updated } }: WorkloadSummary) {
  const partition = typeof updateStrategy === 'object' ? updateStrategy.partition : 0;
  const of = Math.max(0, replicas - partition);
  return { done: Math.min(updated, of), of, old: Math.max(0, pods - updated - Math.min(partition, replicas)) };
}

/** A StatefulSet's controller reports the end of a rolling update itself, but never with OnDelete or a partition. */
function hasOneRevision({ kind, updateStrategy, status }: WorkloadSummary): boolean {
  return updateStrategy !== 'rolling' || kind.hasEndedUpdate(status);
}

/** Whether a restart was requested by its time, and has not ended. */
function isRestarting({ restartAt, restartedAt }: WorkloadSummary): boolean {
  return restartAt !== undefined && restartAt !== restartedAt;
}
