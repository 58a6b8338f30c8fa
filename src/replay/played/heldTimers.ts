import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import type { Input } from '../../recording/file/entry.ts';
import type { RecordedLine } from '../../recording/file/lines.ts';
import { createTimerNames, isHandled } from '../../recording/file/timerNames.ts';

/**
 * A file that begins in the middle has late timers which were armed before it. Its replay arms these with the state at
 * its beginning, and knows them by when they are due, to this many milliseconds.
 */
const tolerance = 20;

/** The clock of one controller in a replay. Timers that were late in the recorded run wait for their line. */
interface HeldTimers {
  readonly clock: Clock;
  /** Called with each input before it is handled. Fires the timer of a line, if it waits for that. */
  apply(input: Input): void;
}

export function createHeldTimers(clock: Clock, lines: readonly RecordedLine[], of: string): HeldTimers {
  const inputs = lines.flatMap((line) => (line.of === of && 'in' in line ? line : []));
  const restoredAt = inputs.findLast((line) => line.in === 'snapshotEnd')?.t ?? Number.NEGATIVE_INFINITY;
  /** When each late timer was due, by its name. */
  const late = new Map(inputs.flatMap((line) => (line.in === 'timer' ? [[line.name, line.due] as const] : [])));
  const names = createTimerNames();
  /** Each fires when its line comes. */
  const held = new Map<string, () => void>();
  const heldAs = new Map<TimerHandle, string>();

  /** The name that the timer has in the recording. */
  function recordedName(name: string, armedAt: number, due: number): string {
    if (late.has(name) || armedAt > restoredAt) return name;
    const distanceTo = (other: number) => Math.abs(other - due);
    const [nearest] = [...late]
      .filter(([each, other]) => !held.has(each) && distanceTo(other) <= tolerance)
      .sort(([, one], [, other]) => distanceTo(one) - distanceTo(other));
    return nearest?.[0] ?? name;
  }

  return {
    clock: {
      setTimeout(callback, delay) {
        const [ownName, armedAt] = [names.next(), clock.monotonic()];
        const handle = clock.setTimeout(() => {
          const name = recordedName(ownName, armedAt, armedAt + delay);
          function fire(): void {
            heldAs.delete(handle);
            names.fired(name);
            callback();
          }
          if (!late.has(name)) return fire();
          held.set(name, fire);
          heldAs.set(handle, name);
        }, delay);
        return handle;
      },
      clearTimeout(handle) {
        if (handle !== undefined) {
          held.delete(heldAs.get(handle) ?? '');
          heldAs.delete(handle);
        }
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
