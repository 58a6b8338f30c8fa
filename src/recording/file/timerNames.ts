import { createHash } from 'node:crypto';
import { roundedTime } from './entry.ts';

/** Names the timers of one controller, in the recorded run and in its replay alike. */
interface TimerNames {
  /** An input came at `t`, in milliseconds since the start of the recording. What is armed from here on, it causes. */
  input(t: number): void;
  /** A timer fires. What is armed from here on, it causes. */
  fired(name: string): void;
  /** Returns the name of a timer that is armed now. */
  next(): string;
}

/**
 * A controller arms the same timers, in the same order, for the same input. So the name of a timer stands for its
 * cause, which is an input or another timer, and for how many that armed before; its time depends on how busy the
 * process was.
 */
export function createTimerNames(): TimerNames {
  let cause = '';
  let count = 0;

  function begin(next: string): void {
    if (next !== cause) [cause, count] = [next, 0];
  }

  return {
    input: (t) => begin(String(roundedTime(t))),
    fired: begin,
    next() {
      count += 1;
      return createHash('sha256').update(`${cause} ${count}`).digest('base64url').slice(0, 12);
    },
  };
}

/** What is recorded where the controller uses it, and does not come from outside. */
const ownValues: ReadonlySet<string> = new Set(['random', 'hash', 'schemaNode']);

/** Whether the controller handles this entry, which may arm timers. */
export function isHandled(entry: { readonly in: string } | { readonly out: string }): boolean {
  return 'in' in entry && entry.in !== 'timer' && !ownValues.has(entry.in);
}
