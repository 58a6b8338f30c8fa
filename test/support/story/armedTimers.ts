import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';

/** A clock that knows which of its timers are armed. */
interface CountedClock extends Clock {
  /** The delays of the armed timers, in milliseconds. */
  armed(): readonly number[];
}

/** Shows whether something that has ended leaves timers behind, which would keep its process alive. */
export function countedTimers(clock: Clock): CountedClock {
  const timers = new Map<TimerHandle | undefined, number>();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimeout(callback, delay) {
      const handle = clock.setTimeout(() => {
        timers.delete(handle);
        callback();
      }, delay);
      timers.set(handle, delay);
      return handle;
    },
    clearTimeout(handle) {
      timers.delete(handle);
      clock.clearTimeout(handle);
    },
    armed: () => [...timers.values()],
  };
}
