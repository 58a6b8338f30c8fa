import { isObject } from '../../base/json.ts';

/**
 * What of an object is observed, laid beside its manifest: the mask of a map lists the observed fields, whether the
 * manifest has them or not, and the i-th element of a list's mask belongs to the i-th element of the manifest's list.
 *
 * A leaf where the manifest has a map or a list stands for everything that the manifest has there and below. So the
 * mask of a resource without a schema is one leaf, which costs nothing to keep. Walk with `fieldOf` and `elementOf`,
 * which know that, and there is no second case to think of.
 */
export type FieldMask =
  | { readonly is: 'leaf' }
  | { readonly is: 'map'; readonly fields: ReadonlyMap<string, FieldMask> }
  | ListMask;

export interface ListMask {
  readonly is: 'list';
  readonly elements: readonly FieldMask[];
  readonly min: number;
  /** 0: unlimited. */
  readonly max: number;
  /** The keys that identify elements where the API server's schema has none (`observer_schema_list_key`). */
  readonly key?: readonly string[];
}

/** Observed: the value, or everything that the manifest has there. */
export const leaf: FieldMask = Object.freeze({ is: 'leaf' });

/** The mask of a field; undefined: it is not observed. Of a leaf it is a leaf, for what the manifest has there. */
export function fieldOf(mask: FieldMask | undefined, name: string): FieldMask | undefined {
  if (mask?.is === 'map') return mask.fields.get(name);
  return mask?.is === 'leaf' ? mask : undefined;
}

/** The mask of the manifest's i-th element; undefined: it is not observed. */
export function elementOf(mask: FieldMask | undefined, index: number): FieldMask | undefined {
  if (mask?.is === 'list') return mask.elements[index];
  return mask?.is === 'leaf' ? mask : undefined;
}

/** Whether there is anything to be seen in it: a field, an element, or a length. */
export function observesAnything(mask: FieldMask | undefined): boolean {
  if (mask === undefined) return false;
  if (mask.is === 'leaf') return true;
  if (mask.is === 'map') return mask.fields.values().some(observesAnything);
  return mask.min > 0 || mask.max > 0 || mask.elements.some(observesAnything);
}

/**
 * Whether everything that the manifest has there is observed, and nothing beside it has a place: such an atomic value is
 * compared as a whole, so that a key which somebody adds to a rule of a Role is seen.
 */
export function observesAll(mask: FieldMask | undefined, manifest: unknown): boolean {
  if (mask === undefined || mask.is === 'leaf') return mask !== undefined;
  if (isObject(manifest))
    return Object.entries(manifest).every(([name, value]) => observesAll(fieldOf(mask, name), value));
  if (!Array.isArray(manifest) || mask.is !== 'list') return false;
  const { min, max, key } = mask;
  const isExact = key === undefined && max > 0 && max === manifest.length && min === max;
  return isExact && manifest.every((value, index) => observesAll(elementOf(mask, index), value));
}
