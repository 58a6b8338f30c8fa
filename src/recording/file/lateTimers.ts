import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import type { Append, Entry, Moment } from './entry.ts';

/** A recording has its times to the microsecond. Milliseconds. */
const rounding = 0.001;

/** What is recorded where the controller uses it, and does not come from outside. */
const ownValues: ReadonlySet<string> = new Set(['random', 'hash', 'schemaNode']);

/** The timers of one controller whose order among its inputs a recording has to tell. */
interface LateTimers {
  /** An entry was recorded. */
  apply(entry: Entry, at: Moment): void;
  /** Returns a clock whose late timers are recorded. */
  recorded(clock: Clock): Clock;
}

/**
 * Records each timer that fires, or is cleared, after an input which came when it was due already: the process was busy,
 * or the event loop had read the input first. In a replay every other timer fires when it is due.
 */
export function createLateTimers(now: () => Moment, append: Append): LateTimers {
  let inputAt = Number.NEGATIVE_INFINITY;
  const armed = new Map<TimerHandle, number>();

  function end(handle: TimerHandle): void {
    const due = armed.get(handle);
    armed.delete(handle);
    if (due !== undefined && inputAt > due + rounding) append({ in: 'timer', due });
  }

  return {
    apply(entry, { t }) {
      if ('in' in entry && !ownValues.has(entry.in)) inputAt = t;
    },
    recorded: (clock) => ({
      setTimeout(callback, delay) {
        const due = Math.round((now().t + delay) * 1000) / 1000;
        const handle = clock.setTimeout(() => {
          end(handle);
          callback();
        }, delay);
        armed.set(handle, due);
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
