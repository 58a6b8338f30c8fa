import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { compare } from '../../../src/observer/drift/compare.ts';
import { project } from '../../../src/observer/drift/project.ts';
import type { Manifest } from '../../../src/observer/objects/identity.ts';
import { type FieldMask, leaf } from '../../../src/observer/schema/fieldMask.ts';
import { manifestOf, nginxDeployment, nginxService } from '../../support/docs/manifests.ts';
import { type Edit, edited } from '../../support/objects/edits.ts';
import { structureFor } from '../../support/objects/structures.ts';
import { maskOf } from '../../support/oracle/fieldMasks.ts';

const bounds = (min: number, max: number, key?: string | readonly string[]) => ({
  observer_schema_list_min_length: min,
  observer_schema_list_max_length: max,
  ...(key === undefined ? {} : { observer_schema_list_key: key }),
});

/** Compares the edited reply with the server's reply; the reply is the manifest unless given. */
function drifts(manifest: Manifest, mask: FieldMask, edits: readonly Edit[], reply: JsonObject = manifest.object) {
  const topology = structureFor(manifest.apiVersion, manifest.identity.kind);
  const baseline = project(reply, manifest, mask, topology);
  const projection = project(edited(reply, ...edits), manifest, mask, topology);
  assert.deepEqual(
    compare(baseline, project(structuredClone(reply), manifest, mask, topology)),
    [],
    'no drift without an edit',
  );
  return compare(baseline, projection).map(({ path, desired, found: value, type }) => [type, path, desired, value]);
}

const container = 'spec.template.spec.containers.0';
const containerPath = '.spec.template.spec.containers[name="nginx"]';
const metadata = (object: JsonObject) => objectOf(object['metadata']);

test('a changed field is drift, with its desired and its found value', () => {
  assert.deepEqual(drifts(nginxDeployment, leaf, [[`${container}.image`, 'nginx:evil']]), [
    ['changed', `${containerPath}.image`, 'nginx:1.29', 'nginx:evil'],
  ]);
});

test('a removed field is missing; an added field is excess only if it is observed', () => {
  assert.deepEqual(
    drifts(nginxDeployment, leaf, [
      [`${container}.resources.limits.cpu`, undefined],
      [`${container}.securityContext`, { privileged: true }],
      ['spec.paused', true],
    ]),
    [['missing', `${containerPath}.resources.limits.cpu`, '1000m', undefined]],
  );
});

