import type { Clock } from './clock.ts';

/** A clock that moves only when told to, and steps to each due timer in order, those armed on the way included. */
export interface VirtualClock extends Clock {
  /** Moves on by `ms`, running each timer at its own time. */
  advance(ms: number): void;
  /** Moves the wall clock only, as when somebody sets it: timers and `monotonic()` do not notice. */
  jumpWallClock(ms: number): void;
  /** Time passes and nothing runs, as while a process is stopped: the timers are late then, and run with `advance`. */
  suspend(ms: number): void;
  /** The same, letting promises settle after each step. */
  pass(ms: number): Promise<void>;
  /** When the next timer is due, by `monotonic()`; undefined when none is armed. */
  readonly nextDue: number | undefined;
  /** How many timers are armed. */
  readonly pending: number;
}

/** Lets everything run that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
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

  /** The earliest timer due by `limit`; the one armed first where several are due together. */
  function nextDue(limit: number): readonly [number, Timer] | undefined {
    let next: readonly [number, Timer] | undefined;
    for (const entry of timers) {
      if (entry[1].due <= limit && (next === undefined || entry[1].due < next[1].due)) next = entry;
    }
    return next;
  }

  /** Runs the next timer that is due by `target`; false when there is none. */
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
      elapsed = target;
    },
    async pass(ms) {
      const target = elapsed + ms;
      do await settled();
      while (step(target));
      elapsed = target;
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
