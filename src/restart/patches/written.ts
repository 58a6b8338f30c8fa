import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import { decodeState, encodeState, type WorkloadState } from '../content/state.ts';
import type { ReportRestart } from '../references/events.ts';
import type { WithFinding } from './finding.ts';
import type { WithObserved } from './observed.ts';
import type { WithActor } from './status.ts';

/** Another client, such as an operator that writes the whole object, keeps removing the state from a workload. */
interface Contest {
  /** The number of consecutive removals. */
  readonly removals: number;
  /** How long weeder waits before it writes the state again; 0: it writes immediately. Milliseconds. */
  readonly pause: number;
}

/** What this process knows of the state on a workload. Times are from the monotonic clock, in milliseconds. */
interface Written {
  /** A state that a dry run has not written, or that stays in memory during a `contest`: it counts as written. */
  readonly inMemory?: string | undefined;
  /**
   * When this process wrote the latest state, and when a version without it was first observed; undefined: it did not
   * write it, or has found it removed since.
   */
  readonly at?: number | undefined;
  readonly removedAt?: number | undefined;
  readonly contest?: Contest;
  /** Ends the pause of the contest. */
  readonly timer?: TimerHandle;
}

export interface WithWritten {
  written: Written;
  /** For a recreated Job: the uid of the old Job, whose state this one uses until it has its own. */
  readonly previousUid: string | undefined;
}

/** Returns the state that is stored on a workload. A state that was copied from another workload does not count. */
export function writtenState(entry: WithWritten & WithObserved): WorkloadState | 'none' | 'unreadable' {
  const { summary } = entry.observed;
  const state = decodeState(entry.written.inMemory ?? summary.stateText);
  if (typeof state !== 'object') return state;
  return state.workloadUid === summary.uid || state.workloadUid === entry.previousUid ? state : 'none';
}

/** This many removals, each within a minute of the previous one, are answered immediately. */
const tolerated = 3;
const shortestPause = 10_000;
const longestPause = 600_000;
const minute = 60_000;

/**
 * Returns the contest after one more removal of a state that stayed for `stayed` milliseconds: no pause at first, then
 * from 10 s, doubling to ten minutes.
 */
function afterRemoval(before: Contest | undefined, stayed: number): Contest {
  // A state that stayed for longer than the latest pause, and at least for a minute, resets the count.
  const isSame = before !== undefined && stayed < Math.max(minute, before.pause);
  const removals = isSame ? before.removals + 1 : 1;
  const doublings = Math.min(removals - tolerated - 1, 16);
  const pause = doublings < 0 ? 0 : Math.min(longestPause, shortestPause * 2 ** doublings);
  return { removals, pause };
}

/** Keeps a state in memory instead of writing it; undefined: none any longer. */
export function keepInMemory(entry: WithWritten, text: string | undefined): void {
  entry.written = { ...entry.written, inMemory: text };
}

/** Records that this process wrote this state; undefined: it removed the state. */
export function recordWrite(clock: Clock, entry: WithWritten & WithObserved, text: string | undefined): void {
  const { inMemory } = entry.written;
  const at = text === undefined ? undefined : clock.monotonic();
  entry.written = { ...entry.written, inMemory: inMemory && (text ?? inMemory), at, removedAt: undefined };
  observeRemoval(clock, entry);
}

/** Records when a version without the state was first observed: during a rollout it is assessed much later. */
export function observeRemoval(clock: Clock, entry: WithWritten & WithObserved): void {
  const { at, removedAt = clock.monotonic() } = entry.written;
  if (at === undefined || typeof decodeState(entry.observed.summary.stateText) === 'object') return;
  entry.written = { ...entry.written, removedAt };
}

/**
 * Detects that another client removed the state that this process wrote. After a few removals the state stays in
 * memory, where it counts as written, and is written again when the pause is over: endless writes of two clients would
 * raise the generation each time, and use up the rate of adoptions. Restarts continue meanwhile.
 */
export function recordRemoval(
  { clock, report }: { readonly clock: Clock; readonly report: ReportRestart },
  entry: WithWritten & WithFinding & WithActor & WithObserved,
): void {
  const { finding } = entry;
  const { summary } = entry.observed;
  const { at, removedAt = clock.monotonic(), inMemory, contest: before } = entry.written;
  const isRemoved = inMemory === undefined && typeof writtenState(entry) !== 'object';
  if (at === undefined || !isRemoved || finding?.state?.workloadUid !== summary.uid) return;
  const contest = afterRemoval(before, removedAt - at);
  const { removals, pause } = contest;
  entry.written = { contest };
  if (pause === 0) return;
  keepInMemory(entry, encodeState(finding.state, finding.key));
  writeLater();
  if ((before?.pause ?? 0) === 0 || removals === tolerated + 1)
    report({ type: 'state.contested', workload: summary.ref, uid: summary.uid, removals, pause });

  function writeLater(): void {
    entry.written = { ...entry.written, timer: clock.setTimeout(endPause, pause) };
  }

  function endPause(): void {
    const state = decodeState(entry.written.inMemory);
    // During a rollout the state is written anyway, at its end.
    if (typeof state === 'object' && state.target !== undefined) {
      writeLater();
      return;
    }
    keepInMemory(entry, undefined);
    entry.actor.send({ type: 'workload.changed' });
  }
}
