import { type JsonObject, objectOf } from '../json.ts';
import { formatDuration } from './duration.ts';

/** Pairs of durations of which the second must not be the shorter one. */
const pairs = [
  ['quietPeriod', 'quietMax'],
  ['stallAfter', 'progressDeadline'],
] as const;

/** A duration that does not go with another one, told at the key that brings it about. */
export interface Contradiction {
  readonly key: string;
  readonly message: string;
}

/**
 * The durations of a mapping that contradict each other; what it does not say itself holds from `above`. What could not
 * be read is no number yet, and has been told.
 */
export function contradictions(mapping: unknown, above: JsonObject): readonly Contradiction[] {
  const here = objectOf(mapping);
  return pairs.flatMap(([shorter, longer]): readonly Contradiction[] => {
    const low = here[shorter] ?? above[shorter];
    const high = here[longer] ?? above[longer];
    if (typeof low !== 'number' || typeof high !== 'number' || low <= high) return [];
    // What is the same above has been judged there.
    if (high !== above[longer]) return [{ key: longer, message: told(high, 'at least', shorter, low) }];
    return low === above[shorter] ? [] : [{ key: shorter, message: told(low, 'at most', longer, high) }];
  });
}

function told(found: number, how: string, other: string, than: number): string {
  return `found ${formatDuration(found)}, must be ${how} ${other}, which is ${formatDuration(than)}`;
}
