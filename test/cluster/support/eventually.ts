import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Called by a condition with what it observed, for the sentence of the failure. */
export type Saw = (seen: unknown) => void;

/** Undefined, null, false: not yet. Anything else: the answer. An exception: not yet, for its reason. */
type Condition<T> = (saw: Saw) => T | undefined | null | false | Promise<T | undefined | null | false>;

export interface EventuallyOptions {
  /** What is awaited, as the end of a sentence that begins with "not seen: ". */
  readonly what: string;
  /** Milliseconds; default 180,000: on a busy machine everything takes long, and a condition that comes true ends the wait. */
  readonly within?: number;
  /** Milliseconds between two checks; default 20. */
  readonly every?: number;
}

/** Checks until `condition` returns an answer, and returns that; fails with what was last observed. */
export async function eventually<T>(condition: Condition<T>, options: EventuallyOptions): Promise<T> {
  const { what, within = 180_000, every = 20 } = options;
  const deadline = performance.now() + within;
  const last = lastObserved();
  for (;;) {
    try {
      const answer = await condition(last.saw);
      if (answer !== undefined && answer !== null && answer !== false) return answer;
      last.unless(answer);
    } catch (error) {
      last.saw(error);
    }
    if (performance.now() >= deadline)
      throw new Error(`not seen within ${within} ms: ${what}; last seen: ${last.text()}`);
    await pause(every);
  }
}

export interface RemainsTrueOptions {
  /** What has to remain true, as the end of a sentence that begins with "no longer true". */
  readonly what: string;
  /** Milliseconds of observation. Better end a negative assertion by a positive marker: see `PodObserver.caughtUp`. */
  readonly for: number;
  readonly every?: number;
}

/** Fails as soon as `condition` is false or throws within the time of observation. */
export async function remainsTrue(
  condition: (saw: Saw) => boolean | Promise<boolean>,
  options: RemainsTrueOptions,
): Promise<void> {
  const { what, every = 20 } = options;
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
    /** What a condition returned, if it reported nothing better itself. */
    unless: (value) => {
      if (!reported) seen = value;
      reported = false;
    },
    text: () => (seen instanceof Error ? seen.message : inspect(seen, { depth: 6, breakLength: 120 })),
  };
}
