import type { Clock, TimerHandle } from '../../base/clock.ts';

/** What the Events write to: a pino logger, or anything with the same method. */
export interface EventLog {
  warn(fact: object, message: string): void;
}

/** Why an Event was not written. */
export type LossCause =
  /** Too many waited already. */
  | 'queueFull'
  /** Too many different ones about one object. */
  | 'objectLimit'
  /** A permission is missing. */
  | 'forbidden'
  /** The API server did not take it, or could not be reached for long. */
  | 'refused'
  /** Weeder stopped first. */
  | 'stopped';

/** Counts the Events that were lost, and says so without repeating itself. */
export interface EventLosses {
  /** `why`: the words of the refusal, where there are any. */
  lose(cause: LossCause, why?: string): void;
  /** Says now what has not been said yet. */
  tell(): void;
  readonly counts: Readonly<Record<LossCause, number>>;
}

/** Losses come in bursts: a line counts what was lost until it is written. Milliseconds. */
const firstLineAfter = 10_000;
const nextLineAfter = 600_000;

export function createEventLosses(clock: Clock, log: EventLog): EventLosses {
  const counts = { queueFull: 0, objectLimit: 0, forbidden: 0, refused: 0, stopped: 0 };
  let untold: Partial<Record<LossCause, number>> = {};
  let cause: string | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  let timer: TimerHandle | undefined;

  function tell(): void {
    clock.clearTimeout(timer);
    timer = undefined;
    if (Object.keys(untold).length === 0) return;
    log.warn({ lost: untold, ...(cause === undefined ? {} : { cause }) }, 'some Events were not written');
    untold = {};
    cause = undefined;
    toldAt = clock.monotonic();
  }

  return {
    counts,
    tell,
    lose(what, why) {
      counts[what] += 1;
      // A missing permission has a line of its own.
      if (what === 'forbidden') return;
      untold[what] = (untold[what] ?? 0) + 1;
      cause = why ?? cause;
      timer ??= clock.setTimeout(tell, Math.max(firstLineAfter, toldAt + nextLineAfter - clock.monotonic()));
    },
  };
}
