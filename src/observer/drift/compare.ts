import { isSameJson } from '../objects/jsonValue.ts';
import type { Drift, LengthBounds, ObservedList, Projection } from '../objects/projection.ts';

/**
 * Returns the differences between the baseline and the live object, both projected with the same manifest and mask.
 * Only exactly equal values are equal, because the baseline has quantities, defaults and empty values in the form of
 * the API server's own response. Sorted by path, so the same difference always has the same text.
 */
export function compare(baseline: Projection, found: Projection): readonly Drift[] {
  const drifts = [...fieldDrifts(baseline, found), ...duplicateDrifts(baseline, found)];
  const paths = drifts.map(({ path }) => path);
  const lengths = [...found.lists].flatMap(([path, list]) => lengthDrifts(path, baseline.lists.get(path), list, paths));
  return [...drifts, ...lengths].sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
}

function fieldDrifts(baseline: Projection, found: Projection): Drift[] {
  const drifts: Drift[] = [];
  for (const [path, desired] of baseline.fields) {
    const value = found.fields.get(path);
    if (value === undefined) drifts.push({ path, desired, found: undefined, type: 'missing' });
    else if (!isSameJson(desired, value)) drifts.push({ path, desired, found: value, type: 'changed' });
  }
  for (const [path, value] of found.fields)
    if (!baseline.fields.has(path)) drifts.push({ path, desired: undefined, found: value, type: 'excess' });
  return drifts;
}

function duplicateDrifts(baseline: Projection, found: Projection): Drift[] {
  return [...found.duplicates]
    .map(([path, count]) => ({ path, count, desired: baseline.duplicates.get(path) ?? 1 }))
    .filter(({ count, desired }) => count > desired)
    .map(({ path, count, desired }) => ({ path, desired, found: count, type: 'duplicate' }));
}

/**
 * Missing listed elements are reported field by field, and a correction restores them, so the length is compared with
 * these restored. This reports a foreign element immediately, even if it has replaced a listed one.
 */
function lengthDrifts(
  path: string,
  desired: ObservedList = absent,
  found: ObservedList,
  reported: readonly string[],
): readonly Drift[] {
  const { min, max } = boundsOf(desired, found);
  const gone = Math.max(0, desired.length - desired.others.size - (found.length - found.others.size));
  const length = found.length + gone;
  if (length > max) return tooLong(path, desired, found, max, length - max);
  if (length < min) return tooShort(path, desired, found, min);
  // Only an element without observed fields can be missing without a drift of its own.
  const isReported = found.length >= min || reported.some((each) => each.startsWith(`${path}[`));
  return isReported ? [] : [{ path, desired: min, found: found.length, type: 'missing' }];
}

/**
 * Returns the length of the response, or the bounds of the schema. If admission has added elements to the response
 * beyond the bounds, no correction could reach them, so they are extended.
 */
function boundsOf(desired: ObservedList, { bounds }: ObservedList): LengthBounds {
  if (bounds === undefined) return { min: desired.length, max: desired.length };
  const max = bounds.max === 0 ? Number.POSITIVE_INFINITY : bounds.max;
  return { min: Math.min(bounds.min, desired.length), max: Math.max(max, desired.length) };
}

const absent: ObservedList = { length: 0, bounds: undefined, others: new Map() };

function tooLong(
  path: string,
  desired: ObservedList,
  found: ObservedList,
  max: number,
  tooMany: number,
): readonly Drift[] {
  const foreign = [...found.others].filter(([step]) => !desired.others.has(step));
  if (foreign.length === 0) return [{ path, desired: max, found: found.length, type: 'excess' }];
  // If the list may be longer than before, its last elements are the excess.
  const excess = found.bounds === undefined || found.bounds.min === max ? foreign : foreign.slice(-tooMany);
  return excess.map(([step, element]) => ({ path: path + step, desired: undefined, found: element, type: 'excess' }));
}

/**
 * Elements that the manifest does not have or the mask does not list, such as those that admission adds, and that are
 * missing now.
 */
function tooShort(path: string, desired: ObservedList, found: ObservedList, min: number): readonly Drift[] {
  const gone = [...desired.others].filter(([step]) => !found.others.has(step));
  if (gone.length === 0) return [{ path, desired: min, found: found.length, type: 'missing' }];
  return gone.map(([step, element]) => ({ path: path + step, desired: element, found: undefined, type: 'missing' }));
}
