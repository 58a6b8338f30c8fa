import assert from 'node:assert/strict';
import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '../../src/base/json.ts';
import { createDefinition, waitForStatus } from '../kinds/definitions.ts';
import { body, type NamespaceTest, type Target } from '../target.ts';

/** `/openapi/v3`: the schemas of the kinds. */
export function testOpenApi(test: NamespaceTest): void {
  test('an index links the document of each group and version, with its hash', async ({ target }) => {
    const url = (await index(target)).get('apis/apps/v1') ?? '';
    assert.match(url, /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
    const answer = await target.send('GET', url);
    assert.equal(body(answer, 200)['openapi'], '3.0.0');
    assert.equal(answer.headers['etag'], `"${url.split('=').at(-1)}"`);
    assert.deepEqual((await target.send('GET', '/openapi/v3/apis/apps/v1')).body, answer.body);
    assert.equal((await target.send('GET', '/openapi/v3/apis/nothing.io/v1')).status, 404);
  });

  for (const [path, kinds] of Object.entries(served)) {
    test(`the document of ${path} has the merge topology of the lists and maps of its kinds`, async ({ target }) => {
      const document = body(await target.send('GET', `/openapi/v3/${path}`), 200);
      for (const [kind, expected] of Object.entries(kinds)) {
        const topology = merging(document, kind);
        for (const [field, is] of Object.entries(expected)) assert.equal(topology.get(field), is, `${kind}${field}`);
      }
    });
  }

  test('a custom resource has the schema of its definition', async (at) => {
    const text = { type: 'string' };
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['n', 'p'] };
    const widgets = await createDefinition(at, {
      properties: {
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        plain: { type: 'array', items: text },
        parts: {
          type: 'array',
          ...keyed,
          items: { type: 'object', required: ['n'], properties: { n: text, p: { ...text, default: 'TCP' } } },
        },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text } },
        inner: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      },
    });
    const path = `/openapi/v3/apis/${widgets.group}/v1`;
    const topology = merging(body(await waitForStatus(at, path, 200), 200), 'Widget');
    const expected = {
      '.metadata.finalizers': 'set',
      '.spec.tags': 'set',
      '.spec.plain': 'list',
      '.spec.parts': 'map n p=TCP',
      '.spec.whole': 'atomic',
      '.spec.inner.metadata.finalizers': 'set',
    };
    for (const [field, is] of Object.entries(expected)) assert.equal(topology.get(field), is, field);
  });
}

/** The topology of some fields that the embedded server serves. */
const served: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
  'api/v1': {
    Service: { '.spec.ports': 'map port=0 protocol=TCP', '.spec.selector': 'atomic', '.spec.externalIPs': 'atomic' },
    ConfigMap: { '.data': 'map', '.metadata.labels': 'map', '.metadata.ownerReferences': 'map uid=' },
    ServiceAccount: { '.imagePullSecrets': 'atomic', '.secrets': 'map name' },
    Pod: { '.spec.containers': 'map name=', '.spec.tolerations': 'atomic', '.spec.nodeSelector': 'atomic' },
  },
  'apis/apps/v1': {
    Deployment: {
      '.spec.selector': 'atomic',
      '.spec.template.spec.containers': 'map name=',
      '.spec.template.spec.containers.args': 'atomic',
      '.spec.template.spec.containers.env': 'map name=',
      '.spec.template.spec.containers.envFrom': 'atomic',
      '.spec.template.spec.containers.env.valueFrom.configMapKeyRef': 'atomic',
      '.spec.template.spec.containers.ports': 'map containerPort=0 protocol=TCP',
      '.spec.template.spec.containers.volumeMounts': 'map mountPath=',
      '.spec.template.spec.hostAliases': 'map ip=',
      '.spec.template.spec.imagePullSecrets': 'map name=',
      '.spec.template.spec.topologySpreadConstraints': 'map topologyKey= whenUnsatisfiable=',
      '.spec.template.spec.volumes': 'map name=',
      '.spec.template.spec.volumes.configMap.items': 'atomic',
    },
    StatefulSet: { '.spec.volumeClaimTemplates': 'atomic' },
  },
  'apis/networking.k8s.io/v1': {
    Ingress: { '.spec.rules': 'atomic', '.spec.tls': 'atomic' },
    NetworkPolicy: { '.spec.ingress': 'atomic', '.spec.policyTypes': 'atomic' },
  },
  'apis/autoscaling/v2': {
    HorizontalPodAutoscaler: { '.spec.metrics': 'atomic', '.spec.behavior.scaleUp.policies': 'atomic' },
  },
  'apis/rbac.authorization.k8s.io/v1': {
    Role: { '.rules': 'atomic' },
    RoleBinding: { '.subjects': 'atomic', '.roleRef': 'atomic' },
  },
  'apis/policy/v1': { PodDisruptionBudget: { '.spec.selector': 'atomic', '.status.conditions': 'map type=' } },
  'apis/batch/v1': { CronJob: { '.spec.jobTemplate.spec.template.spec.containers': 'map name=' } },
};

