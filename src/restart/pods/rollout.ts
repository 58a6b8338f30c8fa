import type { WorkloadFacts } from '../model/workloadFacts.ts';
import type { PodFacts } from './podFacts.ts';

/** How far the newest pod template has come. */
export type RolloutProgress =
  | { readonly is: 'complete' }
  | {
      readonly is: 'progressing';
      /** Pods with the newest template, of so many that are to have it. */
      readonly done: number;
      readonly of: number;
      /** Pods that are available, whatever their template. */
      readonly available: number;
      /** Pods with an older template that are still there; with a partition: more than it keeps. */
      readonly old: number;
      /** A Deployment's own deadline has passed. */
      readonly isOverdue: boolean;
    }
  /** OnDelete: nothing happens to these pods until somebody deletes them. Names; empty: its pods were not given. */
  | { readonly is: 'waitingForDeletion'; readonly pods: readonly string[] }
  | { readonly is: 'paused' }
  /** The status is older than the spec, so progress is unknown. After a scaling as well, see `WorkloadFacts.generation`. */
  | { readonly is: 'unobserved' };

/**
 * Reads it from the workload's status, by the rules of `kubectl rollout status`. `pods`, its own, are needed to name
 * those that wait to be deleted. A CronJob's next run and a Job's pods have nothing to be rolled out to.
 */
export function rolloutOf(facts: WorkloadFacts, pods: readonly PodFacts[] = []): RolloutProgress {
  const { ref, status, generation, updateStrategy } = facts;
  if (ref.kind === 'CronJob' || ref.kind === 'Job') return { is: 'complete' };
  if ((status.observedGeneration ?? 0) < generation) return { is: 'unobserved' };
  const { done, of, old } = turnover(facts);
  const isTurnedOver = done >= of && old === 0 && hasOneRevision(facts);
  if (isTurnedOver && status.available >= facts.replicas) return { is: 'complete' };
  if (facts.isPaused) return { is: 'paused' };
  if (updateStrategy === 'onDelete' && old > 0) {
    return { is: 'waitingForDeletion', pods: podsOfOlderTemplate(facts, pods).map(({ name }) => name) };
  }
  return { is: 'progressing', done, of, available: status.available, old, isOverdue: status.isOverdue };
}

/** Its pod template, if its controller has seen this version of it. */
export function observedTemplateOf(facts: WorkloadFacts): string | undefined {
  return rolloutOf(facts).is === 'unobserved' ? undefined : templateTextOf(facts);
}

export function templateTextOf({ templateHash, templateAnnotation }: WorkloadFacts): string {
  return JSON.stringify([templateHash, templateAnnotation]);
}

/**
 * Those of its pods that have an older template. Of a Deployment only those from before the newest restart are known:
 * by which of its ReplicaSets the newest pods are made is told by no status.
 */
export function podsOfOlderTemplate(
  { ref: { kind }, status, templateAnnotation }: WorkloadFacts,
  pods: readonly PodFacts[],
): PodFacts[] {
  return pods.filter(({ isEnding, dependenciesHash, revision, templateGeneration }) => {
    if (isEnding) return false;
    if (dependenciesHash !== templateAnnotation) return true;
    if (kind === 'StatefulSet') return revision !== status.updateRevision;
    return kind === 'DaemonSet' && templateGeneration !== status.templateGeneration;
  });
}

/**
 * Whether somebody has taken a restart back: the template is the one of before it but for our own annotation.
 * `templateHash` is that of before, `dependenciesHash` what the restart wrote. Any other template is a change of its
 * own, of which the age of the pods tells.
 */
export function isReverted(
  facts: WorkloadFacts,
  restart: { readonly templateHash: string; readonly dependenciesHash: string },
): boolean {
  return facts.templateHash === restart.templateHash && facts.templateAnnotation !== restart.dependenciesHash;
}

function turnover({ updateStrategy, replicas, status: { pods, updated } }: WorkloadFacts) {
  const kept = typeof updateStrategy === 'object' ? updateStrategy.partition : 0;
  const of = Math.max(0, replicas - kept);
  return { done: Math.min(updated, of), of, old: Math.max(0, pods - updated - Math.min(kept, replicas)) };
}

/** A StatefulSet's controller says itself when a rolling update is over; with OnDelete or a partition it never does. */
function hasOneRevision({ ref, updateStrategy, status }: WorkloadFacts): boolean {
  if (ref.kind !== 'StatefulSet' || updateStrategy !== 'rolling') return true;
  return status.updateRevision === status.currentRevision;
}
