import type { ActorFailed, Retry } from '../../controller/report/commonEvents.ts';
import type { OtherTool } from './otherTools.ts';
import type { SourceRef, WorkloadRef } from './refs.ts';

/** Why a restart is pending. */
export const pendingCauses = [
  /** `minInterval` after the previous restart is not over. */
  'interval',
  /** No maintenance window is open. */
  'window',
  /** The annotation `weeder.dev/paused-until` names a later time. */
  'pausedUntil',
  /** The Deployment is paused: a new template would start no pod. */
  'paused',
  /** A rollout that another client started is in progress. */
  'rollout',
  /** `maxRestartsPerMinute` or `maxConcurrentRollouts` is reached. */
  'pace',
  'other',
] as const;
export type PendingCause = (typeof pendingCauses)[number];

/** Why a workload must not be restarted now, regardless of how long it waits. */
export const blockCauses = [
  /** A required source or key is missing. */
  'sourceMissing',
  /** An immutable source was recreated: a rolling restart would bring back its old content. */
  'immutable',
  /** The workload was restarted too often in a short time. */
  'breaker',
  /** An annotation that decides whether or when to restart cannot be read. */
  'annotation',
  /** The hash key is not available. */
  'hashKey',
  /** The workload is a Job: only the next one has the new content. */
  'job',
  'other',
] as const;
export type BlockCause = (typeof blockCauses)[number];

/**
 * How a workload is restarted: by a new template, by evicting pod by pod, as a new object, by terminating all pods at
 * once, or only in a dry run.
 */
export type RestartHow = 'rollout' | 'evict' | 'recreate' | 'replace' | 'dryRun';

/** A source whose content differs from what the pods run with. */
export interface SourceChange {
  readonly source: SourceRef;
  /** The names of the keys that changed, never their values; empty if they are unknown. */
  readonly keys: readonly string[];
}

/** The workload that an event is about. */
export interface AboutWorkload {
  readonly workload: WorkloadRef;
  readonly uid: string;
}

/**
 * Everything that restart control reports while it works, one object per event, like WeederEvent. Sources and keys are
 * reported by name only. Durations are milliseconds, times epoch milliseconds; a `reason` is a sentence with or without
 * its full stop.
 */
export type RestartEvent =
  /** The current content of its sources is recorded; nothing restarts. */
  | ({ readonly type: 'workload.adopted'; readonly sources: number } & AboutWorkload)
  /** `since`: when the first change was observed. */
  | ({ readonly type: 'workload.changed'; readonly since: number } & AboutChange)
  /** `until`: present if it is known. */
  | ({ readonly type: 'workload.pending'; readonly cause: PendingCause } & AboutWorkload & Why)
  | ({ readonly type: 'workload.blocked'; readonly cause: BlockCause } & AboutWorkload & Why)
  | ({ readonly type: 'workload.restarted' } & AboutChange & Restart)
  /**
   * The pods are verified to run with the new content. `took`: since the restart; `sinceChange`: since the first
   * change.
   */
  | ({ readonly type: 'workload.rolledOut'; readonly took: number; readonly sinceChange: number } & AboutWorkload)
  /** All pods were created after the change: they have the new content without a restart. */
  | ({ readonly type: 'workload.skipped' } & AboutChange)
  /** `obstacle`: why its controller creates no further pods, as far as the workload says so. */
  | ({ readonly type: 'workload.stalled'; readonly reason: string; readonly obstacle?: string } & AboutWorkload)
  /**
   * Another client restored the template. `times`: how often so far; `isEvicting`: from now on pods are evicted
   * instead.
   */
  | ({ readonly type: 'workload.reverted'; readonly times: number; readonly isEvicting: boolean } & AboutWorkload)
  /** A Job that was deleted for a restart exists again. `uid`: of the old Job. */
  | ({ readonly type: 'workload.recreated' } & AboutWorkload)
  /** A pod that has never started waited for these sources, which have appeared late. */
  | ({
      readonly type: 'pod.evicted';
      readonly pod: string;
      readonly waitedFor: readonly SourceRef[];
      readonly isDryRun: boolean;
    } & AboutWorkload)
  /** The request is retried. */
  | ({ readonly type: 'workload.refused' } & AboutWorkload & Retry)
  /** The workload is no longer managed, and its state is removed. */
  | ({ readonly type: 'workload.released' } & AboutWorkload)
  /**
   * All retained revisions of the workload are restarts by weeder: `kubectl rollout undo` cannot reach an earlier one.
   */
  | ({ readonly type: 'history.filled'; readonly revisions: number } & AboutWorkload)
  /** An annotation of the workload, or of a source (`on`), is invalid. */
  | ({
      readonly type: 'annotation.unreadable';
      readonly annotation: string;
      readonly reason: string;
    } & AboutWorkload & {
        readonly on?: SourceRef;
      })
  /**
   * The workload has an annotation of Reloader or wave, and none of weeder's in its place. `isLast`: those of further
   * workloads are not reported.
   */
  | ({ readonly type: 'annotation.ofOtherTool'; readonly isLast: boolean } & AboutWorkload & OtherTool)
  /**
   * The workload depends on a source of another namespace that does not allow it: the source is neither read nor
   * watched.
   */
  | ({ readonly type: 'dependency.notAllowed'; readonly source: SourceRef } & AboutWorkload)
  /** The workload uses a source of a kind that `sourceKinds` excludes: its changes restart nothing. */
  | ({ readonly type: 'dependency.notFollowed'; readonly source: SourceRef } & AboutWorkload)
  /**
   * The workload carries the state of another weeder with the key of this id; only the first one with that key is
   * reported.
   */
  | ({ readonly type: 'state.foreign'; readonly keyId: string } & AboutWorkload)
  /** Another client removed the state so often that it stays in memory for `pause`, which grows; reported once. */
  | ({ readonly type: 'state.contested'; readonly removals: number; readonly pause: number } & AboutWorkload)
  /**
   * Everything that was hashed with another key is adopted again. `before` undefined: this is the first key of this
   * process.
   */
  | { readonly type: 'key.changed'; readonly keyId: string; readonly before: string | undefined }
  /** There was no hash key, and weeder wrote one to this Secret (`namespace/name`). */
  | { readonly type: 'key.created'; readonly secret: string }
  /** The key is not available. `isKnown`: the one that was read before is used; otherwise nothing is restarted. */
  | { readonly type: 'key.missing'; readonly reason: string; readonly isKnown: boolean }
  | ActorFailed;

interface AboutChange extends AboutWorkload {
  readonly sources: readonly SourceChange[];
}

interface Why {
  readonly reason: string;
  readonly until?: number | undefined;
}

interface Restart {
  readonly how: RestartHow;
  /** The number of this attempt to bring these pods to this content, from 1. */
  readonly attempt: number;
}

export type ReportRestart = (event: RestartEvent) => void;
