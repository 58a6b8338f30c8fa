/**
 * Returns the differences between two projections with the same manifest and mask, sorted by path, so the same
 * difference always has the same text. Only exactly equal values are equal. Does not guarantee that a difference is
 * drift, unless the baseline has quantities, defaults and empty values in the form of the API server's own response.
 * Nor does it say whether a difference is to be corrected.
 */

import { isSameJson } from '../objects/jsonValue.ts';
import type { Drift, LengthBounds, ObservedList, Projection } from '../objects/projection.ts';

/** How the live object differs from the baseline. */
export function compare(baseline: Projection, live: Projection): readonly Drift[] {
  const drifts = [...fieldDrifts(baseline, live), ...duplicateDrifts(baseline, live)];
  const paths = drifts.map(({ path }) => path);
  const lengths = [...live.lists].flatMap(([path, list]) => lengthDrifts(path, baseline.lists.get(path), list, paths));
  return [...drifts, ...lengths].sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
}

function fieldDrifts(baseline: Projection, live: Projection): Drift[] {
  const drifts: Drift[] = [];
  for (const [path, desired] of baseline.fields) {
    const value = live.fields.get(path);
    if (value === undefined) drifts.push({ path, desired, found: undefined, type: 'missing' });
    else if (!isSameJson(desired, value)) drifts.push({ path, desired, found: value, type: 'changed' });
  }
  for (const [path, value] of live.fields)
    if (!baseline.fields.has(path)) drifts.push({ path, desired: undefined, found: value, type: 'excess' });
  return drifts;
}

function duplicateDrifts(baseline: Projection, live: Projection): Drift[] {
  return [...live.duplicates]
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
  live: ObservedList,
  reported: readonly string[],
): readonly Drift[] {
  const { min, max } = boundsOf(desired, live);
  const gone = Math.max(0, desired.length - desired.others.size - (live.length - live.others.size));
  const length = live.length + gone;
  if (length > max) return tooLong(path, desired, live, max, length - max);
  if (length < min) return tooShort(path, desired, live, min);
  // Only an element without observed fields can be missing without a drift of its own.
  const isReported = live.length >= min || reported.some((each) => each.startsWith(`${path}[`));
  return isReported ? [] : [{ path, desired: min, found: live.length, type: 'missing' }];
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
  live: ObservedList,
  max: number,
  tooMany: number,
): readonly Drift[] {
  const foreign = [...live.others].filter(([step]) => !desired.others.has(step));
  if (foreign.length === 0) return [{ path, desired: max, found: live.length, type: 'excess' }];
  // If the list may be longer than before, its last elements are the excess.
  const excess = live.bounds === undefined || live.bounds.min === max ? foreign : foreign.slice(-tooMany);
  return excess.map(([step, element]) => ({ path: path + step, desired: undefined, found: element, type: 'excess' }));
}

/**
 * Elements that the manifest does not have or the mask does not list, such as those that admission adds, and that are
 * missing now.
 */
function tooShort(path: string, desired: ObservedList, live: ObservedList, min: number): readonly Drift[] {
  const gone = [...desired.others].filter(([step]) => !live.others.has(step));
  if (gone.length === 0) return [{ path, desired: min, found: live.length, type: 'missing' }];
  return gone.map(([step, element]) => ({ path: path + step, desired: element, found: undefined, type: 'missing' }));
}
