/**
 * Time as the product sees it. The same object is handed to every XState actor (which uses only the two timer
 * functions), so that a replay can run the real wiring in simulated time.
 */
export interface Clock {
  /** Calls `callback` once, `delay` milliseconds from now. */
  setTimeout(callback: () => void, delay: number): TimerHandle;
  clearTimeout(handle: TimerHandle | undefined): void;
  /** Wall-clock milliseconds since the epoch: comparable with times written by other machines, may jump. */
  now(): number;
  /** Milliseconds since some fixed moment: never jumps, comparable only with itself. */
  monotonic(): number;
}

export type TimerHandle = NodeJS.Timeout | number;

export const systemClock: Clock = {
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (handle) => clearTimeout(handle),
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** Resolves in so many milliseconds. */
export function sleep(clock: Pick<Clock, 'setTimeout'>, duration: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, duration);
  });
}
