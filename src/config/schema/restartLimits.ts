import { formatDuration, objectOf } from '@weeder/kube-runtime/base';

/** Pairs of durations of which the second must not be shorter than the first. */
const pairs = [
  ['quietPeriod', 'quietMax'],
  ['stallAfter', 'progressDeadline'],
] as const;

type Key = (typeof pairs)[number][number];

/** Milliseconds; NaN for an invalid value, undefined for a missing one. */
export type Durations = Readonly<Record<Key, number | undefined>>;

/** A duration that contradicts another one, reported at the key that causes it. */
interface Contradiction {
  readonly key: Key;
  readonly message: string;
}

/** The durations of a mapping. A value with a reported error is not a duration, even if it is a number. */
export function durationsOf(mapping: unknown, isInvalid: (key: string) => boolean): Durations {
  const values = objectOf(mapping);
  const read = (key: Key) => {
    const value = values[key];
    if (isInvalid(key)) return Number.NaN;
    return typeof value === 'number' ? value : undefined;
  };
  return {
    quietPeriod: read('quietPeriod'),
    quietMax: read('quietMax'),
    stallAfter: read('stallAfter'),
    progressDeadline: read('progressDeadline'),
  };
}

/** Which durations of a mapping contradict each other; missing ones are inherited from `above`. */
export function contradictions(here: Durations, above: Durations): readonly Contradiction[] {
  return pairs.flatMap(([shorter, longer]): readonly Contradiction[] => {
    const low = here[shorter] ?? above[shorter];
    const high = here[longer] ?? above[longer];
    if (low === undefined || high === undefined || !(low > high)) return [];
    // A contradiction between inherited values is reported where they are defined.
    if (high !== above[longer]) return [{ key: longer, message: contradiction(high, 'at least', shorter, low) }];
    return low === above[shorter] ? [] : [{ key: shorter, message: contradiction(low, 'at most', longer, high) }];
  });
}

function contradiction(value: number, how: string, other: string, than: number): string {
  return `found ${formatDuration(value)}, must be ${how} ${other}, which is ${formatDuration(than)}`;
}
