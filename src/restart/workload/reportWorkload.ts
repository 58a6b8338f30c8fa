import { needsEviction } from '../content/restartHistory.ts';
import { changesOf } from '../patches/finding.ts';
import type { RestartEffects } from '../patches/restartEffects.ts';
import { isByEviction, type WorkloadEntry } from '../patches/workloadEntry.ts';
import { writtenState } from '../patches/written.ts';
import { obstacleOf } from '../pods/rollout.ts';
import {
  type BlockCause,
  blockCauses,
  type PendingCause,
  pendingCauses,
  type RestartHow,
} from '../references/events.ts';
import { isReplaced } from '../rollout/replaceAll.ts';

/** Turns what the `workload` and `rollout` machines report into restart events. */
export function reportsOf({ clock, report, isDryRun, entryOf }: RestartEffects) {
  /** The last report about a workload's lasting condition, which is reported once. */
  const reported = new WeakMap<WorkloadEntry, string>();
  const revisions = createRevisions();
  const absences = createAbsences(clock);
  /** The time of the first change that the latest restart is for, by the monotonic clock. */
  const restartedFor = new WeakMap<WorkloadEntry, number>();

  function about({ observed: { summary } }: WorkloadEntry) {
    return { workload: summary.ref, uid: summary.uid };
  }

  function reportOnce(entry: WorkloadEntry, text: string, send: () => void): void {
    if (reported.get(entry) === text) return;
    reported.set(entry, text);
    send();
  }

  function sourcesOf(entry: WorkloadEntry) {
    return changesOf(entry).map(({ source: { ref: source }, keys }) => ({ source, keys }));
  }

  function howOf(entry: WorkloadEntry): RestartHow {
    if (isDryRun) return 'dryRun';
    if (entry.observed.summary.kind.restart === 'recreation') return 'recreate';
    if (isReplaced(entry)) return 'replace';
    return isByEviction(entry) ? 'evict' : 'rollout';
  }

  /** Ignores an entry that no longer exists: a workload may be deleted before its actor reports. */
  function reporting<Field extends keyof Context = keyof Context>(
    send: (entry: WorkloadEntry, context: Pick<Context, Field>) => void,
  ) {
    return ({ context }: { readonly context: Pick<Context, Field | 'workload'> }) => {
      const entry = entryOf(context.workload);
      if (entry !== undefined) send(entry, context);
    };
  }

  return {
    reportChanged: reporting((entry, { changedSince = entry.changes.changedAt }) => {
      const sources = sourcesOf(entry);
      const since = clock.now() - (clock.monotonic() - changedSince);
      reportOnce(entry, `changed ${JSON.stringify(sources)}`, () =>
        report({ type: 'workload.changed', ...about(entry), sources, since }),
      );
    }),
    // A later reason for being blocked or pending is reported again.
    reportCurrent: reporting((entry) => reported.delete(entry)),
    reportBlocked: reporting((entry, { cause: blockedCause, reason, blockedFor }) => {
      // A list is still being read.
      if (blockedCause === 'reading') return;
      const cause: BlockCause = blockCauses.find((each) => each === blockedCause) ?? 'other';
      if (cause === 'sourceMissing' && absences.isKnown(entry, reason)) return;
      const until = blockedFor === undefined ? undefined : clock.now() + blockedFor;
      reportOnce(entry, `blocked ${reason}`, () =>
        report({ type: 'workload.blocked', ...about(entry), cause, reason, until }),
      );
    }),
    reportPending: reporting<'cause' | 'reason'>((entry, { cause: pendingCause, reason }) => {
      const cause: PendingCause = pendingCauses.find((each) => each === pendingCause) ?? 'other';
      reportOnce(entry, `waiting ${reason}`, () =>
        report({ type: 'workload.pending', ...about(entry), cause, reason }),
      );
    }),
    reportRestarted: reporting<'changedSince'>((entry, { changedSince = entry.changes.changedAt }) => {
      const attempt = entry.finding?.state?.target?.attempt ?? 1;
      const how = howOf(entry);
      reported.delete(entry);
      restartedFor.set(entry, changedSince);
      report({ type: 'workload.restarted', ...about(entry), sources: sourcesOf(entry), how, attempt });
      const filled = how === 'rollout' ? revisions.add(entry) : undefined;
      if (filled !== undefined) report({ type: 'history.filled', ...about(entry), revisions: filled });
    }),
    reportStalled: reporting<'reason'>((entry, { reason }) => {
      const obstacle = obstacleOf(entry.observed.summary);
      const cause = obstacle === undefined ? {} : { obstacle };
      reportOnce(entry, `stalled ${reason}`, () =>
        report({ type: 'workload.stalled', ...about(entry), reason, ...cause }),
      );
    }),
    reportReverted: reporting((entry) => {
      const state = writtenState(entry);
      const reverts = typeof state === 'object' ? state.reverts : [];
      const times = Math.max(1, reverts.length);
      report({ type: 'workload.reverted', ...about(entry), times, isEvicting: needsEviction(reverts) });
    }),
    reportWritten: reporting((entry, { outcome }) => {
      // The release is reported again only if something else was reported about the workload meanwhile.
      if (outcome === 'released')
        reportOnce(entry, 'left', () => report({ type: 'workload.released', ...about(entry) }));
      else reported.delete(entry);
      if (outcome === 'adopted')
        report({ type: 'workload.adopted', ...about(entry), sources: entry.finding?.current.size ?? 0 });
      if (outcome === 'skipped') report({ type: 'workload.skipped', ...about(entry), sources: sourcesOf(entry) });
      if (outcome !== 'rolledOut') return;
      const took = clock.now() - (entry.finding?.state?.target?.since ?? clock.now());
      // The change that caused a restart by an earlier process is unknown.
      const since = restartedFor.get(entry);
      restartedFor.delete(entry);
      const sinceChange = since === undefined ? took : clock.monotonic() - since;
      report({ type: 'workload.rolledOut', ...about(entry), took, sinceChange });
    }),
    reportFailed: reporting((entry, { reason, failure, failures, retryIn }) => {
      report({ type: 'workload.refused', ...about(entry), reason, failure, attempt: failures, retryIn });
    }),
  };
}

