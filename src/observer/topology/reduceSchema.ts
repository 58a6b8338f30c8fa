import { arrayOf, isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { ListTopology } from '../objects/schemaNode.ts';

/**
 * What one schema of a document says about topology: the name of another schema, a reduced schema, or nothing
 * (`undefined`, for example for strings and numbers).
 */
export type SchemaRef = string | ReducedSchema | undefined;

export interface ReducedSchema {
  /** Undefined: it is in `bases`, or unknown. */
  readonly list: Exclude<ListTopology, { readonly type: 'map' }> | ListOfMaps | undefined;
  readonly map: 'granular' | 'atomic' | undefined;
  readonly fields: ReadonlyMap<string, SchemaRef>;
  /** For fields that `fields` does not have (`additionalProperties`). */
  readonly rest: SchemaRef;
  readonly items: SchemaRef;
  /** The schemas (`$ref`, `allOf`) that apply where this one specifies nothing. */
  readonly bases: readonly SchemaRef[];
  /** The values of fields that an object leaves out; only scalar defaults. */
  readonly defaults: Readonly<Record<string, string | number | boolean>>;
  /** Null is a value of the field with this schema. */
  readonly isNullable: boolean;
  /** Undeclared fields and elements are stored as they are. */
  readonly isOpen: boolean;
}

/** The defaults of its keys are in `items`, which may be another schema. */
interface ListOfMaps {
  readonly type: 'map';
  readonly keys: readonly string[];
}

/** Deeper than any schema that a person writes. Deeper levels are unknown. */
const deepest = 200;

const refPrefix = '#/components/schemas/';

const untyped: ReducedSchema = {
  list: { type: 'atomic' },
  map: 'atomic',
  fields: new Map(),
  rest: undefined,
  items: undefined,
  bases: [],
  defaults: {},
  isNullable: false,
  isOpen: false,
};

/** Reduces a schema to what determines how the server merges, without descriptions and validation. */
export function reduceSchema(schema: JsonObject, depth = 0): SchemaRef {
  if (depth > deepest) return undefined;
  const below = (inner: unknown): SchemaRef => (isObject(inner) ? reduceSchema(inner, depth + 1) : undefined);
  if (isUntyped(schema)) return untyped;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const fields = new Map<string, SchemaRef>();
  for (const [name, property] of Object.entries(objectOf(schema['properties']))) {
    const step = below(property);
    // In an open map, a declared field differs from an undeclared one even if nothing else is said about it.
    if (step !== undefined || isOpen) fields.set(name, step);
  }
  const reduced: ReducedSchema = {
    list: listOf(schema),
    map: mapOf(schema),
    fields,
    rest: below(schema['additionalProperties']),
    items: below(schema['items']),
    bases: [refOf(schema), ...arrayOf(schema['allOf']).map(below)].filter((base) => base !== undefined),
    defaults: defaultsOf(schema),
    isNullable: schema['nullable'] === true,
    isOpen,
  };
  return addsNothing(reduced) ? reduced.bases[0] : reduced;
}

/**
 * Any JSON, such as the `default` in a CustomResourceDefinition: the server merges such a value as a whole. If a schema
 * only preserves unknown fields, it merges maps.
 */
function isUntyped(schema: JsonObject): boolean {
  return !Object.keys(schema).some((key) => key !== 'description' && key !== 'default' && key !== 'nullable');
}

/** Returns true if the schema adds nothing, so that its only base can replace it. */
function addsNothing({ list, map, fields, rest, items, bases, defaults, isNullable, isOpen }: ReducedSchema): boolean {
  if (isNullable || isOpen) return false;
  if (list !== undefined || map !== undefined || rest !== undefined || items !== undefined) return false;
  return fields.size === 0 && bases.length <= 1 && Object.keys(defaults).length === 0;
}

function refOf(schema: JsonObject): SchemaRef {
  const ref = schema['$ref'];
  return typeof ref === 'string' && ref.startsWith(refPrefix) ? ref.slice(refPrefix.length) : undefined;
}

function listOf(schema: JsonObject): ReducedSchema['list'] {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set' || type === 'atomic') return { type };
  const keys = arrayOf(schema['x-kubernetes-list-map-keys']).filter((key) => typeof key === 'string');
  return type === 'map' && keys.length > 0 ? { type: 'map', keys } : undefined;
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
