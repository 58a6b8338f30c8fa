import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { any, type Field, type ScalarShape, type Shape } from '../managedfields/shape.ts';
import { shapeOf } from '../schema/types.ts';

const scalars: Readonly<Record<string, ScalarShape['scalar']>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
};

/** Converts the schema of a CustomResourceDefinition (JSONSchemaProps) to the shape by which its objects are merged. */
export function schemaShape(schema: JsonObject): Shape {
  const type = textOf(schema['type']) ?? '';
  if (schema['x-kubernetes-int-or-string'] === true) return { type: 'scalar', scalar: 'intOrString' };
  if (type === 'array') return listShape(schema);
  if (type === 'object') return mapShape(schema);
  const scalar = scalars[type];
  return scalar === undefined ? any : { type: 'scalar', scalar };
}

function mapShape(schema: JsonObject): Shape {
  const { properties, additionalProperties } = schema;
  const declared = Object.entries(objectOf(properties)).map(([name, each]) => [name, fieldOf(objectOf(each))] as const);
  const preservesUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true || properties === undefined;
  return {
    type: 'map',
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields: new Map([...declared, ...(schema['x-kubernetes-embedded-resource'] === true ? commonFields() : [])]),
    values: isObject(additionalProperties) ? schemaShape(additionalProperties) : preservesUnknown ? any : undefined,
  };
}

/** Returns the fields that every object has. */
function commonFields(): readonly (readonly [string, Field])[] {
  const text: Shape = { type: 'scalar', scalar: 'string' };
  return [
    ['apiVersion', plain(text)],
    ['kind', plain(text)],
    ['metadata', plain(shapeOf('ObjectMeta') ?? any)],
  ];
}

function listShape(schema: JsonObject): Shape {
  const items = objectOf(schema['items']);
  const given = schema['x-kubernetes-list-type'];
  const relation = given === 'map' || given === 'set' ? given : 'atomic';
  const keys = arrayOf(schema['x-kubernetes-list-map-keys']).map((key) => ({
    name: String(key),
    default: objectOf(objectOf(items['properties'])[String(key)])['default'],
  }));
  return { type: 'list', relation, keys: relation === 'map' ? keys : [], items: schemaShape(items) };
}

function fieldOf(schema: JsonObject): Field {
  return plain(schemaShape(schema), schema['default']);
}

function plain(shape: Shape, fallback?: unknown): Field {
  return { shape, isRequired: false, dropsZero: false, default: fallback };
}
