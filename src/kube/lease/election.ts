/** How replicas agree on the one that acts. Times are milliseconds. */
export interface Election {
  readonly namespace: string;
  /** The Lease's name. */
  readonly name: string;
  /** Who we are in it: unique among all replicas. */
  readonly identity: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

type ElectionTimes = Pick<Election, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>;

/** The name that the Go original's weeder has for it, so that of the two only one acts while one replaces the other. */
const originalName = 'dwd-weeder-leader-election';

/** A suffix, such as `0-of-3`, makes a Lease of its own, for replicas that share the work otherwise. */
export function leaseName(suffix?: string): string {
  return suffix === undefined ? originalName : `${originalName}-${suffix}`;
}

/** client-go's jitter: a renewal may come so much later than the retry period says. */
const jitterFactor = 1.2;
const longest = 86_400_000;

/** Whether the deadline leaves time for a second try, and ends before anybody else may lead. */
export function areTimesInOrder({ leaseDuration, renewDeadline, retryPeriod }: ElectionTimes): boolean {
  const isInOrder = leaseDuration > renewDeadline && renewDeadline > retryPeriod * jitterFactor;
  return isInOrder && retryPeriod > 0 && leaseDuration <= longest;
}
