import { isObject } from '../../base/json.ts';
import { type FieldSet, fieldSetOf, joined, withDeclared } from './fieldSet.ts';
import { childrenOf, type Shape } from './shape.ts';

/**
 * Of a merged object: without what its manager applied the last time (`last`) and nobody has now (`managed`: all the
 * managers' sets, its own new one included).
 */
export function prune(shape: Shape, merged: unknown, last: FieldSet, managed: FieldSet): unknown {
  if (last.size === 0) return merged;
  const setOf = (value: unknown) => withDeclared(shape, fieldSetOf(shape, value));
  const [all, mine] = [setOf(merged), withDeclared(shape, last)];
  const left = setOf(without(shape, merged, mine)).union(withDeclared(shape, managed));
  const kept = setOf(without(shape, merged, all.difference(left)));
  // What went only because the map or item around it went has an end of its own to wait for.
  return without(shape, merged, all.difference(kept).intersection(mine));
}

/** The value without these fields; a map or list that loses all it has goes with them. */
export function without(shape: Shape, value: unknown, set: FieldSet): unknown {
  const walk = (path: string, at: Shape, here: unknown): unknown => {
    const children = childrenOf(at, here);
    if (children === undefined || children.length === 0) return here;
    const kept = children
      .filter(({ step }) => !set.has(joined(path, step)))
      .map((child) => ({ step: child.step, value: walk(joined(path, child.step), child.shape, child.value) }))
      .filter((child) => child.value !== undefined);
    if (kept.length === 0 && path !== '') return undefined;
    if (!isObject(here)) return kept.map((child) => child.value);
    return Object.fromEntries(kept.map((child) => [child.step.slice(2), child.value]));
  };
  return walk('', shape, value);
}
