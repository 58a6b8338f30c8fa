import type { Clock } from '../../base/clock.ts';

/** A moment by both clocks. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * Whether we may act, asked at the very moment. No timer is needed for the answer: it is right in a process that was
 * stopped for an hour and has run nothing since.
 */
export interface LeadershipTerm {
  /** The Lease was written: we may act for the renew deadline, counted from before the request was sent. */
  extend(askedAt: Moment): void;
  /** We may not act any more. */
  drop(): void;
  isValid(): boolean;
}

export function createLeadershipTerm(clock: Clock, renewDeadline: number): LeadershipTerm {
  let askedAt: Moment | undefined;
  return {
    extend(moment) {
      askedAt = moment;
    },
    drop() {
      askedAt = undefined;
    },
    isValid: () => askedAt !== undefined && elapsedSince(askedAt, clock) < renewDeadline,
  };
}

export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** By whichever clock says more: one stands still while the machine sleeps, the other may be set back. */
export function elapsedSince({ monotonic, wall }: Moment, clock: Clock): number {
  return Math.max(clock.monotonic() - monotonic, clock.now() - wall);
}
