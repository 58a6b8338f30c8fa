import type { Clock } from './clock.ts';

/** Real milliseconds. */
const heartbeatInterval = 5;
const maxStep = 15;

interface Timer {
  readonly handle: number;
  readonly due: number;
  readonly callback: () => void;
}

/**
 * Returns a clock that starts at the present and runs `speed` times as fast as the system clock, timers included. While
 * a timer is pending, a time in which the process is blocked counts as 15 real milliseconds at most. Otherwise seconds
 * of simulated time would pass in which no controller could act. Timers run in the order of their due times, even if
 * several are late.
 */
export function scaledClock(speed: number): Clock {
  /** In the order of their due times; of equal ones, the one that was set first. */
  const timers: Timer[] = [];
  const wallClockStart = Date.now();
  let [elapsed, last, nextHandle] = [0, performance.now(), 1];
  let heartbeat: NodeJS.Timeout | undefined;
  let disarm = () => {};

  function monotonic(): number {
    const real = performance.now();
    elapsed += (heartbeat === undefined ? real - last : Math.min(real - last, maxStep)) * speed;
    last = real;
    return elapsed;
  }

  /** Waits for the first timer only: Node runs late timers with different delays in any order. */
  function arm(): void {
    disarm();
    const [first] = timers;
    if (first === undefined) return;
    const delay = (first.due - monotonic()) / speed;
    // Timers have a resolution of one real millisecond. One that is due runs after the input that has arrived.
    if (delay < 1) {
      const immediate = setImmediate(run);
      disarm = () => clearImmediate(immediate);
    } else {
      const timeout = setTimeout(arm, delay);
      disarm = () => clearTimeout(timeout);
    }
  }

  function run(): void {
    const first = timers.shift();
    stopIfIdle();
    arm();
    first?.callback();
  }

  function stopIfIdle(): void {
    if (timers.length > 0) return;
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
      const before = timers.findLastIndex((timer) => timer.due <= due);
      timers.splice(before + 1, 0, { handle, due, callback });
      if (before === -1) arm();
      return handle;
    },
    clearTimeout(handle) {
      const index = timers.findIndex((timer) => timer.handle === handle);
      if (index === -1) return;
      timers.splice(index, 1);
      stopIfIdle();
      if (index === 0) arm();
    },
    now: () => wallClockStart + monotonic(),
    monotonic,
  };
}
