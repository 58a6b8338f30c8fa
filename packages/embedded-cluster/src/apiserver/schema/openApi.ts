import { createHash } from 'node:crypto';
import { isObject, type JsonObject, objectOf } from '../../base/json.ts';
import type { Resource } from '../registry/resource.ts';
import { definitionSchema } from './definitionSchema.ts';
import { type FieldDeclaration, type TypeDeclaration, typeOf } from './types.ts';

/** A document of `/openapi/v3` with the schemas of one group and version, limited to what merging needs. */
interface OpenApiDocument {
  /** `api/v1`, `apis/apps/v1`. */
  readonly path: string;
  readonly json: string;
  /** A hash of the content. */
  readonly hash: string;
}

const cache = new WeakMap<readonly Resource[], ReadonlyMap<string, OpenApiDocument>>();
/** By the first resource of a group and version, because all servers share the built-in ones. */
const built = new WeakMap<Resource, { readonly kinds: readonly Resource[]; readonly document: OpenApiDocument }>();

/** Returns the documents of all served resources, by path. */
export function openApiDocuments(resources: readonly Resource[]): ReadonlyMap<string, OpenApiDocument> {
  const cachedDocuments = cache.get(resources);
  if (cachedDocuments !== undefined) return cachedDocuments;
  const byPath = Map.groupBy(resources, pathOf);
  const documents = new Map([...byPath].map(([path, kinds]) => [path, builtOf(path, kinds)]));
  cache.set(resources, documents);
  return documents;
}

/** Returns the response to `/openapi/v3`, which lists the paths of the documents. */
export function openApiIndex(documents: ReadonlyMap<string, OpenApiDocument>): JsonObject {
  const entries = [...documents.values()].map(
    ({ path, hash }) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const,
  );
  return { paths: Object.fromEntries(entries) };
}

function pathOf({ group, version }: Resource): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function builtOf(path: string, kinds: readonly Resource[]): OpenApiDocument {
  const [first] = kinds;
  const known = first === undefined ? undefined : built.get(first);
  if (known?.kinds.length === kinds.length && kinds.every((kind, index) => kind === known.kinds[index]))
    return known.document;
  const document = documentOf(path, kinds);
  if (first !== undefined) built.set(first, { kinds, document });
  return document;
}

function documentOf(path: string, kinds: readonly Resource[]): OpenApiDocument {
  const schemas = new Map<string, JsonObject>();
  for (const resource of kinds) addKind(schemas, resource);
  const info = { title: 'Kubernetes', version: 'v1.36.0-weeder.embedded' };
  const json = JSON.stringify({
    openapi: '3.0.0',
    info,
    paths: {},
    components: { schemas: Object.fromEntries(schemas) },
  });
  return { path, json, hash: createHash('sha512').update(json).digest('hex').toUpperCase() };
}

function addKind(schemas: Map<string, JsonObject>, resource: Resource): void {
  const { group, version, kind, schema } = resource;
  const own = isObject(schema) ? definitionSchema(schema, reference('ObjectMeta')) : undefined;
  if (own !== undefined) addType(schemas, 'ObjectMeta');
  else addType(schemas, kind);
  const base = own ?? schemas.get(nameOf(kind)) ?? { type: 'object' };
  const text = { type: 'string' };
  const properties = { apiVersion: text, kind: text, ...objectOf(base['properties']) };
  const identity = [{ group, kind, version }];
  const name = own === undefined ? nameOf(kind) : `${group}.${version}.${kind}`;
  schemas.set(name, { ...base, properties, 'x-kubernetes-group-version-kind': identity });
}

/** Adds a type and all types that it refers to. */
function addType(schemas: Map<string, JsonObject>, type: string): void {
  const declaration = typeOf(type);
  if (declaration === undefined || schemas.has(nameOf(type))) return;
  schemas.set(nameOf(type), typeSchema(declaration));
  for (const { of } of declaration.fields) if ('type' in of) addType(schemas, of.type);
}

function nameOf(type: string): string {
  return `io.k8s.api.${type}`;
}

function reference(type: string): JsonObject {
  return { allOf: [{ $ref: `#/components/schemas/${nameOf(type)}` }] };
}

function typeSchema({ isAtomic, fields }: TypeDeclaration): JsonObject {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
    ...(isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

const scalarSchemas = {
  string: { type: 'string' },
  integer: { type: 'integer', format: 'int32' },
  number: { type: 'number', format: 'double' },
  boolean: { type: 'boolean' },
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  intOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
} as const;

const listTypes = { list: 'atomic', set: 'set', keyed: 'map' } as const;

function fieldSchema(field: FieldDeclaration): JsonObject {
  const { of, container, keys } = field;
  const element =
    'scalar' in of ? scalarSchemas[of.scalar] : of.type === 'Any' ? { type: 'object' } : reference(of.type);
  if (container === undefined) return { ...element, ...defaultOf(field) };
  if (container === 'map' || container === 'atomicMap') {
    const whole = container === 'atomicMap' ? { 'x-kubernetes-map-type': 'atomic' } : {};
    return { type: 'object', additionalProperties: element, ...whole };
  }
  return {
    type: 'array',
    items: element,
    'x-kubernetes-list-type': listTypes[container],
    ...(keys.length === 0
      ? {}
      : {
          'x-kubernetes-list-map-keys': keys,
          'x-kubernetes-patch-merge-key': keys[0],
          'x-kubernetes-patch-strategy': 'merge',
        }),
  };
}

/** As in the documents of a real server, the default of a required string or integer is its zero value. */
function defaultOf({ default: fallback, isRequired, of }: FieldDeclaration): JsonObject {
  if (fallback !== undefined) return { default: fallback };
  const hasZero = isRequired && 'scalar' in of && (of.scalar === 'string' || of.scalar === 'integer');
  return hasZero ? { default: of.scalar === 'integer' ? 0 : '' } : {};
}
