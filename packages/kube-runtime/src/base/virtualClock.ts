import type { Clock } from './clock.ts';

/**
 * A clock that advances only when a caller advances it. It runs each due timer in order, including timers that are armed on
 * the way.
 */
export interface VirtualClock extends Clock {
  /** Advances by `ms`, running each timer at its own time. */
  advance(ms: number): void;
  /** Changes only the wall clock, as if it had been set: timers and `monotonic()` are unaffected. */
  jumpWallClock(ms: number): void;
  /** Time passes and nothing runs, as in a suspended process: the timers are late, and run with `advance`. */
  suspend(ms: number): void;
  /** Like `advance`, but promises settle after each step. */
  pass(ms: number): Promise<void>;
  /** When the next timer is due, by `monotonic()`; undefined if none is armed. */
  readonly nextDue: number | undefined;
  /** How many timers are armed. */
  readonly pending: number;
}

/** Resolves when everything that is ready to run has run. */
export function settled(): Promise<void> {
  // One promise for all turns: node's test runner tracks each promise, which costs more than the promise.
  return new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))));
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

const longestDelay = 2 ** 31 - 1;

/** `start` is the wall-clock time in milliseconds since the epoch. */
export function virtualClock(start = Date.UTC(2026, 0, 1)): VirtualClock {
  const timers = new Map<number, Timer>();
  let elapsed = 0;
  let wallOffset = start;
  let lastId = 0;

  /** The earliest timer due by `limit`; of several with the same time, the one that was armed first. */
  function nextDue(limit: number): readonly [number, Timer] | undefined {
    let next: readonly [number, Timer] | undefined;
    for (const entry of timers) {
      if (entry[1].due <= limit && (next === undefined || entry[1].due < next[1].due)) next = entry;
    }
    return next;
  }

  /** Runs the next timer that is due by `target`; false if there is none. */
  function step(target: number): boolean {
    const next = nextDue(target);
    if (next === undefined) return false;
    timers.delete(next[0]);
    elapsed = Math.max(elapsed, next[1].due);
    next[1].callback();
    return true;
  }

  return {
    setTimeout(callback, delay) {
      if (!(delay >= 0 && delay <= longestDelay)) throw new RangeError(`a timer cannot wait ${delay} ms`);
      lastId += 1;
      timers.set(lastId, { due: elapsed + delay, callback });
      return lastId;
    },
    clearTimeout(handle) {
      if (typeof handle === 'number') timers.delete(handle);
    },
    now: () => wallOffset + elapsed,
    monotonic: () => elapsed,
    advance(ms) {
      const target = elapsed + ms;
      while (step(target));
      elapsed = Math.max(elapsed, target);
    },
    async pass(ms) {
      const target = elapsed + ms;
      do await settled();
      while (step(target));
      elapsed = Math.max(elapsed, target);
    },
    suspend(ms) {
      elapsed += ms;
    },
    jumpWallClock(ms) {
      wallOffset += ms;
    },
    get nextDue() {
      return nextDue(Number.POSITIVE_INFINITY)?.[1].due;
    },
    get pending() {
      return timers.size;
    },
  };
}
