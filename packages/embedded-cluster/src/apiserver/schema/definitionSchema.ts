import { isObject, type JsonObject, objectOf } from '../../base/json.ts';

/** Returns the published schema of a CustomResourceDefinition, which has the fields of every object. */
export function definitionSchema(schema: JsonObject, metadata: JsonObject): JsonObject {
  const properties = publishedProperties(objectOf(schema['properties']), metadata);
  return { ...schema, properties: { ...properties, ...commonProperties(metadata) } };
}

function commonProperties(metadata: JsonObject): JsonObject {
  return { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata };
}

function publishedProperties(properties: JsonObject, metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, published(objectOf(each), metadata)]),
  );
}

function published(schema: JsonObject, metadata: JsonObject): JsonObject {
  const { properties, items, additionalProperties } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const own = isObject(properties) ? publishedProperties(properties, metadata) : {};
  return {
    ...schema,
    ...(isObject(properties) || isEmbedded
      ? { properties: { ...own, ...(isEmbedded ? commonProperties(metadata) : {}) } }
      : {}),
    ...(isObject(items) ? { items: published(items, metadata) } : {}),
    ...(isObject(additionalProperties) ? { additionalProperties: published(additionalProperties, metadata) } : {}),
  };
}
