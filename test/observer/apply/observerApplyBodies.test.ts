import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, type JsonObject } from '@weeder/kube-runtime/base';
import { bodiesOf, observedFor } from '../../../src/observer/apply/applyBodies.ts';
import { hasPartlyObservedAtomics } from '../../../src/observer/apply/atomicValues.ts';
import { conflictingManagerOf } from '../../../src/observer/drift/conflictingManager.ts';
import { labelName, ownerOf } from '../../../src/observer/objects/fieldManagers.ts';
import { findPaths, omitPaths } from '../../../src/observer/objects/livePaths.ts';
import { pathText } from '../../../src/observer/objects/path.ts';
import { foreignElementsIn, listsWithGaps } from '../../../src/observer/ownership/foreignElements.ts';
import { partlyMissing, removedFieldsIn } from '../../../src/observer/ownership/removedFields.ts';
import type { ResourcePlan } from '../../../src/observer/plan/resourceApi.ts';
import { leaf } from '../../../src/observer/schema/fieldMask.ts';
import { manifestOf } from '../../support/docs/manifests.ts';
import { at } from '../../support/objects/edits.ts';
import { structureFor } from '../../support/objects/structures.ts';
import { maskOf } from '../../support/oracle/fieldMasks.ts';

const owner = ownerOf({ namespace: 'shop', name: 'web' });
const bounds = (min: number, max: number) => ({
  observer_schema_list_min_length: min,
  observer_schema_list_max_length: max,
});

function planOf(object: JsonObject, schema?: JsonObject): ResourcePlan {
  const manifest = manifestOf(object);
  const { identity, apiVersion } = manifest;
  return {
    target: { identity, apiVersion, path: '/x', collection: '/', account: undefined },
    manifest,
    mask: schema === undefined ? leaf : maskOf(manifest, schema),
    topology: structureFor(apiVersion, identity.kind),
    owner,
    hash: '',
    mayRecreate: false,
  };
}

const rule = (host: string, ...paths: string[]) => ({
  host,
  http: { paths: paths.map((path) => ({ path, pathType: 'Exact' })) },
});
const ingress = (...rules: object[]) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'web', uid: 'u', resourceVersion: '7' },
  spec: { ingressClassName: 'one', rules },
});
const hostOnly = (min: number, max: number) => ({ spec: { rules: [{ host: 'observed' }, bounds(min, max)] } });

function rulesFor(
  live: JsonObject,
  schema: JsonObject | undefined,
  desired = ingress(rule('a', '/'), rule('b', '/b')),
) {
  const plan = planOf(desired, schema);
  const { spec } = observedFor(live, bodiesOf(plan), plan);
  return isObject(spec) ? spec['rules'] : undefined;
}

test('for an atomic list the live list is sent at its version, with the observed leaves from the manifest', () => {
  const live = ingress(rule('evil', '/mine'), rule('x', '/x'), rule('y'));
  assert.deepEqual(rulesFor(live, hostOnly(1, 0)), [rule('a', '/mine'), rule('x', '/x'), rule('y')]);
  assert.deepEqual(rulesFor(live, hostOnly(1, 2)), [rule('a', '/mine'), rule('x', '/x')], 'one too many');
  assert.deepEqual(rulesFor(ingress(), hostOnly(1, 0)), [rule('a', '/')], 'the whole element if it is missing');
  assert.deepEqual(
    rulesFor(ingress(), hostOnly(2, 2)),
    [rule('a', '/'), rule('b', '/b')],
    'and as many as the minimum',
  );
  assert.deepEqual(rulesFor(live, undefined), [rule('a', '/'), rule('b', '/b')], 'all of it is observed');
  const plan = planOf(ingress(rule('a', '/')), hostOnly(1, 0));
  const { metadata } = observedFor(live, bodiesOf(plan), plan);
  assert(isObject(metadata));
  assert.deepEqual([metadata['uid'], metadata['resourceVersion']], ['u', '7']);
});

test('observer_schema_list_key identifies the elements of an atomic list, whatever their position', () => {
  const schema = {
    spec: {
      rules: [
        { host: 'observed', http: 'observed' },
        { ...bounds(1, 3), observer_schema_list_key: 'host' },
      ],
    },
  };
  const desired = ingress(rule('a', '/'), rule('b', '/b'));
  const live = ingress(rule('x', '/x'), rule('b', '/theirs'), rule('a', '/evil'));
  assert.deepEqual(rulesFor(live, schema, desired), [rule('x', '/x'), rule('b', '/theirs'), rule('a', '/')]);
  const many = ingress(...['a', 'x', 'y', 'z'].map((host) => rule(host, '/')));
  assert.deepEqual(
    rulesFor(many, schema, desired),
    [rule('a', '/'), rule('x', '/'), rule('y', '/')],
    'the last element is removed',
  );
});

