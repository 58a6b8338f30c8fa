import type { Clock } from './clock.ts';

/** Real milliseconds. */
const heartbeatInterval = 5;
const maxStep = 15;

/**
 * Returns a clock that starts at the present and runs `speed` times as fast as the system clock, timers included. While
 * a timer is pending, a time in which the process is blocked counts as 15 real milliseconds at most. Otherwise seconds
 * of simulated time would pass in which no controller could act.
 */
export function scaledClock(speed: number): Clock {
  const timers = new Map<number, NodeJS.Timeout>();
  const wallClockStart = Date.now();
  let [elapsed, last, nextHandle] = [0, performance.now(), 1];
  let heartbeat: NodeJS.Timeout | undefined;

  function monotonic(): number {
    const real = performance.now();
    elapsed += (heartbeat === undefined ? real - last : Math.min(real - last, maxStep)) * speed;
    last = real;
    return elapsed;
  }

  function arm(handle: number, due: number, callback: () => void): void {
    const wait = Math.max(0, due - monotonic()) / speed;
    const timer = setTimeout(() => {
      // Timers have a resolution of one real millisecond.
      if (due - monotonic() > speed) return arm(handle, due, callback);
      remove(handle);
      callback();
    }, wait);
    timers.set(handle, timer);
  }

  function remove(handle: number): void {
    timers.delete(handle);
    if (timers.size > 0) return;
    monotonic();
    clearInterval(heartbeat);
    heartbeat = undefined;
  }

  return {
    setTimeout(callback, delay) {
      const handle = nextHandle;
      nextHandle += 1;
      const due = monotonic() + delay;
      heartbeat ??= setInterval(monotonic, heartbeatInterval).unref();
      arm(handle, due, callback);
      return handle;
    },
    clearTimeout(handle) {
      if (typeof handle !== 'number') return;
      clearTimeout(timers.get(handle));
      remove(handle);
    },
    now: () => wallClockStart + monotonic(),
    monotonic,
  };
}
