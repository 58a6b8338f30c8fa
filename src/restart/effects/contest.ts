import { decodeState, encodeState } from '../state/state.ts';
import type { RestartEffects } from './restartEffects.ts';
import { type Contest, type WorkloadEntry, writtenState } from './workloadEntry.ts';

/** This many removals, each within a minute of the previous one, are answered immediately. */
const tolerated = 3;
const shortestPause = 10_000;
const longestPause = 600_000;
const minute = 60_000;

/**
 * Returns the contest after one more removal of a state that stayed for `stayed` milliseconds: no pause at first, then
 * from 10 s, doubling to ten minutes.
 */
function afterRemoval(before: Contest | undefined, stayed: number): Pick<Contest, 'removals' | 'pause'> {
  // A state that stayed for longer than the latest pause, and at least for a minute, resets the count.
  const isSame = before !== undefined && stayed < Math.max(minute, before.pause);
  const removals = isSame ? before.removals + 1 : 1;
  const doublings = Math.min(removals - tolerated - 1, 16);
  const pause = doublings < 0 ? 0 : Math.min(longestPause, shortestPause * 2 ** doublings);
  return { removals, pause };
}

/** Records that this process wrote this state; undefined: it removed the state. */
export function recordWrite(
  effects: Pick<RestartEffects, 'clock'>,
  entry: WorkloadEntry,
  text: string | undefined,
): void {
  entry.writtenAt = text === undefined ? undefined : effects.clock.monotonic();
  entry.removedAt = undefined;
  observeRemoval(effects, entry);
}

/** Records when a version without the state was first observed: during a rollout it is assessed much later. */
export function observeRemoval({ clock }: Pick<RestartEffects, 'clock'>, entry: WorkloadEntry): void {
  if (entry.writtenAt === undefined || typeof decodeState(entry.summary.stateText) === 'object') return;
  entry.removedAt ??= clock.monotonic();
}

/**
 * Detects that another client removed the state that this process wrote. After a few removals the state stays in
 * memory, where it counts as written, and is written again when the pause is over: endless writes of two clients would
 * raise the generation each time, and use up the rate of adoptions. Restarts continue meanwhile.
 */
export function noteRemoval({ clock, report }: Pick<RestartEffects, 'clock' | 'report'>, entry: WorkloadEntry): void {
  const { summary, finding } = entry;
  const { writtenAt, removedAt = clock.monotonic() } = entry;
  const isRemoved = entry.unwrittenState === undefined && typeof writtenState(entry) !== 'object';
  if (writtenAt === undefined || !isRemoved || finding?.state?.workloadUid !== summary.uid) return;
  const wasPausing = (entry.contest?.pause ?? 0) > 0;
  const contest = afterRemoval(entry.contest, removedAt - writtenAt);
  entry.writtenAt = undefined;
  entry.removedAt = undefined;
  entry.contest = { ...contest, timer: undefined };
  if (contest.pause === 0) return;
  entry.unwrittenState = encodeState(finding.state, finding.key);
  writeLater();
  if (!wasPausing || contest.removals === tolerated + 1) {
    const { removals, pause } = contest;
    report({ type: 'state.contested', workload: summary.ref, uid: summary.uid, removals, pause });
  }

  function writeLater(): void {
    entry.contest = { ...contest, timer: clock.setTimeout(endPause, contest.pause) };
  }

  function endPause(): void {
    const inMemory = decodeState(entry.unwrittenState);
    // During a rollout the state is written anyway, at its end.
    if (typeof inMemory === 'object' && inMemory.target !== undefined) {
      writeLater();
      return;
    }
    entry.unwrittenState = undefined;
    entry.actor.send({ type: 'workload.changed' });
  }
}
