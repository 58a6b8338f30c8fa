import type { SourceRef, WorkloadRef } from './refs.ts';

/** Why a restart is pending. */
export const pendingCauses = [
  /** `minInterval` after the restart before. */
  'interval',
  /** No maintenance window is open. */
  'window',
  /** The annotation `weeder.dev/paused-until`. */
  'pausedUntil',
  /** The Deployment is paused: a new template would start no pod. */
  'paused',
  /** Somebody else's rollout is under way. */
  'rollout',
  /** `maxRestartsPerMinute` or `maxConcurrentRollouts`. */
  'pace',
  'other',
] as const;
export type PendingCause = (typeof pendingCauses)[number];

/** Why a workload must not be restarted now, however long it waits. */
export const blockCauses = [
  /** A required source or key is missing. */
  'sourceMissing',
  /** An immutable source was recreated: a rolling restart would bring back its old content. */
  'immutable',
  /** Too many restarts in a short time. */
  'breaker',
  /** An annotation that says whether, or until when, cannot be read. */
  'annotation',
  /** The hash key cannot be had. */
  'hashKey',
  /** A Job: only the next one has the new content. */
  'job',
  'other',
] as const;
export type BlockCause = (typeof blockCauses)[number];

/** How a workload is restarted: by a new template, pod by pod, as a new object, all of its pods at once, or not really. */
export type RestartHow = 'rollout' | 'evict' | 'recreate' | 'replace' | 'dryRun';

/** A source that says something else than what the pods run with. */
export interface SourceChange {
  readonly source: SourceRef;
  /** The names of the keys that changed, never their values; empty if they are unknown. */
  readonly keys: readonly string[];
}

/** Which workload a fact is about. */
export interface AboutWorkload {
  readonly workload: WorkloadRef;
  readonly uid: string;
}

/**
 * Everything that restart control has to say while it works, one object a fact, as WeederEvent. Sources and keys by
 * name only. Durations are milliseconds, times epoch milliseconds; a `reason` is a sentence without its full stop or
 * with it.
 */
export type RestartEvent =
  /** The current content of its sources is recorded; nothing restarts. */
  | ({ readonly type: 'workload.adopted'; readonly sources: number } & AboutWorkload)
  /** `since`: when the first change was observed. */
  | ({ readonly type: 'workload.changed'; readonly since: number } & AboutChange)
  /** `until`: where that is known. */
  | ({ readonly type: 'workload.pending'; readonly cause: PendingCause } & AboutWorkload & Why)
  | ({ readonly type: 'workload.blocked'; readonly cause: BlockCause } & AboutWorkload & Why)
  | ({ readonly type: 'workload.restarted' } & AboutChange & Restart)
  /** The pods are proven to run with the new content. `took`: since the restart; `sinceChange`: since the first change. */
  | ({ readonly type: 'workload.rolledOut'; readonly took: number; readonly sinceChange: number } & AboutWorkload)
  /** All pods were made after the change: they have the new content without a restart. */
  | ({ readonly type: 'workload.skipped' } & AboutChange)
  | ({ readonly type: 'workload.stalled'; readonly reason: string } & AboutWorkload)
  /** Somebody put the template back. `times`: how often so far; `isEvicting`: from now on pods are evicted in place of it. */
  | ({ readonly type: 'workload.reverted'; readonly times: number; readonly isEvicting: boolean } & AboutWorkload)
  /** A Job that was ended for a restart is there again. `uid`: of the one before. */
  | ({ readonly type: 'workload.recreated' } & AboutWorkload)
  /** It is tried again. */
  | ({ readonly type: 'workload.refused' } & AboutWorkload & Retry)
  /** It is no longer managed, and its state is taken away. */
  | ({ readonly type: 'workload.released' } & AboutWorkload)
  /** All revisions that the workload keeps are restarts of ours: `kubectl rollout undo` leads to none before them. */
  | ({ readonly type: 'history.filled'; readonly revisions: number } & AboutWorkload)
  /** One of its annotations, or of a source's (`on`). */
  | ({
      readonly type: 'annotation.unreadable';
      readonly annotation: string;
      readonly reason: string;
    } & AboutWorkload & {
        readonly on?: SourceRef;
      })
  /** It depends on a source of another namespace that does not allow it: neither read nor followed. */
  | ({ readonly type: 'dependency.notAllowed'; readonly source: SourceRef } & AboutWorkload)
  /** It uses a source of a kind that `sourceKinds` leaves out: its changes restart nothing. */
  | ({ readonly type: 'dependency.notFollowed'; readonly source: SourceRef } & AboutWorkload)
  /** It carries a state of another weeder, by whose key; the first that was found with that key. */
  | ({ readonly type: 'state.foreign'; readonly keyId: string } & AboutWorkload)
  /** Another client removed the state so often that it stays in memory for `pause`, which grows; reported once. */
  | ({ readonly type: 'state.contested'; readonly removals: number; readonly pause: number } & AboutWorkload)
  /** Everything that was hashed with another key is adopted anew. `before` undefined: the first one of this process. */
  | { readonly type: 'key.changed'; readonly keyId: string; readonly before: string | undefined }
  /** The key cannot be had, and nothing is restarted until it can. */
  | { readonly type: 'key.missing'; readonly reason: string }
  /** A mistake in weeder itself: it goes on, and says so. */
  | { readonly type: 'actor.failed'; readonly actor: string; readonly error: unknown };

interface AboutChange extends AboutWorkload {
  readonly sources: readonly SourceChange[];
}

interface Why {
  readonly reason: string;
  readonly until?: number | undefined;
}

interface Restart {
  readonly how: RestartHow;
  /** Which try to bring these pods to this content, from 1. */
  readonly attempt: number;
}

interface Retry {
  readonly reason: string;
  /** A `RefusalClass`; `other`: a mistake in weeder itself. */
  readonly failure: string;
  /** Which refusal in a row, from 1. */
  readonly attempt: number;
  readonly retryIn: number;
}

export type ReportRestart = (fact: RestartEvent) => void;
