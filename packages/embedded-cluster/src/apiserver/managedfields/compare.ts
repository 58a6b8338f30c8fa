import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../base/json.ts';
import { type FieldSet, joined } from './fieldSet.ts';
import { type Child, childrenOf, isEmpty, type Shape } from './shape.ts';

/** The fields that a write added, modified and removed. */
interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Compares two states field by field. For a map or an item that is added or removed, its own path is included, in
 * addition to those of its fields.
 */
export function compare(shape: Shape, before: unknown, after: unknown): Comparison {
  const comparison = { added: new Set<string>(), modified: new Set<string>(), removed: new Set<string>() };

  function whole(path: string, old: unknown, now: unknown): void {
    if (old === undefined) comparison.added.add(path);
    else if (now === undefined) comparison.removed.add(path);
    else if (!isDeepStrictEqual(old, now)) comparison.modified.add(path);
  }

  function walk(path: string, at: Shape, old: unknown, now: unknown): void {
    if (old === now) return;
    const sides = sidesOf(at, old, now);
    if (sides === undefined) {
      whole(path, old, now);
      return;
    }
    for (const [step, values] of sides) item(joined(path, step), values);
    if (old === undefined && path !== '') comparison.added.add(path);
    else if (now === undefined) comparison.removed.add(path);
    else if (isLeaf(at, old) || isLeaf(at, now)) comparison.modified.add(path);
  }

  function item(path: string, { shape: at, olds, nows }: Sides): void {
    if (olds.length <= 1 && nows.length <= 1) walk(path, at, olds[0], nows[0]);
    else if (!isDeepStrictEqual(olds, nows)) repeated(path, at, olds, nows);
  }

  /** If a list contains a key several times, only the presence of the items is owned. */
  function repeated(path: string, at: Shape, olds: readonly unknown[], nows: readonly unknown[]): void {
    for (const old of olds) walk(path, at, old, undefined);
    if (nows.length > 0) comparison.added.add(path);
  }

  walk('', shape, before, after);
  return comparison;
}

/** The values of both states at one step: several only if a list contains a key twice. */
interface Sides {
  readonly shape: Shape;
  readonly olds: unknown[];
  readonly nows: unknown[];
}

/**
 * Returns the values by their steps; undefined if they are compared as a whole, as atomic values and two empty ones
 * are.
 */
function sidesOf(shape: Shape, old: unknown, now: unknown): ReadonlyMap<string, Sides> | undefined {
  const [olds, nows] = [childrenOf(shape, without(old, now)), childrenOf(shape, without(now, old))];
  if (olds === undefined && nows === undefined) return undefined;
  if (!olds?.length && !nows?.length && isEmpty(old) && isEmpty(now)) return undefined;
  const sides = new Map<string, Sides>();
  const at = ({ step, shape: below }: Child): Sides => {
    const values = sides.get(step) ?? { shape: below, olds: [], nows: [] };
    sides.set(step, values);
    return values;
  };
  for (const child of olds ?? []) at(child).olds.push(child.value);
  for (const child of nows ?? []) at(child).nows.push(child.value);
  return sides;
}

/** Returns a map without the values that the other one has, too: most writes change few fields of a large map. */
function without(value: unknown, other: unknown): unknown {
  if (!isObject(value) || !isObject(other)) return value;
  const keys = Object.keys(value).filter((key) => value[key] !== other[key]);
  return Object.fromEntries(keys.map((key) => [key, value[key]]));
}

/** Returns whether a value has no children, although the other state has some. */
function isLeaf(shape: Shape, value: unknown): boolean {
  return value !== undefined && value !== null && childrenOf(shape, value) === undefined;
}
