import type { Clock } from './clock.ts';

/** Returns a clock that starts at the present and runs `speed` times as fast as the system's, timers included. */
export function scaledClock(speed: number): Clock {
  const startedAt = performance.now();
  const wallClockStart = Date.now();
  const monotonic = () => (performance.now() - startedAt) * speed;
  return {
    setTimeout: (callback, delay) => setTimeout(callback, delay / speed),
    clearTimeout: (handle) => clearTimeout(handle),
    now: () => wallClockStart + monotonic(),
    monotonic,
  };
}
