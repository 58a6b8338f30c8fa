/** The time of the cluster: timestamps, time-outs of watches, delays of controllers and of the kubelet. */
export interface Clock {
  /** Calls `callback` once, `delay` milliseconds from now. */
  setTimeout(callback: () => void, delay: number): TimerHandle;
  clearTimeout(handle: TimerHandle | undefined): void;
  /** Wall-clock milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since an arbitrary moment, from a clock that never goes back. */
  monotonic(): number;
}

export type TimerHandle = NodeJS.Timeout | number;

export const systemClock: Clock = {
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (handle) => clearTimeout(handle),
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