test('additional keys in a map are not drift: labels, annotations, data', () => {
  const edits: Edit[] = [
    [['metadata', 'labels', 'team'], 'blue'],
    [['metadata', 'annotations', 'deployment.kubernetes.io/revision'], '2'],
    [['spec', 'template', 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt'], 'now'],
  ];
  assert.deepEqual(drifts(nginxDeployment, leaf, edits), []);
});

test('values are compared exactly: the desired value is what the server made of a quantity', () => {
  const reply = edited(nginxDeployment.object, [`${container}.resources.limits.cpu`, '1']);
  assert.deepEqual(drifts(nginxDeployment, leaf, [], reply), []);
  assert.deepEqual(drifts(nginxDeployment, leaf, [[`${container}.resources.limits.cpu`, '1000m']], reply), [
    ['changed', `${containerPath}.resources.limits.cpu`, '1', '1000m'],
  ]);
});

test('the text 1000m in a ConfigMap is not 1, and empty is not absent', () => {
  const config = manifestOf({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c' },
    data: { cpu: '1000m', empty: '' },
  });
  assert.deepEqual(
    drifts(config, leaf, [
      ['data.cpu', '1'],
      ['data.empty', undefined],
    ]),
    [
      ['changed', '.data.cpu', '1000m', '1'],
      ['missing', '.data.empty', '', undefined],
    ],
  );
});

test('a field that the server dropped from the manifest is desired to be absent', () => {
  const reply = edited(nginxDeployment.object, [`${container}.args`, undefined]);
  assert.deepEqual(drifts(nginxDeployment, leaf, [], reply), []);
  assert.deepEqual(drifts(nginxDeployment, leaf, [[`${container}.args`, ['-g']]], reply), [
    ['excess', `${containerPath}.args`, undefined, ['-g']],
  ]);
});

test('only fields in the schema are observed', () => {
  const mask = maskOf(nginxDeployment, {
    spec: { template: { spec: { containers: [{ image: null }, bounds(0, 0)] } } },
  });
  assert.deepEqual(
    drifts(nginxDeployment, mask, [
      ['spec.replicas', 9],
      [`${container}.env.0.value`, 'x'],
      ['spec.template.spec.containers.1.image', 'other'],
      [`${container}.image`, 'nginx:evil'],
    ]),
    [['changed', `${containerPath}.image`, 'nginx:1.29', 'nginx:evil']],
  );
});

test('a field in the schema that the manifest lacks is desired to be absent, or at the server’s default', () => {
  const mask = maskOf(nginxDeployment, {
    spec: { template: { spec: { hostNetwork: 'observed', securityContext: 'observed' } } },
  });
  const reply = edited(nginxDeployment.object, ['spec.template.spec.securityContext', {}]);
  assert.deepEqual(drifts(nginxDeployment, mask, [], reply), []);
  assert.deepEqual(
    drifts(
      nginxDeployment,
      mask,
      [
        ['spec.template.spec.hostNetwork', true],
        ['spec.template.spec.securityContext.runAsUser', 0],
      ],
      reply,
    ),
    [
      ['excess', '.spec.template.spec.hostNetwork', undefined, true],
      ['changed', '.spec.template.spec.securityContext', {}, { runAsUser: 0 }],
    ],
  );
});

test('elements of a map list are matched by all keys, including defaults; their order does not matter', () => {
  const reply = edited(nginxService.object, ['spec.ports.0.protocol', 'TCP'], ['spec.ports.1.protocol', 'TCP']);
  const [web, dns, udp] = [0, 1, 2].map((index) => ({ ...portsOf(reply)[index] }));
  assert.deepEqual(drifts(nginxService, leaf, [['spec.ports', [udp, web, dns]]], reply), []);
  assert.deepEqual(drifts(nginxService, leaf, [['spec.ports', [udp, { ...dns, name: 'x' }, web]]], reply), [
    ['changed', '.spec.ports[port=53,protocol="TCP"].name', 'dns', 'x'],
  ]);
});

function portsOf(object: JsonObject): readonly JsonObject[] {
  const { ports } = objectOf(object['spec']);
  return Array.isArray(ports) ? ports : [];
}

test('an element inserted at the front is one drift, not one per shifted element', () => {
  assert.deepEqual(drifts(nginxDeployment, leaf, [[`${container}.env.^`, { name: 'Z', value: '0' }]]), [
    ['excess', `${containerPath}.env[name="Z"]`, undefined, { name: 'Z', value: '0' }],
  ]);
});

test('a missing element is reported by its fields, and an added one as excess', () => {
  assert.deepEqual(
    drifts(nginxDeployment, leaf, [
      [`${container}.env.1`, undefined],
      [`${container}.env.+`, { name: 'evil', value: 'x' }],
    ]),
    [
      ['missing', `${containerPath}.env[name="B"].name`, 'B', undefined],
      ['missing', `${containerPath}.env[name="B"].value`, '2', undefined],
      ['excess', `${containerPath}.env[name="evil"]`, undefined, { name: 'evil', value: 'x' }],
    ],
  );
});

test('an added container is drift, a container that admission added is not', () => {
  const injected = { name: 'injected', image: 'proxy' };
  const reply = edited(nginxDeployment.object, ['spec.template.spec.containers.^', injected]);
  assert.deepEqual(drifts(nginxDeployment, leaf, [], reply), []);
  assert.deepEqual(drifts(nginxDeployment, leaf, [['spec.template.spec.containers.^', { name: 'evil' }]], reply), [
    ['excess', '.spec.template.spec.containers[name="evil"]', undefined, { name: 'evil' }],
  ]);
  assert.deepEqual(drifts(nginxDeployment, leaf, [['spec.template.spec.containers.0', undefined]], reply), [
    ['missing', '.spec.template.spec.containers[name="injected"]', injected, undefined],
  ]);
});

test('a duplicate element is drift, in the schema or not, and not also excess', () => {
  assert.deepEqual(drifts(nginxDeployment, leaf, [[`${container}.env.+`, { name: 'A', value: 'x' }]]), [
    ['duplicate', `${containerPath}.env[name="A"]`, 1, 2],
  ]);
  const mask = maskOf(nginxDeployment, {
    spec: { template: { spec: { containers: [{ env: [{ value: null }, bounds(0, 0)] }, bounds(0, 0)] } } },
  });
  assert.deepEqual(drifts(nginxDeployment, mask, [[`${container}.env.+`, { name: 'B', value: 'x' }]]), [
    ['duplicate', `${containerPath}.env[name="B"]`, 1, 2],
  ]);
});

test('a changed merge key is one missing and one excess element', () => {
  const rows = drifts(nginxService, leaf, [['spec.ports.0.port', 82]]);
  assert.deepEqual(rows, [
    ['missing', '.spec.ports[port=80,protocol="TCP"].name', 'web', undefined],
    ['missing', '.spec.ports[port=80,protocol="TCP"].port', 80, undefined],
    ['excess', '.spec.ports[port=82,protocol="TCP"]', undefined, { name: 'web', port: 82 }],
  ]);
});

const portsSchema = (min: number, max: number, ...listed: unknown[]) =>
  maskOf(nginxService, { spec: { ports: [...listed, bounds(min, max)] } });
const port = (number: number): Edit => ['spec.ports.+', { name: `p${number}`, port: number }];
const withoutLast: Edit = ['spec.ports.2', undefined];

test('a list within its bounds is not drift, a longer one is', () => {
  const mask = portsSchema(1, 4, { port: null });
  assert.deepEqual(drifts(nginxService, mask, []), []);
  assert.deepEqual(drifts(nginxService, mask, [port(90)]), []);
  assert.deepEqual(drifts(nginxService, mask, [withoutLast]), []);
  assert.deepEqual(drifts(nginxService, mask, [port(90), port(91)]), [
    ['excess', '.spec.ports[port=91,protocol="TCP"]', undefined, { name: 'p91', port: 91 }],
  ]);
  assert.deepEqual(drifts(nginxService, mask, [['spec.ports', undefined]]), [
    ['missing', '.spec.ports[port=80,protocol="TCP"].port', 80, undefined],
  ]);
});

test('with exact bounds every excess element is named, whatever its position', () => {
  const mask = portsSchema(3, 3, { port: null });
  const first: Edit = ['spec.ports.^', { name: 'first', port: 1 }];
  assert.deepEqual(
    drifts(nginxService, mask, [first, port(90)]).map(([is, path]) => [is, path]),
    [
      ['excess', '.spec.ports[port=1,protocol="TCP"]'],
      ['excess', '.spec.ports[port=90,protocol="TCP"]'],
    ],
  );
});

test('a list that is too short is drift even if its elements have no other observed field', () => {
  const mask = portsSchema(1, 0, { appProtocol: null });
  assert.deepEqual(drifts(nginxService, mask, [['spec.ports', []]]), [['missing', '.spec.ports', 1, 0]]);
  assert.deepEqual(drifts(nginxService, mask, [withoutLast]), []);
});

test('a maximum length of 0 means no limit', () => {
  const many = Array.from({ length: 200 }, (_, index) => port(1_000 + index));
  assert.deepEqual(drifts(nginxService, portsSchema(1, 0, { port: null }), many), []);
});

test('a list that the manifest lacks may have no more elements than the schema allows', () => {
  const mask = maskOf(nginxService, { spec: { loadBalancerSourceRanges: [bounds(0, 1)] } });
  const ranges = (count: number): Edit => [
    'spec.loadBalancerSourceRanges',
    Array.from({ length: count }, (_, index) => `${index}`),
  ];
  assert.deepEqual(drifts(nginxService, mask, [ranges(1)]), []);
  assert.deepEqual(drifts(nginxService, mask, [ranges(2)]), [
    ['excess', '.spec.loadBalancerSourceRanges[1]', undefined, '1'],
  ]);
});

test('if admission makes the reply itself exceed the bounds, that is not drift', () => {
  const mask = portsSchema(1, 3, { port: null });
  const reply = edited(nginxService.object, port(90));
  assert.deepEqual(drifts(nginxService, mask, [], reply), []);
  assert.equal(drifts(nginxService, mask, [port(91)], reply).length, 1);
  const shorter = edited(nginxService.object, withoutLast, ['spec.ports.1', undefined]);
  assert.deepEqual(drifts(nginxService, portsSchema(2, 3, { port: null }, { port: null }), [], shorter), []);
});

const ingress = manifestOf({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'web' },
  spec: {
    rules: [
      { host: 'a.example', http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'a' } } }] } },
      { host: 'b.example' },
    ],
  },
});

