import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import type { Input } from '../../recording/file/entry.ts';
import type { RecordedLine } from '../../recording/file/lines.ts';
import { createTimerNames, isHandled } from '../../recording/file/timerNames.ts';

/** The clock of one controller in a replay. Timers that were late in the recorded run wait for their line. */
interface HeldTimers {
  readonly clock: Clock;
  /** Called with each input before it is handled. Fires the timer of a line, if it waits for that. */
  apply(input: Input): void;
}

export function createHeldTimers(clock: Clock, lines: readonly RecordedLine[], of: string): HeldTimers {
  const late = new Set(
    lines.flatMap((line) => (line.of === of && 'in' in line && line.in === 'timer' ? line.name : [])),
  );
  const names = createTimerNames();
  /** Each fires when its line comes. */
  const held = new Map<string, () => void>();
  const nameOf = new Map<TimerHandle, string>();

  return {
    clock: {
      setTimeout(callback, delay) {
        const name = names.next();
        function fire(): void {
          nameOf.delete(handle);
          names.fired(name);
          callback();
        }
        const handle = clock.setTimeout(() => {
          if (late.has(name)) held.set(name, fire);
          else fire();
        }, delay);
        nameOf.set(handle, name);
        return handle;
      },
      clearTimeout(handle) {
        if (handle !== undefined) held.delete(nameOf.get(handle) ?? '');
        if (handle !== undefined) nameOf.delete(handle);
        clock.clearTimeout(handle);
      },
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
    },
    apply(input) {
      if (isHandled(input)) names.input(clock.monotonic());
      if (input.in !== 'timer') return;
      late.delete(input.name);
      const fire = held.get(input.name);
      held.delete(input.name);
      fire?.();
    },
  };
}
