import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../../src/base/clock.ts';

/** A clock that does not wait: it skips from one timer to the next, for what happens within this process only. */
interface SkippingClock extends Clock {
  /** Goes on until `isOver`, or until no timer is left. */
  run(isOver: () => boolean): Promise<void>;
}

/** `start` is the wall-clock time in epoch milliseconds. */
export function skippingClock(start: number): SkippingClock {
  const timers = new Map<number, { readonly due: number; readonly callback: () => void }>();
  let elapsed = 0;
  let lastId = 0;

  function next(): number | undefined {
    let earliest: { readonly id: number; readonly due: number } | undefined;
    for (const [id, { due }] of timers) if (earliest === undefined || due < earliest.due) earliest = { id, due };
    return earliest?.id;
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
    async run(isOver) {
      // Watches hand on their events in microtasks: they have their turn before time goes on.
      for (await turn(); !isOver(); await turn()) {
        const id = next();
        const timer = id === undefined ? undefined : timers.get(id);
        if (id === undefined || timer === undefined) return;
        timers.delete(id);
        elapsed = timer.due;
        timer.callback();
      }
    },
  };
}
