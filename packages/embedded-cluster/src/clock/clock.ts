/** The clock of timestamps, of the timeouts of watches, and of the delays of controllers and the kubelet. */
export interface Clock {
  /** Calls `callback` once, `delay` milliseconds from now. */
  setTimeout(callback: () => void, delay: number): TimerHandle;
  clearTimeout(handle: TimerHandle | undefined): void;
  /** Wall-clock milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  monotonic(): number;
}

export type TimerHandle = NodeJS.Timeout | number;

export const systemClock: Clock = {
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (handle) => clearTimeout(handle),
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