test('only a partly observed atomic value requires the version that was read', () => {
  const isPartly = (schema?: JsonObject) => {
    const { manifest, mask, topology } = planOf(ingress(rule('a', '/')), schema);
    return hasPartlyObservedAtomics(manifest.object, mask, topology);
  };
  assert.equal(isPartly(hostOnly(1, 0)), true);
  assert.equal(isPartly({ spec: { rules: [{ host: 'observed' }, bounds(1, 1)] } }), true);
  assert.equal(isPartly(), false);
  assert.equal(isPartly({ spec: { ingressClassName: 'observed' } }), false);
  assert.equal(isPartly({ spec: { rules: 'observed' } }), false);
});

const container = (name: string, ...env: string[]) => ({
  name,
  image: 'x',
  env: env.map((each) => ({ name: each, value: '1' })),
});
const deployment = (...containers: object[]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels: { 'a.b/c': '1', tier: 'x' } },
  spec: { replicas: 1, template: { spec: { containers } } },
});
const top = structureFor('apps/v1', 'Deployment');
const inPods = (path: string) => `.spec.template.spec.${path}`;

test('the paths of a conflict are found by their text, with dots in names, and only these paths are omitted', () => {
  const object = deployment(container('a', 'A', 'B'));
  const texts = new Set(['.metadata.labels.a.b/c', inPods('containers[name="a"].env[name="B"]'), '.spec.nothing']);
  const matches = findPaths(object, top, texts);
  assert.deepEqual([...matches.keys()].toSorted(), [...texts].filter((text) => text !== '.spec.nothing').toSorted());
  for (const [text, { path }] of matches) assert.equal(pathText(path), text);
  assert.equal(matches.get('.metadata.labels.a.b/c')?.value, '1');
  const expected = {
    ...deployment(container('a', 'A')),
    metadata: { name: 'web', namespace: 'shop', labels: { tier: 'x' } },
  };
  assert.deepEqual(omitPaths(object, top, texts), expected);
  assert.equal(omitPaths(object, top, new Set()), object);
});

test('foreign elements are elements of applied merge lists, not fields, and not nested in other foreign elements', () => {
  const live = deployment(container('a', 'A', 'EVIL'), container('evil', 'B'));
  const foreign = foreignElementsIn(live, deployment(container('a', 'A')), top);
  assert.deepEqual(
    foreign.map(({ path }) => pathText(path)),
    [inPods('containers[name="a"].env[name="EVIL"]'), inPods('containers[name="evil"]')],
  );
  assert.deepEqual(foreignElementsIn(live, deployment({ name: 'a' }, { name: 'evil' }), top), []);
  const gaps = listsWithGaps(deployment(container('a', 'A')), deployment(container('a', 'A', 'B')), top);
  assert.deepEqual([...gaps], [inPods('containers[name="a"].env')]);
});

test('an unobserved field that another client removed is not restored, unless its element is recreated', () => {
  const image = { spec: { template: { spec: { containers: [{ image: 'observed' }, bounds(0, 0)] } } } };
  const { topology, ...plan } = planOf(deployment(container('a', 'A', 'B')), image);
  const bodies = bodiesOf({ topology, ...plan });
  const without = deployment(container('a', 'A'));
  assert.deepEqual([...removedFieldsIn(without, bodies, topology)].toSorted(), [
    inPods('containers[name="a"].env[name="B"]'),
  ]);
  const [one, two] = [deployment(container('a', 'A')), deployment(container('a', 'A', 'B'))];
  assert.deepEqual([...removedFieldsIn(without, bodies, topology, { from: one, to: two })], [], 'it is new');
  assert.equal(removedFieldsIn(without, bodies, topology, { from: two, to: two }).size, 1);
  assert.equal(partlyMissing(without, bodies, topology), 'nothing');
  const none = deployment(container('other'));
  assert.deepEqual([...removedFieldsIn(none, bodies, topology)], []);
  assert.equal(partlyMissing(none, bodies, topology), 'element');
});

test('of a missing map the unobserved fields count as removed, and of a missing element they do not', () => {
  const desired = deployment(container('a', 'A'));
  const labels = { metadata: { labels: { tier: 'observed' } } };
  const { topology, ...plan } = planOf(desired, labels);
  const bodies = bodiesOf({ topology, ...plan });
  const bare = { ...desired, metadata: { name: 'web', namespace: 'shop' } };
  assert.deepEqual([...removedFieldsIn(bare, bodies, topology)], ['.metadata.labels.a.b/c']);
  assert.deepEqual([...removedFieldsIn(desired, bodies, topology)], []);
  assert.deepEqual(
    [bare, desired].map((live) => partlyMissing(live, bodies, topology)),
    ['map', 'nothing'],
  );
  const both = planOf(desired, {
    ...labels,
    spec: { template: { spec: { containers: [{ image: 'observed' }, bounds(0, 0)] } } },
  });
  const nothing = { ...bare, spec: { replicas: 1 } };
  assert.equal(partlyMissing(nothing, bodiesOf(both), topology), 'element');
});