test('a fully observed atomic list is compared as a whole: a key added in it is drift', () => {
  const rows = drifts(ingress, leaf, [['spec.rules.1.http', { paths: [] }]]);
  assert.deepEqual(
    rows.map(([is, path]) => [is, path]),
    [['changed', '.spec.rules']],
  );
  assert.deepEqual(rows[0]?.[2], objectOf(ingress.object['spec'])['rules']);
});

test('a partly observed atomic list is compared in the observed fields, by position', () => {
  const mask = maskOf(ingress, { spec: { rules: [{ host: null }, bounds(1, 3)] } });
  assert.deepEqual(
    drifts(ingress, mask, [
      ['spec.rules.0.http.paths.0.path', '/other'],
      ['spec.rules.1.host', 'c.example'],
    ]),
    [],
  );
  assert.deepEqual(drifts(ingress, mask, [['spec.rules.0.host', 'evil.example']]), [
    ['changed', '.spec.rules[0].host', 'a.example', 'evil.example'],
  ]);
  assert.deepEqual(drifts(ingress, mask, [['spec.rules.^', { host: 'first.example' }]]), [
    ['changed', '.spec.rules[0].host', 'a.example', 'first.example'],
  ]);
});

test('observer_schema_list_key identifies elements of a list that the server’s schema calls atomic', () => {
  const mask = maskOf(ingress, { spec: { rules: [{ host: null }, { http: null }, bounds(2, 2, 'host')] } });
  const rules = objectOf(ingress.object['spec'])['rules'];
  const reversed = Array.isArray(rules) ? rules.toReversed() : [];
  assert.deepEqual(drifts(ingress, mask, [['spec.rules', reversed]]), []);
  assert.deepEqual(drifts(ingress, mask, [['spec.rules.^', { host: 'evil.example' }]]), [
    ['excess', '.spec.rules[host="evil.example"]', undefined, { host: 'evil.example' }],
  ]);
});