/** The part of the context of both machines that the events need. */
interface Context {
  readonly workload: string;
  readonly cause: string;
  readonly reason: string;
  readonly blockedFor: number | undefined;
  readonly outcome: string;
  readonly failures: number;
  readonly failure: string;
  readonly retryIn: number;
  readonly changedSince: number | undefined;
}

/** An operator may recreate a source again and again. Milliseconds. */
const sameAbsence = 600_000;

/** Remembers which sources were missing in the last ten minutes: they have been reported. */
function createAbsences({ monotonic }: RestartEffects['clock']) {
  const lastTimes = new WeakMap<WorkloadEntry, ReadonlyMap<string, number>>();
  return {
    isKnown(entry: WorkloadEntry, reason: string): boolean {
      const now = monotonic();
      const recent = [...(lastTimes.get(entry) ?? [])].filter(([, time]) => now - time < sameAbsence);
      const remaining = new Map(recent);
      lastTimes.set(entry, new Map(remaining).set(reason, now));
      return remaining.has(reason);
    },
  };
}

/** Counts the consecutive revisions that are restarts by weeder, as far as this process has observed them. */
interface Revisions {
  /**
   * Counts one more. Returns the number of retained revisions if this one replaced the last that was not weeder's.
   */
  add(entry: WorkloadEntry): number | undefined;
}

function createRevisions(): Revisions {
  /** Counts since the template last changed, apart from weeder's own annotation. */
  const inRow = new WeakMap<WorkloadEntry, { readonly templateHash: string; readonly count: number }>();
  return {
    add(entry) {
      const { templateHash, revisionHistoryLimit: retained = 0 } = entry.observed.summary;
      const before = inRow.get(entry);
      const count = before?.templateHash === templateHash ? before.count + 1 : 1;
      inRow.set(entry, { templateHash, count });
      // The current revision is not one of those retained for a rollback.
      return retained > 0 && count === retained + 1 ? retained : undefined;
    },
  };
}
