import type { Clock } from './clock.ts';

/**
 * A clock for tests in virtual time: it moves only when a caller advances it, and runs each due timer at its own time. It
 * suits what happens in this process alone; requests over HTTP take real time.
 */
export interface SimulatedClock extends Clock {
  /** Moves on by `ms`, running the timers that are due, those set on the way included. */
  advance(ms: number): void;
  /** As `advance`, but events of watches are delivered before each timer. */
  pass(ms: number): Promise<void>;
  /** Moves on from timer to timer until `isOver`, or until no timer is left. */
  run(isOver: () => boolean): Promise<void>;
  /** The number of timers that are set. */
  readonly pending: number;
}

/** Resolves when all microtasks and immediates that are due have run, events of watches among them. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** `start` is the wall-clock time in epoch milliseconds. */
export function simulatedClock(start = Date.UTC(2026, 0, 1)): SimulatedClock {
  const timers = new Map<number, { readonly due: number; readonly callback: () => void }>();
  let elapsed = 0;
  let lastId = 0;

  /** Runs the next timer if it is due by `limit`: the one that was set first, if several are due at once. */
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
      do await settled();
      while (step(target));
      elapsed = target;
    },
    async run(isOver) {
      do await settled();
      while (!isOver() && step(Number.POSITIVE_INFINITY));
    },
    get pending() {
      return timers.size;
    },
  };
}
