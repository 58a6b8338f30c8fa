import { isObject } from '../../base/json.ts';

/**
 * What of an object is observed, laid beside its manifest: the shape of a map lists the observed fields, whether the
 * manifest has them or not, and the i-th element of a list's shape belongs to the i-th element of the manifest's list.
 *
 * A leaf where the manifest has a map or a list stands for everything that the manifest has there and below. So the
 * shape of a resource without a schema is one leaf, which costs nothing to keep. Walk with `fieldOf` and `elementOf`,
 * which know that, and there is no second case to think of.
 */
export type Shape =
  | { readonly is: 'leaf' }
  | { readonly is: 'map'; readonly fields: ReadonlyMap<string, Shape> }
  | ListShape;

export interface ListShape {
  readonly is: 'list';
  readonly elements: readonly Shape[];
  readonly min: number;
  /** 0: unlimited. */
  readonly max: number;
  /** What tells the elements apart where the server's schema says atomic or nothing (`observer_schema_list_key`). */
  readonly key?: readonly string[];
}

/** Observed: the value, or everything that the manifest has there. */
export const leaf: Shape = Object.freeze({ is: 'leaf' });

/** The shape of a field; undefined: it is not observed. Of a leaf it is a leaf, for what the manifest has there. */
export function fieldOf(shape: Shape | undefined, name: string): Shape | undefined {
  if (shape?.is === 'map') return shape.fields.get(name);
  return shape?.is === 'leaf' ? shape : undefined;
}

/** The shape of the manifest's i-th element; undefined: it is not observed. */
export function elementOf(shape: Shape | undefined, index: number): Shape | undefined {
  if (shape?.is === 'list') return shape.elements[index];
  return shape?.is === 'leaf' ? shape : undefined;
}

/** Whether there is anything to be seen in it: a field, an element, or a length. */
export function observesAnything(shape: Shape | undefined): boolean {
  if (shape === undefined) return false;
  if (shape.is === 'leaf') return true;
  if (shape.is === 'map') return shape.fields.values().some(observesAnything);
  return shape.min > 0 || shape.max > 0 || shape.elements.some(observesAnything);
}

/**
 * Whether everything that the manifest has there is observed, and nothing beside it has a place: such an atomic value is
 * compared as a whole, so that a key which somebody adds to a rule of a Role is seen.
 */
export function observesAll(shape: Shape | undefined, manifest: unknown): boolean {
  if (shape === undefined || shape.is === 'leaf') return shape !== undefined;
  if (isObject(manifest))
    return Object.entries(manifest).every(([name, value]) => observesAll(fieldOf(shape, name), value));
  if (!Array.isArray(manifest) || shape.is !== 'list') return false;
  const { min, max, key } = shape;
  const isExact = key === undefined && max > 0 && max === manifest.length && min === max;
  return isExact && manifest.every((value, index) => observesAll(elementOf(shape, index), value));
}