async function index(target: Target): Promise<ReadonlyMap<string, string>> {
  const answer = await target.send('GET', '/openapi/v3');
  assert.equal(answer.status, 200);
  const parsed: unknown = typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body;
  const paths = Object.entries(objectOf(objectOf(parsed)['paths']));
  return new Map(paths.map(([path, entry]) => [path, textOf(objectOf(entry)['serverRelativeURL']) ?? '']));
}

/**
 * The topology of a kind, by the path of each list and map: `map` (with its keys and their defaults), `set`, `atomic`,
 * `list`.
 */
export function merging(document: JsonObject, kind: string): ReadonlyMap<string, string> {
  const schemas = objectOf(objectOf(document['components'])['schemas']);
  const topology = new Map<string, string>();
  const resolved = (schema: JsonObject): JsonObject => {
    const [first] = arrayOf(schema['allOf']);
    const reference = textOf(schema['$ref'] ?? objectOf(first)['$ref']);
    return reference === undefined ? schema : { ...schema, ...objectOf(schemas[reference.split('/').at(-1) ?? '']) };
  };
  const walk = (given: JsonObject, path: string, depth: number) => {
    const schema = resolved(given);
    const { properties, items } = schema;
    const is = isObject(items) ? listOf(schema, resolved(items)) : mapOf(schema);
    // The items of a list have the path of the list, which has its topology already.
    if (is !== '' && !topology.has(path)) topology.set(path, is);
    if (depth > 12) return;
    if (isObject(items)) walk(items, path, depth + 1);
    for (const [name, property] of Object.entries(objectOf(properties)))
      walk(objectOf(property), `${path}.${name}`, depth + 1);
  };
  const isOfKind = (schema: unknown) =>
    arrayOf(objectOf(schema)['x-kubernetes-group-version-kind']).some((each) => objectOf(each)['kind'] === kind);
  const root = Object.values(schemas).find(isOfKind);
  assert(root !== undefined, kind);
  for (const [name, property] of Object.entries(objectOf(objectOf(root)['properties'])))
    walk(objectOf(property), `.${name}`, 0);
  return topology;
}

/** Empty for values that are not maps, and for maps with declared fields. */
function mapOf(schema: JsonObject): string {
  if (schema['x-kubernetes-map-type'] === 'atomic') return 'atomic';
  return isObject(schema['additionalProperties']) ? 'map' : '';
}

function listOf(schema: JsonObject, items: JsonObject): string {
  const type = textOf(schema['x-kubernetes-list-type']) ?? 'list';
  const keys = arrayOf(schema['x-kubernetes-list-map-keys']).map((key) => {
    const fallback = objectOf(objectOf(items['properties'])[String(key)])['default'];
    return ` ${String(key)}${fallback === undefined ? '' : `=${String(fallback)}`}`;
  });
  return `${type}${keys.join('')}`;
}
