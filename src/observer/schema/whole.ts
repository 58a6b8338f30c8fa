import { isObject } from '../../base/json.ts';
import { elementOf, fieldOf, type Shape } from './shape.ts';

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
