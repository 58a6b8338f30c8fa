import { isObject, type JsonObject, objectOf } from '../../base/json.ts';

/** Returns the schema of a CustomResourceDefinition as it is published: with the fields that every object has. */
export function definitionSchema(schema: JsonObject, metadata: JsonObject): JsonObject {
  const properties = withObjects(objectOf(schema['properties']), metadata);
  return { ...schema, properties: { ...properties, ...ofEveryObject(metadata) } };
}

function ofEveryObject(metadata: JsonObject): JsonObject {
  return { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata };
}

function withObjects(properties: JsonObject, metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, published(objectOf(each), metadata)]),
  );
}

function published(schema: JsonObject, metadata: JsonObject): JsonObject {
  const { properties, items, additionalProperties } = schema;
  const isObjectItself = schema['x-kubernetes-embedded-resource'] === true;
  const own = isObject(properties) ? withObjects(properties, metadata) : {};
  return {
    ...schema,
    ...(isObject(properties) || isObjectItself
      ? { properties: { ...own, ...(isObjectItself ? ofEveryObject(metadata) : {}) } }
      : {}),
    ...(isObject(items) ? { items: published(items, metadata) } : {}),
    ...(isObject(additionalProperties) ? { additionalProperties: published(additionalProperties, metadata) } : {}),
  };
}
