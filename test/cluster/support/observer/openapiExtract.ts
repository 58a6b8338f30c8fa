/**
 * `node test/cluster/support/observer/openapiExtract.ts` writes test/data/openapi.jsonl again: the structure of a few
 * kinds by a real API server, for tests that need no server. A cluster test reports when it is out of date.
 */
import { writeFileSync } from 'node:fs';
import { isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { eventually } from '../eventually.ts';
import type { Cluster } from '../plane/access.ts';
import { startControlPlane } from '../plane/controlPlane.ts';
import { gadgetDefinition } from './kindsOfObjects.ts';

export const extractFile = new URL('../../../data/openapi.jsonl', import.meta.url);

const documents = {
  'api/v1': ['Pod', 'Service', 'ConfigMap', 'Secret', 'ServiceAccount', 'Namespace'],
  'apis/apps/v1': ['Deployment', 'StatefulSet'],
  'apis/batch/v1': ['Job'],
  'apis/networking.k8s.io/v1': ['Ingress', 'NetworkPolicy'],
  'apis/autoscaling/v2': ['HorizontalPodAutoscaler'],
  'apis/rbac.authorization.k8s.io/v1': ['Role', 'RoleBinding'],
  'apis/apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'apis/observer.example.org/v1': ['Gadget'],
} as const;

/** The fields that decide how the server merges, and the one to ignore (the merge key of the older patch). */
const reduced = [
  '$ref',
  'allOf',
  'type',
  'format',
  'oneOf',
  'items',
  'properties',
  'additionalProperties',
  'default',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
];

async function documentWith(cluster: Cluster, path: string, kinds: readonly string[]): Promise<JsonObject | undefined> {
  const schemas = schemasOf(await readDocument(cluster, path));
  return kinds.every((kind) => nameOf(schemas, kind) !== undefined) ? schemas : undefined;
}

/** The schemas in documents of `/openapi/v3` of these kinds, and of their fields: a line a schema, `[name, schema]`. */
export async function extractOpenapi(cluster: Cluster): Promise<string> {
  await cluster.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: gadgetDefinition });
  const extracted = new Map<string, JsonObject>();
  for (const [path, kinds] of Object.entries(documents)) {
    const what = `the kinds ${kinds.join(', ')} in the document of ${path}`;
    const schemas = await eventually(() => documentWith(cluster, path, kinds), { what });
    for (const kind of kinds) extract(nameOf(schemas, kind), schemas, extracted);
  }
  const sorted = [...extracted].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map((each) => `${JSON.stringify(each)}\n`).join('');
}

/** The document of a group's version, such as `apis/apps/v1`; undefined if the server has none yet. */
export async function readDocument(cluster: Cluster, path: string): Promise<unknown> {
  const { status, body } = await cluster.send('GET', `/openapi/v3/${path}`);
  return status === 200 ? parsed(body) : undefined;
}

/** The server labels the document as text/plain. */
function parsed(body: unknown): unknown {
  return typeof body === 'string' ? JSON.parse(body) : body;
}

export function schemasOf(document: unknown): JsonObject {
  return objectOf(objectOf(objectOf(document)['components'])['schemas']);
}

function nameOf(schemas: JsonObject, kind: string): string | undefined {
  return Object.keys(schemas).find(
    (name) => name.endsWith(`.${kind}`) && objectOf(schemas[name])['x-kubernetes-group-version-kind'] !== undefined,
  );
}

function extract(name: string | undefined, schemas: JsonObject, extracted: Map<string, JsonObject>): void {
  if (name === undefined || extracted.has(name)) return;
  const schema = objectOf(schemas[name]);
  const kinds = schema['x-kubernetes-group-version-kind'];
  const isMany = Array.isArray(kinds) && kinds.length > 1;
  const own = kinds === undefined || isMany ? {} : { 'x-kubernetes-group-version-kind': kinds };
  extracted.set(name, { ...trimmed(schema), ...own });
  for (const ref of refsIn(trimmed(schema))) extract(ref, schemas, extracted);
}

/** The names of the schemas that it refers to. */
export function refsIn(schema: unknown): readonly string[] {
  return [...JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, ref = '']) => ref);
}

function trimmed(schema: JsonObject): JsonObject {
  const result: Record<string, unknown> = {};
  for (const key of reduced) if (key in schema) result[key] = trimmedPart(key, schema[key]);
  return result;
}

function trimmedPart(key: string, part: unknown): unknown {
  if (key === 'default') return part;
  if (Array.isArray(part)) return part.map((each) => (isObject(each) ? trimmed(each) : each));
  if (!isObject(part)) return part;
  if (key !== 'properties') return trimmed(part);
  return Object.fromEntries(Object.entries(part).map(([name, property]) => [name, trimmed(objectOf(property))]));
}

/** Writes what a control plane of its own gives. */
export async function writeExtract(file: URL, extractFrom: (cluster: Cluster) => Promise<string>): Promise<void> {
  const controlPlane = await startControlPlane({ controllerManager: false });
  try {
    writeFileSync(file, await extractFrom(controlPlane));
  } finally {
    await controlPlane.stop();
  }
}

if (process.argv[1] === import.meta.filename) await writeExtract(extractFile, extractOpenapi);
