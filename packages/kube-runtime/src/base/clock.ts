/**
 * The source of time. Every XState actor gets the same object (and uses only the two timer functions), so that a replay
 * can run the real code in simulated time.
 */
export interface Clock {
  /** Calls `callback` once, `delay` milliseconds from now. */
  setTimeout(callback: () => void, delay: number): TimerHandle;
  clearTimeout(handle: TimerHandle | undefined): void;
  /** Wall-clock time in milliseconds since the epoch: comparable with times of other machines, but it may jump. */
  now(): number;
  /** Milliseconds since an arbitrary fixed time: it never jumps, and is comparable only with itself. */
  monotonic(): number;
}

export type TimerHandle = NodeJS.Timeout | number;

export const systemClock: Clock = {
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (handle) => clearTimeout(handle),
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** Resolves after `duration` milliseconds. */
export function sleep(clock: Pick<Clock, 'setTimeout'>, duration: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, duration);
  });
}

/** Formats a time with a precision of seconds, like the API server's times. */
export function timeInSeconds(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
