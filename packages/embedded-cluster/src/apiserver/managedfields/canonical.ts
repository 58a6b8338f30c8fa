import { isObject, type JsonObject } from '../../base/json.ts';
import { quantity } from './quantity.ts';
import { type Field, isEmpty, type ListShape, type MapShape, type Shape, shapeAt } from './shape.ts';

/**
 * Converts a value to the form in which the API's types are serialized: without unknown fields, nulls, and empty lists
 * and maps that are not required, with quantities in canonical form. A value that is in this form is returned itself, so
 * that what a write leaves as it is need not be compared.
 */
export function canonical(shape: Shape, value: unknown): unknown {
  if (shape.type === 'map' && isObject(value)) return canonicalMap(shape, value);
  if (shape.type === 'list' && Array.isArray(value)) return canonicalList(shape, value);
  if (shape.type === 'scalar' && shape.scalar === 'quantity') return quantity(value);
  return value;
}

function canonicalList(shape: ListShape, value: readonly unknown[]): readonly unknown[] {
  const items = value.map((item) => canonical(shape.items, item));
  return items.every((item, index) => item === value[index]) ? value : items;
}

function canonicalMap(shape: MapShape, value: JsonObject): JsonObject {
  const serialized: (readonly [string, unknown])[] = [];
  let isCanonical = true;
  for (const key of Object.keys(value)) {
    const at = shapeAt(shape, key);
    const isServed = at !== undefined && !isOmitted(shape.fields.get(key), at, value[key]);
    const fieldValue = isServed ? canonical(at, value[key]) : undefined;
    isCanonical &&= isServed && fieldValue === value[key];
    if (isServed) serialized.push([key, fieldValue]);
  }
  return isCanonical ? value : Object.fromEntries(serialized);
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
