/** The parameters of leader election. Times are milliseconds. */
export interface Election {
  readonly namespace: string;
  readonly name: string;
  /** The identity in the Lease, unique among all replicas. */
  readonly identity: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

type ElectionTimes = Pick<Election, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>;

/** The Lease of the weeder in the Go original, so that only one of the two acts during a migration. */
const originalName = 'dwd-weeder-leader-election';

/** A suffix such as `0-of-3` gives replicas of one shard a Lease of their own. */
export function leaseName(suffix?: string): string {
  return suffix === undefined ? originalName : `${originalName}-${suffix}`;
}

/** client-go's jitter: a renewal may be later than the retry period by up to this factor. */
const jitterFactor = 1.2;
const longest = 86_400_000;

/** Whether the deadline allows a second attempt, and ends before another replica may take over. */
export function areTimesInOrder({ leaseDuration, renewDeadline, retryPeriod }: ElectionTimes): boolean {
  const isInOrder = leaseDuration > renewDeadline && renewDeadline > retryPeriod * jitterFactor;
  return isInOrder && retryPeriod > 0 && leaseDuration <= longest;
}