test('an unobserved field that only the own manager has is applied with its live value at its version, and no other one', () => {
  const image = { spec: { template: { spec: { containers: [{ image: 'observed' }, bounds(0, 0)] } } } };
  const plan = planOf(deployment(container('a', 'A', 'B')), image);
  const inContainer = (fields: object) => ({
    'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:name': {}, ...fields } } } },
  });
  const variables = (...names: string[]) => ({
    'f:env': Object.fromEntries(
      names.map((name) => [`k:{"name":"${name}"}`, { '.': {}, 'f:name': {}, 'f:value': {} }]),
    ),
  });
  const live = (own: object) => {
    const metadata = { uid: 'u', resourceVersion: '7', labels: { [labelName]: owner.label } };
    const entry = (manager: string, fields: object) => ({
      manager,
      operation: 'Apply',
      fieldsV1: { 'f:spec': fields },
    });
    const managedFields = [
      entry(owner.own, { 'f:replicas': {}, ...inContainer({ 'f:image': {}, ...own }) }),
      entry(owner.init, { 'f:replicas': {}, ...inContainer(variables('B')) }),
    ];
    const env = ['A', 'B', 'C'].map((name) => ({ name, value: 'live' }));
    const containers = [{ name: 'a', image: 'y', env, args: ['live'] }];
    return { metadata: { ...metadata, managedFields }, spec: { replicas: 1, template: { spec: { containers } } } };
  };
  const applied = (own: object) => {
    const { metadata, spec } = observedFor(live(own), bodiesOf(plan), plan);
    return [at(spec, 'template.spec'), at(metadata, 'resourceVersion'), at(spec, 'replicas')];
  };
  const alone = { containers: [{ name: 'a', image: 'x' }] };
  assert.deepEqual(applied({}), [alone, undefined, undefined]);
  // C and args are not in the manifest, and the init manager has B, too.
  assert.deepEqual(applied({ ...variables('B', 'C'), 'f:args': {} }), [alone, undefined, undefined]);
  const kept = { containers: [{ name: 'a', image: 'x', env: [{ name: 'A', value: 'live' }] }] };
  assert.deepEqual(applied(variables('A', 'B', 'C')), [kept, '7', undefined]);
});

test('the conflicting manager owns what differs: the field itself, a field in it, or the atomic value around it', () => {
  const containers = { 'k:{"name":"a"}': { '.': {}, 'f:image': {} } };
  const entries = [
    { manager: owner.own, operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:rules': {} } } },
    {
      manager: 'kubectl-edit',
      operation: 'Update',
      time: '2026-11-21T10:00:01Z',
      fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': containers } }, 'f:rules': {} } },
    },
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      subresource: 'scale',
      time: '2026-11-21T10:00:02Z',
      fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:rulesOfThumb': {} } },
    },
    { manager: 'late', operation: 'Update', time: '2026-11-21T10:00:03Z', fieldsV1: { 'f:spec': { 'f:rules': {} } } },
  ];
  const live = { metadata: { managedFields: entries } };
  const conflicting = (path: string, type: 'changed' | 'missing' | 'excess' = 'changed') =>
    conflictingManagerOf(live, { path, type }, owner);
  assert.equal(conflicting('.spec.replicas'), 'kube-controller-manager/Update/scale');
  assert.equal(conflicting(inPods('containers[name="a"].image')), 'kubectl-edit/Update');
  assert.equal(conflicting(inPods('containers[name="a"]'), 'excess'), 'kubectl-edit/Update');
  assert.equal(conflicting('.spec.rules[0].host'), 'late/Update', 'the newest of two');
  assert.equal(conflicting(inPods('containers[name="a"].args')), undefined);
  assert.equal(conflicting('.spec.replicas', 'missing'), undefined, 'a deleted field has no owner');
  const labels = (manager: string, fields: object) => ({ manager, fieldsV1: { 'f:metadata': { 'f:labels': fields } } });
  const labelled = { metadata: { managedFields: [labels('helm', {}), labels(owner.own, { 'f:team': {} })] } };
  const drift = { path: '.metadata.labels.team', type: 'changed' } as const;
  assert.equal(conflictingManagerOf(labelled, drift, owner), undefined, 'helm owns the map, and nothing in it');
  assert.equal(
    conflictingManagerOf({ metadata: { managedFields: [{}] } }, { path: '.spec', type: 'changed' }, owner),
    undefined,
  );
});
