import { arrayOf, isObject, type JsonObject, objectOf } from '../../base/json.ts';
import type { ListTopology } from '../model/schemaNode.ts';

/**
 * What one schema of a document says about topology: another schema by name, a place, or nothing (`undefined`, as of
 * every text and number).
 */
export type SchemaRef = string | ReducedSchema | undefined;

export interface ReducedSchema {
  /** Undefined: it stands in `bases`, or nowhere. */
  readonly list: Exclude<ListTopology, { readonly is: 'map' }> | ListOfMaps | undefined;
  readonly map: 'granular' | 'atomic' | undefined;
  readonly fields: ReadonlyMap<string, SchemaRef>;
  /** Of fields that `fields` does not have (`additionalProperties`). */
  readonly rest: SchemaRef;
  readonly items: SchemaRef;
  /** What it takes over (`$ref`, `allOf`) where it says nothing itself. */
  readonly bases: readonly SchemaRef[];
  /** What a field is where an object does not say it; only of fields with a scalar default. */
  readonly defaults: Readonly<Record<string, string | number | boolean>>;
}

/** The defaults of its keys stand in `items`, which may be another schema. */
interface ListOfMaps {
  readonly is: 'map';
  readonly keys: readonly string[];
}

/** Deeper than any schema that a person writes; below it nothing is known. */
const deepest = 200;

const refPrefix = '#/components/schemas/';

const untyped: ReducedSchema = {
  list: { is: 'atomic' },
  map: 'atomic',
  fields: new Map(),
  rest: undefined,
  items: undefined,
  bases: [],
  defaults: {},
};

/** Reduces a schema to what decides how the server merges; descriptions and validation go. */
export function reduceSchema(schema: JsonObject, depth = 0): SchemaRef {
  if (depth > deepest) return undefined;
  const below = (inner: unknown): SchemaRef => (isObject(inner) ? reduceSchema(inner, depth + 1) : undefined);
  if (isUntyped(schema)) return untyped;
  const fields = new Map<string, SchemaRef>();
  for (const [name, property] of Object.entries(objectOf(schema['properties']))) {
    const step = below(property);
    if (step !== undefined) fields.set(name, step);
  }
  const reduced: ReducedSchema = {
    list: listOf(schema),
    map: mapOf(schema),
    fields,
    rest: below(schema['additionalProperties']),
    items: below(schema['items']),
    bases: [refOf(schema), ...arrayOf(schema['allOf']).map(below)].filter((base) => base !== undefined),
    defaults: defaultsOf(schema),
  };
  return saysNothing(reduced) ? reduced.bases[0] : reduced;
}

/**
 * Any JSON, such as the `default` in a CustomResourceDefinition: the server takes such a value as a whole. Where a
 * schema only says that unknown fields are kept, it does not: maps are merged there.
 */
function isUntyped(schema: JsonObject): boolean {
  return !Object.keys(schema).some((key) => key !== 'description' && key !== 'default' && key !== 'nullable');
}

/** Of its own it says nothing, so that its only base can stand in for it. */
function saysNothing({ list, map, fields, rest, items, bases, defaults }: ReducedSchema): boolean {
  if (list !== undefined || map !== undefined || rest !== undefined || items !== undefined) return false;
  return fields.size === 0 && bases.length <= 1 && Object.keys(defaults).length === 0;
}

function refOf(schema: JsonObject): SchemaRef {
  const ref = schema['$ref'];
  return typeof ref === 'string' && ref.startsWith(refPrefix) ? ref.slice(refPrefix.length) : undefined;
}

function listOf(schema: JsonObject): ReducedSchema['list'] {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set' || type === 'atomic') return { is: type };
  const keys = arrayOf(schema['x-kubernetes-list-map-keys']).filter((key) => typeof key === 'string');
  return type === 'map' && keys.length > 0 ? { is: 'map', keys } : undefined;
}

function mapOf(schema: JsonObject): ReducedSchema['map'] {
  const type = schema['x-kubernetes-map-type'];
  return type === 'atomic' || type === 'granular' ? type : undefined;
}

function defaultsOf(schema: JsonObject): ReducedSchema['defaults'] {
  const defaults: Record<string, string | number | boolean> = {};
  for (const [name, property] of Object.entries(objectOf(schema['properties']))) {
    const value = objectOf(property)['default'];
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') defaults[name] = value;
  }
  return defaults;
}
