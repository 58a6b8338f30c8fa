import { isSameJson } from '../model/jsonValue.ts';
import type { Drift, LengthBounds, ObservedList, Projection } from '../model/projection.ts';

/**
 * What differs between the baseline and what was found, both made by `project` with the same manifest and shape. Exactly
 * equal is equal, and nothing else is: quantities, defaults, and empty against absent are as the API server's own
 * reply has them. In the order of the paths, so that the same difference always reads the same.
 */
export function compare(baseline: Projection, found: Projection): readonly Drift[] {
  const drifts = [...fieldDrifts(baseline, found), ...duplicateDrifts(baseline, found)];
  const paths = drifts.map(({ path }) => path);
  const lengths = [...found.lists].flatMap(([path, list]) => lengthDrifts(path, baseline.lists.get(path), list, paths));
  return [...drifts, ...lengths].sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
}

function fieldDrifts(baseline: Projection, found: Projection): Drift[] {
  const drifts: Drift[] = [];
  for (const [path, wanted] of baseline.fields) {
    const value = found.fields.get(path);
    if (value === undefined) drifts.push({ path, wanted, found: undefined, is: 'missing' });
    else if (!isSameJson(wanted, value)) drifts.push({ path, wanted, found: value, is: 'changed' });
  }
  for (const [path, value] of found.fields)
    if (!baseline.fields.has(path)) drifts.push({ path, wanted: undefined, found: value, is: 'excess' });
  return drifts;
}

function duplicateDrifts(baseline: Projection, found: Projection): Drift[] {
  return [...found.duplicates]
    .map(([path, count]) => ({ path, count, wanted: baseline.duplicates.get(path) ?? 1 }))
    .filter(({ count, wanted }) => count > wanted)
    .map(({ path, count, wanted }) => ({ path, wanted, found: count, is: 'duplicate' }));
}

/**
 * Elements that the shape lists and that are gone are told field by field, and a correction puts them back; the length is
 * judged as it is then. So an intruder is told at once where it has taken the place of an element.
 */
function lengthDrifts(
  path: string,
  wanted: ObservedList = absent,
  found: ObservedList,
  told: readonly string[],
): readonly Drift[] {
  const { min, max } = boundsOf(wanted, found);
  const gone = Math.max(0, wanted.length - wanted.others.size - (found.length - found.others.size));
  const length = found.length + gone;
  if (length > max) return tooLong(path, wanted, found, max, length - max);
  if (length < min) return tooShort(path, wanted, found, min);
  // Only what has no observed field can go without being told.
  const isTold = found.length >= min || told.some((each) => each.startsWith(`${path}[`));
  return isTold ? [] : [{ path, wanted: min, found: found.length, is: 'missing' }];
}

/**
 * As many as the reply has, or as the schema allows: where the reply itself is beyond that, because admission has added
 * something, no correction could ever bring it within.
 */
function boundsOf(wanted: ObservedList, { bounds }: ObservedList): LengthBounds {
  if (bounds === undefined) return { min: wanted.length, max: wanted.length };
  const max = bounds.max === 0 ? Number.POSITIVE_INFINITY : bounds.max;
  return { min: Math.min(bounds.min, wanted.length), max: Math.max(max, wanted.length) };
}

const absent: ObservedList = { length: 0, bounds: undefined, others: new Map() };

function tooLong(
  path: string,
  wanted: ObservedList,
  found: ObservedList,
  max: number,
  tooMany: number,
): readonly Drift[] {
  const strangers = [...found.others].filter(([step]) => !wanted.others.has(step));
  if (strangers.length === 0) return [{ path, wanted: max, found: found.length, is: 'excess' }];
  // Of a list that may be longer than it was, the last ones are those that are too many.
  const excess = found.bounds === undefined || found.bounds.min === max ? strangers : strangers.slice(-tooMany);
  return excess.map(([step, element]) => ({ path: path + step, wanted: undefined, found: element, is: 'excess' }));
}

/** Elements that the manifest does not have or the shape does not list, as admission adds them, and that are gone. */
function tooShort(path: string, wanted: ObservedList, found: ObservedList, min: number): readonly Drift[] {
  const gone = [...wanted.others].filter(([step]) => !found.others.has(step));
  if (gone.length === 0) return [{ path, wanted: min, found: found.length, is: 'missing' }];
  return gone.map(([step, element]) => ({ path: path + step, wanted: element, found: undefined, is: 'missing' }));
}
