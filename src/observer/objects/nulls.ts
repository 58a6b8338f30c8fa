import { isObject, type JsonObject } from '@weeder/kube-runtime/base';

/**
 * Returns the manifest without fields that are null. Charts render `annotations:` with nothing below it: the manifest
 * does not say anything about the field, and what other clients set there stays.
 */
export function withoutNulls(object: JsonObject): JsonObject {
  const fields = Object.entries(object).filter(([, value]) => value !== null);
  const cleaned = fields.map(([name, value]) => [name, withoutNullsBelow(value)] as const);
  const isSame = cleaned.every(([name, value]) => object[name] === value);
  return isSame && fields.length === Object.keys(object).length ? object : Object.fromEntries(cleaned);
}

/** An element that is null stays: the positions of a list are its content. */
function withoutNullsBelow(value: unknown): unknown {
  if (isObject(value)) return withoutNulls(value);
  if (!Array.isArray(value)) return value;
  const elements = value.map(withoutNullsBelow);
  return elements.every((element, index) => element === value[index]) ? value : elements;
}
