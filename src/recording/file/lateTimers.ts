import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import { type Append, type Entry, type Moment, roundedTime } from './entry.ts';
import { createTimerNames, isHandled } from './timerNames.ts';

/** The timers of one controller whose order among its inputs a recording has to tell. */
interface LateTimers {
  /** An entry was recorded. */
  apply(entry: Entry, at: Moment): void;
  /** Returns a clock whose late timers are recorded. */
  recorded(clock: Clock): Clock;
}

/** Times in milliseconds since the start of the recording. */
interface Timer {
  readonly name: string;
  readonly armedAt: number;
  readonly due: number;
}

/**
 * Records each timer that fires, or is cleared, after an input before which it fires in a replay: there every timer that
 * has no line fires when it is due. In the recorded run the process may have been busy, or the event loop have read the
 * input first; and a replay takes no time between an input and the timers that it causes, so that they are due earlier.
 */
export function createLateTimers(append: Append): LateTimers {
  /** When a replay handles what is being handled now. */
  let handledAt = 0;
  let latestLineAt = 0;
  const names = createTimerNames();
  const timers = new Map<TimerHandle, Timer>();

  function end(handle: TimerHandle): Timer | undefined {
    const timer = timers.get(handle);
    timers.delete(handle);
    if (timer !== undefined && isLate(timer)) append({ in: 'timer', name: timer.name, due: roundedTime(timer.due) });
    return timer;
  }

  function isLate({ armedAt, due }: Timer): boolean {
    return latestLineAt > armedAt && latestLineAt >= due;
  }

  function fire(handle: TimerHandle): void {
    const timer = end(handle);
    if (timer === undefined) return;
    names.fired(timer.name);
    handledAt = Math.max(timer.due, latestLineAt);
  }

  return {
    apply(entry, { t }) {
      if (isHandled(entry)) {
        handledAt = t;
        names.input(t);
      }
      if (isHandled(entry) || ('in' in entry && entry.in === 'timer')) latestLineAt = t;
    },
    recorded: (clock) => ({
      setTimeout(callback, delay) {
        const handle = clock.setTimeout(() => {
          fire(handle);
          callback();
        }, delay);
        timers.set(handle, { name: names.next(), armedAt: handledAt, due: handledAt + delay });
        return handle;
      },
      clearTimeout(handle) {
        if (handle !== undefined) end(handle);
        clock.clearTimeout(handle);
      },
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
    }),
  };
}
