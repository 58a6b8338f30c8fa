import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import type { RecordedLine } from '../../recording/file/lines.ts';

/**
 * In the recorded run a timer was armed some time after the input that caused it, and its delay counted from then.
 * Milliseconds.
 */
const tolerance = 20;

/** The clock of one controller in a replay. Timers that were late in the recorded run wait for their line. */
interface HeldTimers {
  readonly clock: Clock;
  /** Fires the late timer of this line, if the replay has armed it. */
  fire(due: number): void;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** A late timer of the recorded run, and the timer of the replay that waits for its line. */
interface LateTimer {
  readonly due: number;
  handle: TimerHandle | undefined;
}

export function createHeldTimers(clock: Clock, lines: readonly RecordedLine[], of: string): HeldTimers {
  const late = lines
    .flatMap((line): LateTimer[] =>
      line.of === of && 'in' in line && line.in === 'timer' ? [{ due: line.due, handle: undefined }] : [],
    )
    .sort((one, other) => one.due - other.due);
  const armed = new Map<TimerHandle, Timer>();

  /** Of several timers that are due at almost the same time, the one closest to the line was late. */
  function lateTimer({ due }: Timer): LateTimer | undefined {
    const distanceTo = (line: LateTimer) => Math.abs(line.due - due);
    const last = late.findIndex((line) => line.due > due + tolerance);
    const near = late.slice(0, last < 0 ? late.length : last).filter((line) => line.handle === undefined);
    const [line] = near.filter((each) => distanceTo(each) <= tolerance).sort((a, b) => distanceTo(a) - distanceTo(b));
    if (line === undefined) return undefined;
    const isClosest = [...armed.values()].every((other) => Math.abs(line.due - other.due) >= distanceTo(line));
    return isClosest ? line : undefined;
  }

  function run(handle: TimerHandle | undefined): void {
    if (handle === undefined) return;
    const timer = armed.get(handle);
    armed.delete(handle);
    timer?.callback();
  }

  return {
    clock: {
      setTimeout(callback, delay) {
        const timer = { due: clock.monotonic() + delay, callback };
        const handle = clock.setTimeout(() => {
          const line = lateTimer(timer);
          if (line === undefined) run(handle);
          else line.handle = handle;
        }, delay);
        armed.set(handle, timer);
        return handle;
      },
      clearTimeout(handle) {
        if (handle !== undefined) armed.delete(handle);
        clock.clearTimeout(handle);
      },
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
    },
    fire(due) {
      const same = late.filter((line) => line.due === due);
      // A cleared timer has a line of its own, which comes first.
      const isCleared = ({ handle }: LateTimer) => handle !== undefined && !armed.has(handle);
      const line = same.find(isCleared) ?? same.find(({ handle }) => handle !== undefined) ?? same[0];
      if (line !== undefined) late.splice(late.indexOf(line), 1);
      run(line?.handle);
    },
  };
}
