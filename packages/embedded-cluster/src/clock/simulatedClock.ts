import type { Clock } from './clock.ts';

/**
 * A clock for tests in virtual time. It advances only when a caller advances it, and runs each timer at its due time.
 * It is for code in this process; requests over HTTP take real time.
 */
interface SimulatedClock extends Clock {
  /** Advances by `ms`, and runs the timers that are due, including those that are set meanwhile. */
  advance(ms: number): void;
  /** As `advance`, but delivers the events of watches before each timer. */
  pass(ms: number): Promise<void>;
  /** Advances from timer to timer until `isOver` returns true, or until no timer is set. */
  run(isOver: () => boolean): Promise<void>;
  /** The number of timers that are set. */
  readonly pending: number;
}

/** Resolves when all due microtasks and immediates have run, which deliver the events of watches. */
export async function flushTasks(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** `start` is the wall-clock time in epoch milliseconds. */
export function simulatedClock(start = Date.UTC(2026, 0, 1)): SimulatedClock {
  const timers = new Map<number, { readonly due: number; readonly callback: () => void }>();
  let elapsed = 0;
  let lastId = 0;

  /** Runs the next timer if it is due by `limit`. Of several that are due at once, the one that was set first runs. */
  function step(limit: number): boolean {
    let next: number | undefined;
    for (const [id, { due }] of timers) {
      if (due <= limit && (next === undefined || due < (timers.get(next)?.due ?? 0))) next = id;
    }
    const timer = next === undefined ? undefined : timers.get(next);
    if (next === undefined || timer === undefined) return false;
    timers.delete(next);
    elapsed = timer.due;
    timer.callback();
    return true;
  }

  return {
    setTimeout(callback, delay) {
      lastId += 1;
      timers.set(lastId, { due: elapsed + Math.max(0, delay), callback });
      return lastId;
    },
    clearTimeout(handle) {
      if (typeof handle === 'number') timers.delete(handle);
    },
    now: () => start + elapsed,
    monotonic: () => elapsed,
    advance(ms) {
      const target = elapsed + ms;
      while (step(target));
      elapsed = target;
    },
    async pass(ms) {
      const target = elapsed + ms;
      do await flushTasks();
      while (step(target));
      elapsed = target;
    },
    async run(isOver) {
      do await flushTasks();
      while (!isOver() && step(Number.POSITIVE_INFINITY));
    },
    get pending() {
      return timers.size;
    },
  };
}
