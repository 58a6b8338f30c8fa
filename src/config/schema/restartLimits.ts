import { formatDuration } from '../../base/duration.ts';
import { objectOf } from '../../base/json.ts';

/** Pairs of durations of which the second must not be the shorter one. */
const pairs = [
  ['quietPeriod', 'quietMax'],
  ['stallAfter', 'progressDeadline'],
] as const;

type Key = (typeof pairs)[number][number];

/** Milliseconds; NaN for what could not be read, undefined for what is not said. */
export type Durations = Readonly<Record<Key, number | undefined>>;

/** A duration that does not go with another one, told at the key that brings it about. */
interface Contradiction {
  readonly key: Key;
  readonly message: string;
}

/** The durations of a mapping. What has been told as an error is no duration, even where it is a number. */
export function durationsOf(mapping: unknown, isFaulty: (key: string) => boolean): Durations {
  const said = objectOf(mapping);
  const read = (key: Key) => {
    const value = said[key];
    if (isFaulty(key)) return Number.NaN;
    return typeof value === 'number' ? value : undefined;
  };
  return {
    quietPeriod: read('quietPeriod'),
    quietMax: read('quietMax'),
    stallAfter: read('stallAfter'),
    progressDeadline: read('progressDeadline'),
  };
}

/** Which durations of a mapping contradict each other; what it does not say itself holds from `above`. */
export function contradictions(here: Durations, above: Durations): readonly Contradiction[] {
  return pairs.flatMap(([shorter, longer]): readonly Contradiction[] => {
    const low = here[shorter] ?? above[shorter];
    const high = here[longer] ?? above[longer];
    if (low === undefined || high === undefined || !(low > high)) return [];
    // What is the same above has been judged there.
    if (high !== above[longer]) return [{ key: longer, message: told(high, 'at least', shorter, low) }];
    return low === above[shorter] ? [] : [{ key: shorter, message: told(low, 'at most', longer, high) }];
  });
}

function told(found: number, how: string, other: string, than: number): string {
  return `found ${formatDuration(found)}, must be ${how} ${other}, which is ${formatDuration(than)}`;
}
