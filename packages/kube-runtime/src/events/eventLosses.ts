import type { Clock, TimerHandle } from '../base/clock.ts';

/** A pino logger, or anything with the same method. */
export interface EventLog {
  warn(event: object, message: string): void;
}

/** No lost Event, by why it was not written. */
export const noLosses = {
  /** Too many Events were waiting. */
  queueFull: 0,
  /** Too many different Events about one object. */
  objectLimit: 0,
  /** Too many different Events about the objects of one namespace. */
  namespaceLimit: 0,
  /** No object can have the name, uid or kind of its object. */
  impossibleObject: 0,
  /** A permission is missing. */
  forbidden: 0,
  /** The API server rejected the Event, or was unreachable for long. */
  refused: 0,
  /** weeder stopped before the Event was written. */
  stopped: 0,
};
export type LossCause = keyof typeof noLosses;

/** Counts the lost Events, and logs them without repetition. */
export interface EventLosses {
  /** `why`: the message of the refusal, if there is one. */
  lose(cause: LossCause, why?: string): void;
  /** Logs now what has not been logged yet. */
  report(): void;
  readonly counts: Readonly<Record<LossCause, number>>;
}

/** Losses come in bursts: a line counts all that were lost until it is written. Milliseconds. */
const firstLineAfter = 10_000;
const nextLineAfter = 600_000;

export function createEventLosses(clock: Clock, log: EventLog): EventLosses {
  const counts = { ...noLosses };
  let unreported: Partial<Record<LossCause, number>> = {};
  let cause: string | undefined;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let timer: TimerHandle | undefined;

  function report(): void {
    clock.clearTimeout(timer);
    timer = undefined;
    if (Object.keys(unreported).length === 0) return;
    log.warn({ lost: unreported, ...(cause === undefined ? {} : { cause }) }, 'some Events were not written');
    unreported = {};
    cause = undefined;
    reportedAt = clock.monotonic();
  }

  return {
    counts,
    report,
    lose(what, why) {
      counts[what] += 1;
      // A missing permission is logged separately.
      if (what === 'forbidden') return;
      unreported[what] = (unreported[what] ?? 0) + 1;
      cause = why ?? cause;
      timer ??= clock.setTimeout(report, Math.max(firstLineAfter, reportedAt + nextLineAfter - clock.monotonic()));
    },
  };
}
