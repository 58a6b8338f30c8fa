import type { Clock } from '../base/clock.ts';

/** One point in time on both clocks. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * Whether this replica may act, computed from the clocks at each call. No timer is needed, so the result is correct
 * even in a process that was suspended for an hour and has run nothing since.
 */
export interface LeadershipTerm {
  /** The Lease was renewed: this replica may act for the renew deadline, counted from before the request was sent. */
  extend(requestedAt: Moment): void;
  /** This replica may no longer act. */
  drop(): void;
  isValid(): boolean;
}

export function createLeadershipTerm(clock: Clock, renewDeadline: number): LeadershipTerm {
  let requestedAt: Moment | undefined;
  return {
    extend(moment) {
      requestedAt = moment;
    },
    drop() {
      requestedAt = undefined;
    },
    isValid: () => requestedAt !== undefined && elapsedSince(requestedAt, clock) < renewDeadline,
  };
}

export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** The larger of both clocks' differences: one clock stops while the machine sleeps, the other may be set back. */
export function elapsedSince({ monotonic, wall }: Moment, clock: Clock): number {
  return Math.max(clock.monotonic() - monotonic, clock.now() - wall);
}
