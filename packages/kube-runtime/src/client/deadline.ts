import type { Clock, TimerHandle } from '../base/clock.ts';

interface Deadline {
  /** The event occurred: the time starts again. */
  restart(): void;
  stop(): void;
}

/** If a timer fires this late, the whole process was suspended (SIGSTOP, a suspended machine). */
const stoodStillMs = 1_000;
/** The extra time after that to read what has arrived meanwhile, because timers run before sockets are read. */
const graceMs = 2_000;

/** Calls `onDue` once, when `ms` milliseconds have passed without `restart()`. */
export function startDeadline(clock: Clock, ms: number, onDue: () => void): Deadline {
  let due = clock.monotonic() + ms;
  let timer: TimerHandle | undefined = clock.setTimeout(check, ms);

  function check(): void {
    const left = due - clock.monotonic();
    if (left > 0) {
      timer = clock.setTimeout(check, left);
    } else if (left < -stoodStillMs) {
      due = clock.monotonic() + graceMs;
      timer = clock.setTimeout(check, graceMs);
    } else {
      timer = undefined;
      onDue();
    }
  }

  return {
    restart() {
      due = clock.monotonic() + ms;
    },
    stop() {
      clock.clearTimeout(timer);
      timer = undefined;
    },
  };
}