test('observer_schema_list_key has no effect if the server’s schema has keys', () => {
  const mask = maskOf(nginxService, { spec: { ports: [{ port: null }, bounds(0, 0, 'name')] } });
  assert.deepEqual(drifts(nginxService, mask, [['spec.ports.0.name', 'renamed']]), []);
  assert.deepEqual(drifts(nginxService, mask, [['spec.ports.0.port', 81]]), [
    ['missing', '.spec.ports[port=80,protocol="TCP"].port', 80, undefined],
  ]);
});

test('nonResourceURLs added to a rule of a Role are drift, and so is another selector of a peer', () => {
  const role = manifestOf({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'r' },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  });
  assert.equal(drifts(role, leaf, [['rules.0.nonResourceURLs', ['*']]]).length, 1);
  const policy = manifestOf({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'p' },
    spec: { podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { a: 'b' } } }] }] },
  });
  assert.equal(drifts(policy, leaf, [['spec.ingress.0.from.0.namespaceSelector', {}]]).length, 1);
  assert.equal(drifts(policy, leaf, [['spec.podSelector.matchLabels', { a: 'b' }]]).length, 1, 'an empty selector');
});

test('an atomic map is compared as a whole, regardless of key order', () => {
  const edits: Edit[] = [['spec.template.spec.nodeSelector', { zone: 'a', disk: 'ssd' }]];
  assert.deepEqual(drifts(nginxDeployment, leaf, edits), [
    ['changed', '.spec.template.spec.nodeSelector', { disk: 'ssd' }, { zone: 'a', disk: 'ssd' }],
  ]);
  const reply = edited(nginxDeployment.object, ['spec.template.spec.nodeSelector', { disk: 'ssd', zone: 'a' }]);
  assert.deepEqual(drifts(nginxDeployment, leaf, edits, reply), []);
});

