import type { Clock } from './clock.ts';

/** Real milliseconds. */
const heartbeat = 5;
const longestStep = 15;

/**
 * Returns a clock that starts at the present and runs `speed` times as fast as the system's, timers included. While a timer
 * is pending, a time in which the process could not run (a busy machine, a long computation) counts as 15 ms at most:
 * otherwise seconds of simulated time would pass in which no part of the cluster could act.
 */
export function scaledClock(speed: number): Clock {
  const timers = new Map<number, NodeJS.Timeout>();
  const wallClockStart = Date.now();
  let [elapsed, last, nextHandle] = [0, performance.now(), 1];
  let beat: NodeJS.Timeout | undefined;

  function monotonic(): number {
    const real = performance.now();
    elapsed += (beat === undefined ? real - last : Math.min(real - last, longestStep)) * speed;
    last = real;
    return elapsed;
  }

  function arm(handle: number, due: number, callback: () => void): void {
    const wait = Math.max(0, due - monotonic()) / speed;
    const timer = setTimeout(() => {
      // A millisecond is as exact as timers are.
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
    clearInterval(beat);
    beat = undefined;
  }

  return {
    setTimeout(callback, delay) {
      const handle = nextHandle;
      nextHandle += 1;
      const due = monotonic() + delay;
      beat ??= setInterval(monotonic, heartbeat).unref();
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
