import { isObject } from '@weeder/kube-runtime/base';

/**
 * The observed part of an object, in the structure of its manifest: the mask of a map lists the observed fields,
 * whether the manifest has them or not, and the i-th element of a list's mask belongs to the i-th element of the
 * manifest's list.
 *
 * A leaf where the manifest has a map or a list stands for all its content in the manifest. So the mask of a resource
 * without a schema is a single leaf, which needs no memory. `fieldOf` and `elementOf` handle this case for their
 * callers.
 */
export type FieldMask =
  | { readonly type: 'leaf' }
  | { readonly type: 'map'; readonly fields: ReadonlyMap<string, FieldMask> }
  | ListMask;

export interface ListMask {
  readonly type: 'list';
  readonly elements: readonly FieldMask[];
  readonly min: number;
  /** 0: unlimited. */
  readonly max: number;
  /** The keys that identify elements where the API server's schema has none (`observer_schema_list_key`). */
  readonly key?: readonly string[];
}

/** Observed: the value, or all its content in the manifest. */
export const leaf: FieldMask = Object.freeze({ type: 'leaf' });

/** Returns the mask of a field; undefined if it is not observed. The mask of a field in a leaf is a leaf. */
export function fieldOf(mask: FieldMask | undefined, name: string): FieldMask | undefined {
  if (mask?.type === 'map') return mask.fields.get(name);
  return mask?.type === 'leaf' ? mask : undefined;
}

/** Returns the mask of the manifest's i-th element; undefined if it is not observed. */
export function elementOf(mask: FieldMask | undefined, index: number): FieldMask | undefined {
  if (mask?.type === 'list') return mask.elements[index];
  return mask?.type === 'leaf' ? mask : undefined;
}

/** Returns true if the mask observes a field, an element or a length. */
export function observesAnything(mask: FieldMask | undefined): boolean {
  if (mask === undefined) return false;
  if (mask.type === 'leaf') return true;
  if (mask.type === 'map') return mask.fields.values().some(observesAnything);
  return mask.min > 0 || mask.max > 0 || mask.elements.some(observesAnything);
}

/**
 * Returns true if the manifest's whole value is observed and nothing else may exist beside it. Such an atomic value is
 * compared as a whole, so that a key that another client adds to a rule of a Role is detected.
 */
export function observesAll(mask: FieldMask | undefined, manifest: unknown): boolean {
  if (mask === undefined || mask.type === 'leaf') return mask !== undefined;
  if (isObject(manifest))
    return Object.entries(manifest).every(([name, value]) => observesAll(fieldOf(mask, name), value));
  if (!Array.isArray(manifest) || mask.type !== 'list') return false;
  const { min, max, key } = mask;
  const isExact = key === undefined && max > 0 && max === manifest.length && min === max;
  return isExact && manifest.every((value, index) => observesAll(elementOf(mask, index), value));
}
