import { isObject, type JsonObject, objectOf } from '../../base/json.ts';
import { canonical } from '../managedfields/canonical.ts';
import { any } from '../managedfields/shape.ts';
import { shapeOf } from '../schema/types.ts';

/**
 * Prunes and defaults a custom resource: removes the fields that its schema does not declare and the nulls that it does
 * not allow, and sets the defaults.
 */
export function schemaValue(schema: JsonObject, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = isObject(schema['items']) ? schema['items'] : anySchema;
    return value.map((item: unknown) => schemaValue(items, item));
  }
  if (!isObject(value)) return value;
  const properties = objectOf(schema['properties']);
  const present = Object.entries(value).flatMap(([key, propertyValue]) => {
    const at = propertySchema(schema, key);
    if (at === undefined || (propertyValue === null && isDeclared(schema, key) && at['nullable'] !== true)) return [];
    return [[key, isMetadata(schema, key) ? propertyValue : schemaValue(at, propertyValue)] as const];
  });
  const missing = Object.entries(properties)
    .map(([key, each]) => [key, objectOf(each)] as const)
    .filter(([key, each]) => each['default'] !== undefined && (value[key] ?? undefined) === undefined)
    .filter(([key, each]) => value[key] === undefined || each['nullable'] !== true)
    .map(([key, each]) => [key, schemaValue(each, structuredClone(each['default']))] as const);
  return Object.fromEntries(
    [...present, ...missing].map(([key, each]) => [key, withPrunedMetadata(schema, key, each)]),
  );
}

/** Returns the schema of a key; undefined if the key is pruned. */
export function propertySchema(schema: JsonObject, key: string): JsonObject | undefined {
  const { additionalProperties } = schema;
  if (isDeclared(schema, key)) return objectOf(objectOf(schema['properties'])[key]);
  if (isObject(additionalProperties)) return additionalProperties;
  const preservesUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties === true;
  const isCommonField = isEmbedded(schema) && ['apiVersion', 'kind', 'metadata'].includes(key);
  return preservesUnknown || isCommonField ? anySchema : undefined;
}

const anySchema: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };

function isDeclared(schema: JsonObject, key: string): boolean {
  return Object.hasOwn(objectOf(schema['properties']), key);
}

export function isEmbedded(schema: JsonObject): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

/**
 * Prunes the metadata of an embedded object to the fields of ObjectMeta, even if the schema declares only some of
 * them.
 */
function withPrunedMetadata(schema: JsonObject, key: string, value: unknown): unknown {
  return isMetadata(schema, key) ? canonical(shapeOf('ObjectMeta') ?? any, value) : value;
}

function isMetadata(schema: JsonObject, key: string): boolean {
  return isEmbedded(schema) && key === 'metadata';
}
