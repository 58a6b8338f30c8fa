import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPath } from '../../../src/base/fieldError.ts';
import { withoutNulls } from '../../../src/observer/objects/nulls.ts';
import { unknownNode } from '../../../src/observer/objects/schemaNode.ts';
import { repeatedKeys } from '../../../src/observer/spec/repeatedKeys.ts';
import { builtInTopologies } from '../../../src/observer/topology/builtInTopologies.ts';
import { topologiesOf, topologyOf } from '../../../src/observer/topology/topologies.ts';
import { repeatedCases } from '../../support/objects/repeatedKeys.ts';
import { extracted, extractedDocument, placeAt, structureFor } from '../../support/objects/structures.ts';
import { retainedBytes } from '../../support/retainedBytes.ts';

/** Kind, path, keys and defaults, as a kube-apiserver publishes them. */
const mapLists = [
  ['apps/v1', 'Deployment', 'spec.template.spec.containers', ['name'], { name: '' }],
  ['apps/v1', 'Deployment', 'spec.template.spec.containers.*.env', ['name'], { name: '' }],
  ['v1', 'Pod', 'spec.volumes', ['name'], { name: '' }],
  ['v1', 'Pod', 'spec.imagePullSecrets', ['name'], { name: '' }],
  ['v1', 'Pod', 'spec.hostAliases', ['ip'], { ip: '' }],
  ['v1', 'Pod', 'spec.containers.*.volumeMounts', ['mountPath'], { mountPath: '' }],
  [
    'v1',
    'Pod',
    'spec.topologySpreadConstraints',
    ['topologyKey', 'whenUnsatisfiable'],
    { topologyKey: '', whenUnsatisfiable: '' },
  ],
  [
    'apps/v1',
    'StatefulSet',
    'spec.template.spec.containers.*.ports',
    ['containerPort', 'protocol'],
    { containerPort: 0, protocol: 'TCP' },
  ],
  ['v1', 'Service', 'spec.ports', ['port', 'protocol'], { port: 0, protocol: 'TCP' }],
  ['v1', 'ServiceAccount', 'secrets', ['name'], {}],
  ['observer.example.org/v1', 'Gadget', 'spec.parts', ['name', 'protocol'], { protocol: 'TCP' }],
] as const;

