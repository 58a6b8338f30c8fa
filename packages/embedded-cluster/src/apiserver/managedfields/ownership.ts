import { isDeepStrictEqual } from 'node:util';
import { failed, ok, type Result } from '../../base/result.ts';
import { compare } from './compare.ts';
import { type FieldSet, fieldSetOf, outside } from './fieldSet.ts';
import { isSameManager, type Manager } from './managers.ts';
import { merge } from './merge.ts';
import { prune } from './prune.ts';
import type { Shape } from './shape.ts';

/** The parameters of a write. */
export interface FieldWrite {
  readonly shape: Shape;
  /** Fields that the write cannot change and therefore does not own: the status, or everything but the status. */
  readonly ignored: readonly string[];
  /** The writer; its `time` is now, its `fields` are ignored. */
  readonly self: Manager;
}

/** Fields of another manager that an apply would change. */
export interface Conflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

interface Applied {
  readonly value: unknown;
  readonly managers: readonly Manager[];
}

/** Returns the owners after an update: the writer owns each field that it set, and a removed field has no owner. */
export function ownersAfterUpdate(
  { shape, ignored, self }: FieldWrite,
  before: unknown,
  after: unknown,
  managers: readonly Manager[],
): readonly Manager[] {
  const { added, modified, removed } = compare(shape, before, after);
  const set = outside(added.union(modified), ignored);
  const unset = outside(removed, ignored);
  const own = set.size === 0 ? undefined : managers.find((each) => isSameManager(each, self));
  const others = managers.filter((each) => each !== own);
  const remaining = others.map((each) => ({ ...each, fields: without(without(each.fields, set), unset) }));
  if (set.size === 0) return owning(remaining);
  const owned = without(own?.fields ?? new Set(), unset);
  return owning([...remaining, { ...self, fields: set.isSubsetOf(owned) ? owned : set.union(owned) }]);
}

/**
 * Server-side apply: merges the configuration into the live value and removes what its manager no longer applies. Fails
 * with the fields of other managers that it would change, unless it is forced.
 */
export function apply(
  { shape, ignored, self }: FieldWrite,
  live: unknown,
  config: unknown,
  managers: readonly Manager[],
  isForced: boolean,
): Result<Applied, readonly Conflict[]> {
  const last = managers.find((each) => isSameManager(each, self));
  const others = managers.filter((each) => each !== last);
  const fields = outside(fieldSetOf(shape, config), ignored);
  const managed = others.reduce((all, each) => all.union(each.fields), fields);
  const value = prune(shape, merge(shape, live, config), last?.fields ?? new Set(), managed);
  const { added, modified, removed } = compare(shape, live, value);
  const set = outside(added.union(modified), ignored);
  const conflicts = others
    .map((manager) => ({ manager, fields: manager.fields.intersection(set) }))
    .filter((each) => each.fields.size > 0);
  if (conflicts.length > 0 && !isForced) return failed(conflicts);
  const unset = outside(removed, ignored);
  const remaining = others.map((each) => ({ ...each, fields: without(without(each.fields, set), unset) }));
  // An apply that changes nothing does not change the time.
  const time = isDeepStrictEqual(live, value) ? last?.time : self.time;
  return ok({ value, managers: owning([...remaining, { ...self, time, fields }]) });
}

/** Returns the same set if it has none of the members. */
function without(set: FieldSet, members: FieldSet): FieldSet {
  return set.isDisjointFrom(members) ? set : set.difference(members);
}

function owning(managers: readonly Manager[]): readonly Manager[] {
  return managers.filter(({ fields }) => fields.size > 0);
}
