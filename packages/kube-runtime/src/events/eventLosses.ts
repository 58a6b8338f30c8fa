import type { Clock, TimerHandle } from '../base/clock.ts';

/** A pino logger, or anything with the same method. */
export interface EventLog {
  warn(event: object, message: string): void;
}

/** Why an Event was not written. */
export type LossCause =
  /** Too many Events were waiting. */
  | 'queueFull'
  /** Too many different Events about one object. */
  | 'objectLimit'
  /** Too many different Events about the objects of one namespace. */
  | 'namespaceLimit'
  /** No object can have the name, uid or kind of its object. */
  | 'impossibleObject'
  /** A permission is missing. */
  | 'forbidden'
  /** The API server rejected the Event, or was unreachable for long. */
  | 'refused'
  /** weeder stopped before the Event was written. */
  | 'stopped';

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
  const counts = {
    queueFull: 0,
    objectLimit: 0,
    namespaceLimit: 0,
    impossibleObject: 0,
    forbidden: 0,
    refused: 0,
    stopped: 0,
  };
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