const atomicLists = [
  ['apps/v1', 'Deployment', 'spec.template.spec.containers.*.args'],
  ['apps/v1', 'Deployment', 'spec.template.spec.containers.*.command'],
  ['apps/v1', 'Deployment', 'spec.template.spec.containers.*.envFrom'],
  ['apps/v1', 'Deployment', 'spec.template.spec.tolerations'],
  ['apps/v1', 'StatefulSet', 'spec.volumeClaimTemplates'],
  ['apps/v1', 'StatefulSet', 'spec.volumeClaimTemplates.*.spec.accessModes'],
  ['networking.k8s.io/v1', 'Ingress', 'spec.rules'],
  ['networking.k8s.io/v1', 'Ingress', 'spec.rules.*.http.paths'],
  ['networking.k8s.io/v1', 'Ingress', 'spec.tls'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'spec.ingress'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'spec.ingress.*.from'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'spec.policyTypes'],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', 'spec.metrics'],
  ['rbac.authorization.k8s.io/v1', 'Role', 'rules'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', 'subjects'],
  ['v1', 'ServiceAccount', 'imagePullSecrets'],
  ['observer.example.org/v1', 'Gadget', 'spec.steps'],
] as const;

const atomicMaps = [
  ['apps/v1', 'Deployment', 'spec.selector'],
  ['apps/v1', 'Deployment', 'spec.template.spec.nodeSelector'],
  ['batch/v1', 'Job', 'spec.selector'],
  ['v1', 'Service', 'spec.selector'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', 'roleRef'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'spec.podSelector'],
  ['apps/v1', 'Deployment', 'spec.template.spec.containers.*.env.*.valueFrom.secretKeyRef'],
  ['observer.example.org/v1', 'Gadget', 'spec.whole'],
] as const;

for (const [apiVersion, kind, path, keys, defaults] of mapLists)
  test(`elements of ${kind} ${path} are identified by ${keys.join(' and ')}`, () => {
    assert.deepEqual(placeAt(structureFor(apiVersion, kind), path).list, { type: 'map', keys, defaults });
  });

for (const [apiVersion, kind, path] of atomicLists)
  test(`${kind} ${path} is an atomic list`, () => {
    assert.deepEqual(placeAt(structureFor(apiVersion, kind), path).list, { type: 'atomic' });
  });

for (const [apiVersion, kind, path] of atomicMaps)
  test(`${kind} ${path} is an atomic map, and its surroundings are not`, () => {
    const top = structureFor(apiVersion, kind);
    assert.equal(placeAt(top, path).map, 'atomic');
    assert.equal(top.map, 'granular');
    assert.equal(top.field('metadata').field('labels').map, 'granular');
  });

test('x-kubernetes-patch-merge-key has fewer keys than there are, and is not used', () => {
  const service = JSON.stringify(extractedDocument());
  assert.match(service, /"x-kubernetes-patch-merge-key":"port"/);
  const { list } = placeAt(structureFor('v1', 'Service'), 'spec.ports');
  assert.ok(list.type === 'map' && list.keys.length === 2);
});

test('finalizers are a set, owner references are identified by uid', () => {
  const metadata = structureFor('v1', 'ConfigMap').field('metadata');
  assert.deepEqual(metadata.field('finalizers').list, { type: 'set' });
  assert.deepEqual(metadata.field('ownerReferences').list, { type: 'map', keys: ['uid'], defaults: { uid: '' } });
});

test('a list without list type in a custom resource is unknown; a set is a set', () => {
  const spec = structureFor('observer.example.org/v1', 'Gadget').field('spec');
  assert.deepEqual(spec.field('plain').list, { type: 'unknown' });
  assert.deepEqual(spec.field('tags').list, { type: 'set' });
});

test('fields that a schema leaves open are granular, and their lists are unknown, at any depth', () => {
  const spec = structureFor('observer.example.org/v1', 'Gadget').field('spec');
  for (const at of [spec.field('open'), placeAt(spec, 'open.a.b.c'), placeAt(spec, 'open.list.*.inner')]) {
    assert.equal(at.map, 'granular');
    assert.deepEqual(at.field('anything').list, { type: 'unknown' });
  }
});

test('an embedded resource has the metadata of every resource, and its other fields are open', () => {
  const inner = placeAt(structureFor('observer.example.org/v1', 'Gadget'), 'spec.inner');
  assert.deepEqual(placeAt(inner, 'metadata.finalizers').list, { type: 'set' });
  assert.equal(placeAt(inner, 'spec.template').map, 'granular');
});

test('an int-or-string has unknown topology', () => {
  const port = placeAt(structureFor('observer.example.org/v1', 'Gadget'), 'spec.port');
  assert.equal(port.map, 'granular');
  assert.deepEqual(port.list, { type: 'unknown' });
});

test('a recursive schema can be walked to any depth', () => {
  const schema = placeAt(structureFor('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), 'spec.versions.*.schema');
  let at = schema.field('openAPIV3Schema');
  for (let depth = 0; depth < 500; depth += 1) at = at.field('properties').field('deeper');
  assert.deepEqual(at.field('required').list, { type: 'atomic' });
  assert.equal(at.field('default').map, 'atomic', 'any JSON is compared as a whole');
});

test('a node is created once, however often it is requested', () => {
  const top = structureFor('apps/v1', 'Deployment');
  assert.equal(placeAt(top, 'spec.template.spec.containers'), placeAt(top, 'spec.template.spec.containers'));
});

test('a kind that the document does not contain has no topology', () => {
  assert.equal(extracted.of('apps', 'v1', 'Widget'), undefined);
  assert.equal(extracted.of('apps', 'v1beta1', 'Deployment'), undefined);
  assert.equal(extracted.of('', 'v1', 'Deployment'), undefined);
});

const schemas = (schema: unknown) => ({ components: { schemas: { A: schema } } });
const gvk = { 'x-kubernetes-group-version-kind': [{ group: 'a', version: 'v1', kind: 'A' }] };

for (const [name, document] of Object.entries({
  'nothing at all': undefined,
  null: null,
  text: 'a document',
  'a list': [],
  'no components': {},
  'components that are a list': { components: [] },
  'schemas that are text': { components: { schemas: 'x' } },
  'a schema that is null': schemas(null),
  'kinds that are not a list': schemas({ 'x-kubernetes-group-version-kind': 'A' }),
  'kinds that are not objects': schemas({ 'x-kubernetes-group-version-kind': [null, 1, 'A'] }),
}))
  test(`a document that is ${name} contains no kinds, and does not throw`, () => {
    assert.equal(topologyOf(document, 'a', 'v1', 'A'), undefined);
  });

for (const [name, property] of Object.entries({
  'a reference to itself': { $ref: '#/components/schemas/A' },
  'a reference to nothing': { $ref: '#/components/schemas/Missing' },
  'a reference to elsewhere': { $ref: 'https://example.org/schema.json' },
  'a reference that is a number': { $ref: 7 },
  'properties that are a list': { properties: [] },
  'a property that is text': { properties: { x: 'y' } },
  'keys that are not a list': { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': 'name' },
  'a list of no keys': { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [] },
  'an unknown list type': { 'x-kubernetes-list-type': 'ring' },
}))
  test(`a node with ${name} is unknown`, () => {
    const at = topologyOf(
      schemas({ type: 'object', properties: { p: { type: 'object', ...property } }, ...gvk }),
      'a',
      'v1',
      'A',
    );
    assert.deepEqual(at?.field('p').field('q').list, { type: 'unknown' });
    assert.deepEqual(at?.field('p').list, { type: 'unknown' });
    assert.equal(at?.field('p').map, 'granular');
  });

test('schemas that include each other in a cycle are read without repetition', () => {
  const document = {
    components: {
      schemas: {
        A: { allOf: [{ $ref: '#/components/schemas/B' }], ...gvk },
        B: { allOf: [{ $ref: '#/components/schemas/A' }], properties: { p: { 'x-kubernetes-list-type': 'set' } } },
      },
    },
  };
  assert.deepEqual(topologyOf(document, 'a', 'v1', 'A')?.field('p').list, { type: 'set' });
});

test('what a node itself declares takes precedence over what it includes', () => {
  const document = schemas({
    type: 'object',
    properties: {
      p: {
        'x-kubernetes-map-type': 'granular',
        allOf: [{ 'x-kubernetes-map-type': 'atomic', 'x-kubernetes-list-type': 'set', properties: { q: {} } }],
      },
    },
    ...gvk,
  });
  const at = topologyOf(document, 'a', 'v1', 'A')?.field('p');
  assert.equal(at?.map, 'granular');
  assert.deepEqual(at?.list, { type: 'set' });
});

test('an extremely deep schema is read to a limit', () => {
  let schema: unknown = { 'x-kubernetes-list-type': 'set' };
  for (let depth = 0; depth < 5_000; depth += 1) schema = { type: 'object', properties: { p: schema } };
  let at = topologyOf(schemas({ type: 'object', properties: { p: schema }, ...gvk }), 'a', 'v1', 'A') ?? unknownNode;
  for (let depth = 0; depth < 5_001; depth += 1) at = at.field('p');
  assert.deepEqual(at.list, { type: 'unknown' });
});

test('the topology that was read from a document does not retain the document in memory', () => {
  const read = () =>
    topologiesOf({ ...schemas({ type: 'object', ...gvk }), texts: Array.from({ length: 100_000 }, String) });
  const first = read();
  const before = retainedBytes();
  const topologies = Array.from({ length: 10 }, read);
  const grown = retainedBytes() - before;
  assert.ok(first.of('a', 'v1', 'A') && topologies.every((each) => each.of('a', 'v1', 'A')));
  assert.ok(grown < 1_000_000, `${grown} bytes; a document has more`);
});

for (const { what, object, errors } of repeatedCases)
  test(`${what}, twice in a list, is ${errors.length === 0 ? 'valid' : 'an error with its positions'}`, () => {
    for (const structures of [extracted, builtInTopologies()]) {
      const at = structures.of('', 'v1', String(object['kind']));
      assert(at !== undefined);
      assert.deepEqual(
        repeatedKeys(object, 0, at).map(({ path, message }) => `${formatPath(path)}: ${message}`),
        errors.map((error) => `spec.manifests[0].${error}`),
      );
    }
  });

test('elements with incomplete keys, and lists of unknown topology, have no repeated keys', () => {
  const at = structureFor('v1', 'Service');
  const ports = [
    { port: 80, protocol: null },
    { port: 80 },
    { protocol: null },
    { protocol: null },
    'x',
    'x',
    null,
    null,
  ];
  assert.deepEqual(repeatedKeys({ spec: { ports } }, 0, at), []);
  assert.deepEqual(repeatedKeys({ spec: { ports: [{ port: 1 }, { port: 1 }] } }, 0, unknownNode), []);
  const gadget = structureFor('observer.example.org/v1', 'Gadget');
  const parts = [{ name: 'a' }, { name: 'a', protocol: 'TCP' }];
  assert.equal(repeatedKeys({ spec: { steps: parts } }, 0, gadget).length, 0);
  assert.equal(repeatedKeys({ spec: { parts } }, 0, gadget).length, 1);
});

test('a long key that occurs a thousand times is reported in one short sentence', () => {
  const containers = Array.from({ length: 1_000 }, () => ({ name: 'x'.repeat(10_000) }));
  const errors = repeatedKeys({ spec: { containers } }, 0, structureFor('v1', 'Pod'));
  assert.equal(errors.length, 1);
  assert.match(errors[0]?.message ?? '', /^the key name="x{94}… is at the positions 0, 1, 2, 3, 4 and 995 more, /);
});

test('a null of a built-in kind, or of a field that is not nullable, says nothing; an element that is null stays', () => {
  const template = {
    metadata: { labels: { app: 'a' }, annotations: null },
    spec: { nodeSelector: null, args: [null] },
  };
  const cleaned = { metadata: { labels: { app: 'a' } }, spec: { args: [null] } };
  const deployment = structureFor('apps/v1', 'Deployment');
  assert.deepEqual(withoutNulls({ spec: { template, other: null } }, deployment), { spec: { template: cleaned } });
  const gadget = structureFor('observer.example.org/v1', 'Gadget');
  const spec = { steps: null, options: { a: null }, plain: [{ name: null, size: 1 }, null] };
  assert.deepEqual(withoutNulls({ spec }, gadget), { spec: { options: {}, plain: [{ size: 1 }, null] } });
});

test('a null of a custom resource is a value where the field is nullable, or where nothing is declared', () => {
  const text = { type: 'string' };
  const open = { 'x-kubernetes-preserve-unknown-fields': true };
  const properties = {
    text: { ...text, nullable: true },
    map: { type: 'object', additionalProperties: { ...text, nullable: true } },
    values: { type: 'object', ...open, properties: { known: text, part: { type: 'object', nullable: true } } },
    any: { type: 'array', ...open },
  };
  const kind = { group: 'example.org', version: 'v1', kind: 'Widget' };
  const widget = { type: 'object', properties, 'x-kubernetes-group-version-kind': [kind] };
  const at = topologyOf({ components: { schemas: { widget } } }, kind.group, kind.version, kind.kind);
  assert(at !== undefined);
  const kept = { text: null, map: { a: null }, any: [{ a: null }], values: { part: null, b: { c: [{ d: null }] } } };
  assert.equal(withoutNulls(kept, at), kept);
  const dropped = { undeclared: null, map: null, any: null, values: { known: null, a: null } };
  assert.deepEqual(withoutNulls(dropped, at), { values: { a: null } });
});
