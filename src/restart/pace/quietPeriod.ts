import type { RestartSettings } from '../../config/restart.ts';

/** The changes of a workload's sources. The times are from the monotonic clock, in milliseconds. */
interface SourceChanges {
  /** When the latest possible change was observed. */
  readonly changedAt: number;
  /**
   * The first of the changes that followed each other within the quiet period, or came while the restart for an earlier
   * one was being prepared. Undefined: all changes so far have been handled.
   */
  readonly unquietSince: number | undefined;
}

export interface WithChanges {
  changes: SourceChanges;
}

interface QuietPeriod {
  /** The rest of the quiet period, in milliseconds. */
  readonly quietIn: number;
  /** There was no quiet period for `quietMax`: a newer change no longer delays the restart. */
  readonly isOverdue: boolean;
}

/** A restart waits for `quietPeriod` after the latest change, but for no longer than `quietMax` after the first one. */
export function quietPeriodOf(
  { changedAt, unquietSince = changedAt }: SourceChanges,
  { quietPeriod, quietMax }: Pick<RestartSettings, 'quietPeriod' | 'quietMax'>,
  now: number,
): QuietPeriod {
  const [quietAt, latest] = [changedAt + quietPeriod, unquietSince + quietMax];
  return { quietIn: Math.max(0, Math.min(quietAt, latest) - now), isOverdue: latest < quietAt && latest <= now };
}

/** The machine states on the way to a restart: a change during them delays the restart, but not without limit. */
const busy: ReadonlySet<string> = new Set([
  'assessing',
  'stale',
  'verifying',
  'patching',
  'writingState',
  'backingOff',
]);

/** Records that a source has changed, while the workload was in this state. */
export function markSourceChange(entry: WithChanges, state: string, quietPeriod: number, now: number): void {
  const { changedAt, unquietSince } = entry.changes;
  const wasQuiet = now > changedAt + quietPeriod && !busy.has(state);
  entry.changes = { changedAt: now, unquietSince: wasQuiet ? now : (unquietSince ?? now) };
}

/**
 * Marks the changes known at an assessment as handled, by the `changedAt` when it began; a change during the assessment
 * starts a new quiet period.
 */
export function markChangesHandled(entry: WithChanges, asOf: number): void {
  const { changedAt } = entry.changes;
  entry.changes = { changedAt, unquietSince: changedAt === asOf ? undefined : changedAt };
}
