import { isSameJson } from '../model/jsonValue.ts';
import type { Drift, LengthBounds, ObservedList, Projection } from '../model/projection.ts';

/**
 * What differs between the baseline and what was found, both made by `project` with the same manifest and mask. Exactly
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
  for (const [path, desired] of baseline.fields) {
    const value = found.fields.get(path);
    if (value === undefined) drifts.push({ path, desired, found: undefined, is: 'missing' });
    else if (!isSameJson(desired, value)) drifts.push({ path, desired, found: value, is: 'changed' });
  }
  for (const [path, value] of found.fields)
    if (!baseline.fields.has(path)) drifts.push({ path, desired: undefined, found: value, is: 'excess' });
  return drifts;
}

function duplicateDrifts(baseline: Projection, found: Projection): Drift[] {
  return [...found.duplicates]
    .map(([path, count]) => ({ path, count, desired: baseline.duplicates.get(path) ?? 1 }))
    .filter(({ count, desired }) => count > desired)
    .map(({ path, count, desired }) => ({ path, desired, found: count, is: 'duplicate' }));
}

/**
 * Listed elements that are missing are reported field by field, and a correction restores them; the length is compared
 * as it is after that. So a foreign element is reported at once even where it has replaced a listed one.
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
  return isReported ? [] : [{ path, desired: min, found: found.length, is: 'missing' }];
}

/**
 * As many as the reply has, or as the schema allows: where the reply itself is beyond that, because admission has added
 * something, no correction could ever bring it within.
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
  if (foreign.length === 0) return [{ path, desired: max, found: found.length, is: 'excess' }];
  // Of a list that may be longer than it was, the last ones are those that are too many.
  const excess = found.bounds === undefined || found.bounds.min === max ? foreign : foreign.slice(-tooMany);
  return excess.map(([step, element]) => ({ path: path + step, desired: undefined, found: element, is: 'excess' }));
}

/** Elements that the manifest does not have or the mask does not list, as admission adds them, and that are gone. */
function tooShort(path: string, desired: ObservedList, found: ObservedList, min: number): readonly Drift[] {
  const gone = [...desired.others].filter(([step]) => !found.others.has(step));
  if (gone.length === 0) return [{ path, desired: min, found: found.length, is: 'missing' }];
  return gone.map(([step, element]) => ({ path: path + step, desired: element, found: undefined, is: 'missing' }));
}
