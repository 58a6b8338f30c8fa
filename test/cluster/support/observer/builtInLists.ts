/**
 * `node test/cluster/support/observer/builtInLists.ts` writes generated/builtInLists.json again, which `weeder check`
 * uses, as it sends no requests. A cluster test reports when it is out of date.
 */
import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { Cluster } from '../plane/access.ts';
import { readDocument, refsIn, schemasOf, writeExtract } from './openapiExtract.ts';

/** What `weeder check` knows of the lists of built-in kinds. */
export const builtInListsFile = new URL('../../../../generated/builtInLists.json', import.meta.url);

const builtIn = /^(api\/v1|apis\/([a-z]+|[a-z.]+\.k8s\.io)\/v\d+)$/;

type Schemas = Map<string, JsonObject>;

/**
 * The documents of `/openapi/v3` reduced to lists that have keys or are sets, with the path to them from each kind: in
 * the same form, a line a schema.
 */
export async function extractBuiltInLists(cluster: Cluster): Promise<string> {
  const paths = await builtInPaths(cluster);
  const schemas: Schemas = new Map();
  for (const document of await Promise.all(paths.map((path) => readDocument(cluster, path))))
    for (const [name, schema] of Object.entries(schemasOf(document)))
      if (!name.endsWith('List')) schemas.set(name, objectOf(schema));
  const withLists = withListsOf(schemas);
  const defaults = keyDefaults(schemas);
  const lines = [...withLists].toSorted().flatMap((name) => {
    const reduced = reducedFields(schemas.get(name) ?? {}, withLists, defaults, name);
    return isReached(name, withLists, schemas) ? [`${JSON.stringify(name)}: ${JSON.stringify(reduced)}`] : [];
  });
  return `{\n  ${lines.join(',\n  ')}\n}\n`;
}

/** The documents of Kubernetes' own kinds, without alpha and beta versions: `apis/apps/v1`. */
export async function builtInPaths(cluster: Cluster): Promise<readonly string[]> {
  const index: unknown = JSON.parse(String((await cluster.send('GET', '/openapi/v3')).body));
  return Object.keys(objectOf(objectOf(index)['paths'])).filter((path) => builtIn.test(path));
}

/** Kinds, and the schemas that others refer to: the answer to an eviction is neither. */
function isReached(name: string, withLists: ReadonlySet<string>, schemas: Schemas): boolean {
  if (kindsOf(schemas.get(name) ?? {}).length > 0) return true;
  return [...withLists].some((each) => refsOf(schemas.get(each)).includes(name));
}

/** By name: schemas with such a list, or that lead to one. */
function withListsOf(schemas: Schemas): ReadonlySet<string> {
  const withLists = new Set<string>();
  for (let before = -1; before !== withLists.size; ) {
    before = withLists.size;
    for (const [name, schema] of schemas)
      if (hasKeyedList(schema) || refsOf(schema).some((each) => withLists.has(each))) withLists.add(name);
  }
  return withLists;
}

function hasKeyedList({ properties }: JsonObject): boolean {
  return Object.values(objectOf(properties)).some((each) => isKeyed(objectOf(each)));
}

function isKeyed(schema: JsonObject): boolean {
  return schema['x-kubernetes-list-type'] === 'map' || schema['x-kubernetes-list-type'] === 'set';
}

/** The defaults of the keys of lists, by the schema of their elements. */
function keyDefaults(schemas: Schemas): ReadonlyMap<string, JsonObject> {
  const defaults = new Map<string, JsonObject>();
  for (const { properties } of schemas.values())
    for (const list of Object.values(objectOf(properties)).map(objectOf)) {
      const items = refOf(objectOf(list['items']));
      const fields = objectOf(schemas.get(items ?? '')?.['properties']);
      const keys = arrayOf(list['x-kubernetes-list-map-keys']).map(String);
      const those = keys.flatMap((key) => {
        const value = objectOf(fields[key])['default'];
        return value === undefined ? [] : [[key, { default: value }] as const];
      });
      if (items !== undefined && those.length > 0)
        defaults.set(items, { ...defaults.get(items), ...Object.fromEntries(those) });
    }
  return defaults;
}

function reducedFields(
  schema: JsonObject,
  withLists: ReadonlySet<string>,
  defaults: ReadonlyMap<string, JsonObject>,
  name: string,
): JsonObject {
  const fields = Object.entries(objectOf(schema['properties'])).flatMap(([field, property]) => {
    const reducedProperty = field === 'status' ? undefined : reduced(objectOf(property), withLists, defaults);
    return reducedProperty === undefined ? [] : [[field, reducedProperty] as const];
  });
  const kinds = kindsOf(schema);
  return {
    properties: { ...defaults.get(name), ...Object.fromEntries(fields) },
    ...(kinds.length === 0 ? {} : { 'x-kubernetes-group-version-kind': kinds }),
  };
}

function reduced(
  property: JsonObject,
  withLists: ReadonlySet<string>,
  defaults: ReadonlyMap<string, JsonObject>,
): JsonObject | undefined {
  const ref = refOf(property);
  if (ref !== undefined) return withLists.has(ref) ? { $ref: `${prefix}${ref}` } : undefined;
  const { items: element, additionalProperties: value } = property;
  const items = isObject(element) ? reducedItems(element, withLists, isKeyed(property) ? defaults : none) : undefined;
  const rest = isObject(value) ? reduced(value, withLists, defaults) : undefined;
  const own = pick(property, ['x-kubernetes-list-type', 'x-kubernetes-list-map-keys']);
  const reducedSchema = {
    ...(isKeyed(property) ? { ...own, items: {} } : {}),
    ...(items === undefined ? {} : { items }),
    ...(rest === undefined ? {} : { additionalProperties: rest }),
  };
  return Object.keys(reducedSchema).length === 0 ? undefined : reducedSchema;
}

const none: ReadonlyMap<string, JsonObject> = new Map();

function reducedItems(
  items: JsonObject,
  withLists: ReadonlySet<string>,
  defaults: ReadonlyMap<string, JsonObject>,
): JsonObject | undefined {
  const ref = refOf(items);
  const those = defaults.get(ref ?? '');
  if (ref !== undefined && !withLists.has(ref) && those !== undefined) return { properties: those };
  return reduced(items, withLists, defaults);
}

const prefix = '#/components/schemas/';

/** With more fields than the reference itself, such as a default, the reference is in `allOf`. */
function refOf(schema: JsonObject): string | undefined {
  const parts = arrayOf(schema['allOf']).map(objectOf);
  const ref = textOf(schema['$ref']) ?? (parts.length === 1 ? textOf(parts[0]?.['$ref']) : undefined);
  return ref?.startsWith(prefix) ? ref.slice(prefix.length) : undefined;
}

function refsOf(schema: JsonObject | undefined): readonly string[] {
  return refsIn(schema?.['properties'] ?? {});
}

/** Options of requests are of every group. */
function kindsOf(schema: JsonObject): readonly unknown[] {
  const kinds = arrayOf(schema['x-kubernetes-group-version-kind']);
  return kinds.length === 1 ? kinds : [];
}

function pick(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (name in from ? [[name, from[name]]] : [])));
}

if (process.argv[1] === import.meta.filename) await writeExtract(builtInListsFile, extractBuiltInLists);
