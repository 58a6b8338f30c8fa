import { isObject } from '../../base/json.ts';
import { type FieldSet, fieldSetOf, joined, withDeclared } from './fieldSet.ts';
import { childrenOf, type Shape } from './shape.ts';

/**
 * Removes from a merged object what its manager applied last time (`last`) and no manager owns now (`managed`: the sets
 * of all managers, including its new one).
 */
export function prune(shape: Shape, merged: unknown, last: FieldSet, managed: FieldSet): unknown {
  if (last.size === 0) return merged;
  const setOf = (value: unknown) => withDeclared(shape, fieldSetOf(shape, value));
  const [mergedSet, lastSet] = [setOf(merged), withDeclared(shape, last)];
  const retained = setOf(without(shape, merged, lastSet)).union(withDeclared(shape, managed));
  const pruned = setOf(without(shape, merged, mergedSet.difference(retained)));
  // A field that is removed only with its parent remains, unless this manager owned it.
  return without(shape, merged, mergedSet.difference(pruned).intersection(lastSet));
}

/** Removes these fields; a map or list that loses all of its content is removed, too. */
export function without(shape: Shape, value: unknown, set: FieldSet): unknown {
  const walk = (path: string, at: Shape, here: unknown): unknown => {
    const children = childrenOf(at, here);
    if (children === undefined || children.length === 0) return here;
    const remaining = children
      .filter(({ step }) => !set.has(joined(path, step)))
      .map((child) => ({ step: child.step, value: walk(joined(path, child.step), child.shape, child.value) }))
      .filter((child) => child.value !== undefined);
    if (remaining.length === 0 && path !== '') return undefined;
    if (!isObject(here)) return remaining.map((child) => child.value);
    return Object.fromEntries(remaining.map((child) => [child.step.slice(2), child.value]));
  };
  return walk('', shape, value);
}
