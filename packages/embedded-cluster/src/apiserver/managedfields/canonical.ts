import { isObject, type JsonObject } from '../../base/json.ts';
import { quantity } from './quantity.ts';
import { type Field, isEmpty, type ListShape, type MapShape, type Shape, shapeAt } from './shape.ts';

/**
 * Converts a value to the form in which the API's types are serialized: without unknown fields, nulls, and empty lists
 * and maps that are not required, with quantities in canonical form.
 */
export function canonical(shape: Shape, value: unknown): unknown {
  if (shape.type === 'map' && isObject(value)) return canonicalMap(shape, value);
  if (shape.type === 'list' && Array.isArray(value)) return value.map((item: unknown) => canonical(shape.items, item));
  if (shape.type === 'scalar' && shape.scalar === 'quantity') return quantity(value);
  return value;
}

function canonicalMap(shape: MapShape, value: JsonObject): JsonObject {
  const serialized = Object.entries(value).flatMap(([key, fieldValue]) => {
    const at = shapeAt(shape, key);
    if (at === undefined || isOmitted(shape.fields.get(key), at, fieldValue)) return [];
    return [[key, canonical(at, fieldValue)] as const];
  });
  return Object.fromEntries(serialized);
}

/** Empty structs are serialized: their presence may have a meaning. */
function isOmitted(field: Field | undefined, shape: Shape, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (field === undefined || field.isRequired) return false;
  if (isCollection(shape)) return isEmpty(value);
  return shape.type === 'scalar' && ((shape.scalar === 'string' && value === '') || (field.dropsZero && !value));
}

function isCollection(shape: Shape): shape is ListShape | MapShape {
  return shape.type === 'list' || (shape.type === 'map' && shape.values !== undefined && shape.fields.size === 0);
}