const gadget = manifestOf({
  apiVersion: 'observer.example.org/v1',
  kind: 'Gadget',
  metadata: { name: 'g' },
  spec: {
    tags: ['a', 'b'],
    plain: [{ name: 'x', size: 1 }],
    options: { 'a.b': '1', a: '2' },
    whole: { k: 'v' },
    open: { empty: {}, none: [], deep: [{ id: 1 }], 'a.b': 1, a: { b: 2 } },
  },
});

test('a set is compared by its values: order does not matter, an added or missing value is drift', () => {
  assert.deepEqual(drifts(gadget, leaf, [['spec.tags', ['b', 'a']]]), []);
  assert.deepEqual(drifts(gadget, leaf, [['spec.tags', ['c', 'b', 'a']]]), [
    ['excess', '.spec.tags[="c"]', undefined, 'c'],
  ]);
  assert.deepEqual(drifts(gadget, leaf, [['spec.tags', ['b']]]), [['missing', '.spec.tags[="a"]', 'a', undefined]]);
  assert.deepEqual(drifts(gadget, leaf, [['spec.tags', ['a', 'b', 'b']]]), [['duplicate', '.spec.tags[="b"]', 1, 2]]);
});

test('a list without topology in the schema is compared as a whole, like an atomic one', () => {
  const [drift] = drifts(gadget, leaf, [['spec.plain.0.protocol', 'TCP']]);
  assert.deepEqual(drift?.slice(0, 2), ['changed', '.spec.plain']);
});

test('an empty map is observed to exist, whatever keys others add to it', () => {
  assert.deepEqual(drifts(gadget, leaf, [['spec.open.empty.x', 1]]), []);
  assert.deepEqual(drifts(gadget, leaf, [['spec.open.empty', undefined]]), [
    ['missing', '.spec.open.empty', {}, undefined],
  ]);
  assert.deepEqual(drifts(gadget, leaf, [['spec.open.empty', 'text']]), [['changed', '.spec.open.empty', {}, 'text']]);
  const volume: Edit = ['spec.template.spec.volumes.0', { name: 'scratch', hostPath: { path: '/' } }];
  assert.deepEqual(drifts(nginxDeployment, leaf, [volume]), [
    ['missing', '.spec.template.spec.volumes[name="scratch"].emptyDir', {}, undefined],
  ]);
});

test('an empty list is observed to be empty: an added element is drift', () => {
  assert.deepEqual(drifts(gadget, leaf, [['spec.open.none.+', 'x']]), [['changed', '.spec.open.none', [], ['x']]]);
});

test('an empty list without a maximum may get elements', () => {
  const mask = maskOf(gadget, { spec: { tags: null, open: { none: [bounds(0, 0)] } } });
  assert.deepEqual(drifts(gadget, mask, [['spec.open.none.+', 'x']]), []);
});

