import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Reports what a condition observed, for the error message. */
export type Saw = (seen: unknown) => void;

/** Returns the result, or undefined, null or false if it is not met yet. An exception also means that it is not met. */
type Condition<T> = (saw: Saw) => T | undefined | null | false | Promise<T | undefined | null | false>;

export interface EventuallyOptions {
  /** What is awaited, as the end of a message that begins with "not seen: ". */
  readonly what: string;
  /** The time limit in milliseconds. Default: 180,000, which is enough for a busy machine. */
  readonly within?: number;
  /** The time between two checks in milliseconds. Default: a tenth of the time that has passed, from 20 to 200. */
  readonly every?: number;
}

/** Repeats `condition` until it returns a result, and returns that. Throws with what was last observed. */
export async function eventually<T>(condition: Condition<T>, options: EventuallyOptions): Promise<T> {
  const { what, within = 180_000, every } = options;
  const started = performance.now();
  const last = lastObserved();
  for (;;) {
    try {
      const answer = await condition(last.saw);
      if (answer !== undefined && answer !== null && answer !== false) return answer;
      last.unless(answer);
    } catch (error) {
      last.saw(error);
    }
    const passed = performance.now() - started;
    if (passed >= within) throw new Error(`not seen within ${within} ms: ${what}; last seen: ${last.text()}`);
    await pause(every ?? Math.min(Math.max(passed / 10, 20), 200));
  }
}

export interface RemainsTrueOptions {
  /** What has to remain true, as the end of a message that begins with "no longer true". */
  readonly what: string;
  /** The time of observation in milliseconds. Prefer a positive marker if possible: see `PodObserver.caughtUp`. */
  readonly for: number;
  readonly every?: number;
}

/** Throws if `condition` is false or throws within the time of observation. */
export async function remainsTrue(
  condition: (saw: Saw) => boolean | Promise<boolean>,
  options: RemainsTrueOptions,
): Promise<void> {
  const { what, every = 100 } = options;
  const started = performance.now();
  const last = lastObserved();
  do {
    const holds = await condition(last.saw);
    if (!holds) {
      const after = Math.round(performance.now() - started);
      throw new Error(`no longer true after ${after} ms: ${what}; last seen: ${last.text()}`);
    }
    await pause(every);
  } while (performance.now() - started < options.for);
}

function lastObserved(): { saw: Saw; unless: Saw; text(): string } {
  let seen: unknown = 'nothing';
  let reported = false;
  return {
    saw: (value) => {
      seen = value;
      reported = true;
    },
    /** Records what a condition returned, unless the condition has reported something itself. */
    unless: (value) => {
      if (!reported) seen = value;
      reported = false;
    },
    text: () => (seen instanceof Error ? seen.message : inspect(seen, { depth: 6, breakLength: 120 })),
  };
}
