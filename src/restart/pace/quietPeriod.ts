import type { RestartSettings } from '../../config/restart.ts';

/** The changes of a workload's sources. The times are from the monotonic clock, in milliseconds. */
interface SourceChanges {
  readonly changedAt: number;
  /** The first of the changes that followed each other without a quiet period between them; default: `changedAt`. */
  readonly unquietSince: number | undefined;
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