test('the order of a server-defaulted set does not matter either', () => {
  const manifest = manifestOf({ ...gadget.object, spec: { whole: { k: 'v' } } });
  const reply = edited(manifest.object, ['spec.tags', ['a', 'b']], ['spec.steps', [{ name: 'a' }, { name: 'b' }]]);
  const mask = maskOf(manifest, { spec: { tags: null, steps: null } });
  assert.deepEqual(drifts(manifest, mask, [['spec.tags', ['b', 'a']]], reply), []);
  assert.equal(drifts(manifest, mask, [['spec.tags', ['b']]], reply).length, 1);
  const turned: Edit = ['spec.steps', [{ name: 'b' }, { name: 'a' }]];
  assert.equal(drifts(manifest, mask, [turned], reply).length, 1, 'the order of an atomic list does matter');
});

test('two fields never have the same path, even with dots in their names', () => {
  assert.deepEqual(drifts(gadget, leaf, [[['spec', 'open', 'a.b'], 7]]), [['changed', '.spec.open["a.b"]', 1, 7]]);
  assert.deepEqual(drifts(gadget, leaf, [['spec.open.a.b', 7]]), [['changed', '.spec.open.a.b', 2, 7]]);
  assert.deepEqual(drifts(gadget, leaf, [[['spec', 'options', 'a.b'], '7']]), [
    ['changed', '.spec.options.a.b', '1', '7'],
  ]);
});

test('keys named like Object.prototype properties are ordinary keys', () => {
  const labels = JSON.parse('{"constructor":"a","toString":"b","__proto__":"c"}');
  const manifest = manifestOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: labels });
  const rows = drifts(manifest, leaf, [['data', {}]]);
  assert.deepEqual(
    rows.map(([is, path, desired]) => [is, path, desired]),
    [
      ['missing', '.data.__proto__', 'c'],
      ['missing', '.data.constructor', 'a'],
      ['missing', '.data.toString', 'b'],
    ],
  );
});

test('the ownership label is always observed: its loss or change is drift', () => {
  const mask = maskOf(nginxService, { spec: { selector: null } });
  const label = ['metadata', 'labels', 'weeder.dev/application'];
  const reply = edited(nginxService.object, [label, 'hash']);
  for (const fieldMask of [leaf, mask]) {
    assert.deepEqual(drifts(nginxService, fieldMask, [[label, undefined]], reply), [
      ['missing', '.metadata.labels.weeder.dev/application', 'hash', undefined],
    ]);
    assert.deepEqual(drifts(nginxService, fieldMask, [[label, 'other']], reply), [
      ['changed', '.metadata.labels.weeder.dev/application', 'hash', 'other'],
    ]);
  }
});

test('metadata that only the API server writes is not observed, even if the manifest has it', () => {
  const written = { creationTimestamp: null, uid: 'x', resourceVersion: '7', generation: 1, managedFields: [] };
  const manifest = manifestOf({ ...nginxService.object, metadata: { ...metadata(nginxService.object), ...written } });
  const edits: Edit[] = Object.keys(written).map((name) => [`metadata.${name}`, 'other']);
  assert.deepEqual(drifts(manifest, leaf, edits), []);
});

test('a value of another type in place of a map or a list is drift, and nothing throws', () => {
  for (const value of ['text', 7, null, [], {}, [null], ['x'], [[]]])
    for (const path of ['spec', 'spec.template', 'spec.template.spec.containers', container, `${container}.env`])
      assert.ok(drifts(nginxDeployment, leaf, [[path, value]]).length > 0, `${JSON.stringify(value)} at ${path}`);
});

test('the same differences are always reported in the same order', () => {
  const edits: Edit[] = [
    ['spec.replicas', 3],
    ['metadata.labels.app', 'x'],
    [`${container}.image`, 'x'],
  ];
  const paths = drifts(nginxDeployment, leaf, edits).map(([, path]) => path);
  assert.deepEqual(paths, paths.toSorted());
  assert.deepEqual(
    drifts(nginxDeployment, leaf, edits.toReversed()).map(([, path]) => path),
    paths,
  );
});
