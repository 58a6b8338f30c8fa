import { isObject, type JsonObject } from '@weeder/kube-runtime/base';
import type { SchemaNode } from './schemaNode.ts';

/**
 * Returns the manifest without fields that are null, except where null is a value. Charts render `annotations:` with
 * nothing below it: the manifest does not say anything about the field, and what other clients set there stays.
 */
export function withoutNulls(object: JsonObject, at: SchemaNode): JsonObject {
  const fields = Object.entries(object).filter(([name, value]) => value !== null || at.field(name).isNullable);
  const cleaned = fields.map(([name, value]) => [name, withoutNullsBelow(value, at.field(name))] as const);
  const isSame = cleaned.every(([name, value]) => object[name] === value);
  return isSame && fields.length === Object.keys(object).length ? object : Object.fromEntries(cleaned);
}

/** An element that is null stays: the positions of a list are its content. */
function withoutNullsBelow(value: unknown, at: SchemaNode): unknown {
  if (isObject(value)) return withoutNulls(value, at);
  if (!Array.isArray(value)) return value;
  const elements = value.map((element) => withoutNullsBelow(element, at.items()));
  return elements.every((element, index) => element === value[index]) ? value : elements;
}
