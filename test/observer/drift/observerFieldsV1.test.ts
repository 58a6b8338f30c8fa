import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import fc from 'fast-check';
import { takenFromKubectl, takeOver, withoutManagers } from '../../../src/observer/apply/takeOver.ts';
import {
  cut,
  difference,
  type FieldsTree,
  ownsAt,
  stepTextOf,
  treeOf,
  union,
} from '../../../src/observer/drift/fieldsV1.ts';
import { type Path, type PathElement, pathText } from '../../../src/observer/objects/path.ts';

const containers = (...elements: readonly [string, object][]) => ({
  'f:spec': { 'f:containers': Object.fromEntries(elements.map(([name, of]) => [`k:{"name":"${name}"}`, of])) },
});

test('each step of managedFields is read as the API server writes it in a conflict', () => {
  assert.equal(stepTextOf('f:a.b'), '.a.b');
  assert.equal(stepTextOf('k:{"protocol":"TCP","containerPort":80}'), '[containerPort=80,protocol="TCP"]');
  assert.equal(stepTextOf('v:"x"'), '[="x"]');
  assert.equal(stepTextOf('i:3'), '[3]');
  for (const other of ['.', 'x:1', 'k:[]', 'k:{', 'v:{', '']) assert.equal(stepTextOf(other), undefined, other);
});

test('an element is removed with everything below it and with its otherwise empty parents; owned parents stay', () => {
  const tree = containers(['a', { '.': {}, 'f:image': {} }], ['evil', { '.': {}, 'f:image': {}, 'f:env': {} }]);
  const path = new Set(['.spec.containers[name="evil"]']);
  assert.deepEqual(cut(tree, path), {
    rest: containers(['a', { '.': {}, 'f:image': {} }]),
    taken: containers(['evil', { '.': {}, 'f:image': {}, 'f:env': {} }]),
  });
  assert.deepEqual(cut(containers(['evil', {}]), path), { rest: undefined, taken: containers(['evil', {}]) });
  const owned = { 'f:spec': { '.': {}, 'f:containers': { 'k:{"name":"evil"}': {} } } };
  assert.deepEqual(cut(owned, path).rest, { 'f:spec': { '.': {} } });
  assert.deepEqual(cut(tree, new Set(['.spec.containers[name="e"]', '.spec.con'])).taken, undefined);
});

const name = fc.constantFrom('a', 'b', 'c.d', '');
const step: fc.Arbitrary<PathElement> = fc.oneof(
  name.map((field) => ({ field })),
  name.map((value) => ({ key: { name: value } })),
  name.map((value) => ({ value })),
  fc.nat(2).map((index) => ({ index })),
);
const path: fc.Arbitrary<Path> = fc.array(step, { minLength: 1, maxLength: 4 });
const treeOfAll = (paths: readonly Path[]) => paths.map(treeOf).reduce(union, {});

test('for any fields, the removed and the remaining part are disjoint, and together everything', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 6 }), path, (paths, at) => {
      const tree = treeOfAll(paths);
      const { rest = {}, taken = {} } = cut(tree, new Set([pathText(at)]));
      assert.deepEqual(union(rest, taken), union({}, tree));
      assert.equal(ownsAt(rest, pathText(at)), false);
    }),
  );
});

test('a union has the paths of both trees, in either order', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 4 }), fc.array(path, { maxLength: 4 }), (ones, others) => {
      const both = union(treeOfAll(ones), treeOfAll(others));
      assert.deepEqual(both, union(treeOfAll(others), treeOfAll(ones)));
      for (const path of [...ones, ...others]) assert(ownsAt(both, pathText(path)), pathText(path));
    }),
  );
});

const evil: Path = [{ field: 'spec' }, { field: 'containers' }, { key: { name: 'evil' } }];
const entry = (manager: string, operation: string, fieldsV1: object, more: object = {}) => ({
  manager,
  operation,
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});

function pod(managedFields: readonly object[]) {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { uid: 'u', resourceVersion: '7', managedFields } };
}

test('an added element becomes weeder’s alone at the version that was read, and the other fields retain their managers', () => {
  const theirs = containers(['a', { 'f:image': {} }], ['evil', { '.': {}, 'f:name': {} }]);
  const live = pod([
    entry('weeder:1', 'Apply', containers(['a', { '.': {} }]), { time: 't' }),
    entry('kubectl-edit', 'Update', theirs),
    entry('weeder:1', 'Apply', { 'f:status': {} }, { subresource: 'status' }),
    entry('other', 'Update', containers(['evil', { 'f:image': {} }])),
  ]);
  assert.deepEqual(takeOver(live, [evil], 'weeder:1'), {
    metadata: {
      uid: 'u',
      resourceVersion: '7',
      managedFields: [
        entry('kubectl-edit', 'Update', containers(['a', { 'f:image': {} }])),
        entry('weeder:1', 'Apply', { 'f:status': {} }, { subresource: 'status' }),
        entry('weeder:1', 'Apply', containers(['a', { '.': {} }], ['evil', { '.': {}, 'f:name': {}, 'f:image': {} }]), {
          time: 't',
        }),
      ],
    },
  });
});

test('an element without a manager, because managedFields were wiped, becomes weeder’s too', () => {
  const patch = takeOver(pod([{}]), [evil, [{ field: 'a' }]], 'weeder:1');
  assert.deepEqual(objectOf(patch['metadata'])['managedFields'], [
    entry('weeder:1', 'Apply', { ...containers(['evil', { '.': {} }]), 'f:a': {} }),
  ]);
});

test('withoutManagers removes an application’s managers, and returns one empty entry if none is left, because an empty list has no effect', () => {
  const live = pod([entry('weeder:1', 'Apply', {}), entry('kubectl', 'Update', {}), { time: 't' }]);
  assert.deepEqual(withoutManagers(live, new Set(['weeder:1'])), [entry('kubectl', 'Update', {}), { time: 't' }]);
  assert.deepEqual(withoutManagers(pod([entry('weeder:1', 'Apply', {})]), new Set(['weeder:1'])), [{}]);
});

test('difference returns what the other tree does not own, without maps and lists that have become empty', () => {
  const theirs = {
    'f:metadata': { 'f:labels': { '.': {}, 'f:app': {}, 'f:extra': {} } },
    ...containers(['web', { '.': {}, 'f:name': {}, 'f:image': {} }], ['own', { '.': {}, 'f:name': {} }]),
  };
  const ours = {
    'f:metadata': { 'f:labels': { 'f:app': {} }, 'f:annotations': {} },
    ...containers(['web', { '.': {}, 'f:name': {}, 'f:image': {} }]),
  };
  assert.deepEqual(difference(theirs, ours), {
    'f:metadata': { 'f:labels': { '.': {}, 'f:extra': {} } },
    ...containers(['own', { '.': {}, 'f:name': {} }]),
  });
  assert.equal(difference(ours, ours), undefined);
  assert.equal(difference({ 'f:env': { '.': {}, 'f:a': {} } }, { 'f:env': { 'f:a': {} } }), undefined);
  assert.deepEqual(difference({ 'f:a': {} }, { 'f:a': { 'f:b': {} } }), { 'f:a': {} });
  assert.deepEqual(difference({ 'f:a': {} }, {}), { 'f:a': {} });
});

test('for any two trees, the difference and the other together own what both own, and overlap in nothing', () => {
  const steps = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"');
  const tree = fc
    .uniqueArray(fc.array(steps, { minLength: 1, maxLength: 3 }), { maxLength: 8 })
    .map((paths) =>
      paths
        .map((path) => path.reduceRight<object>((below, step) => ({ [step]: below }), {}))
        .reduce<FieldsTree>((all, one) => union(all, objectOf(one)), {}),
    );
  fc.assert(
    fc.property(tree, tree, (one, other) => {
      const rest = difference(one, other) ?? {};
      assert.deepEqual(difference(rest, other) ?? {}, rest);
      const together = difference(union(one, other), union(rest, other));
      assert.equal(together, undefined);
    }),
  );
});

test('only what the application has applied is taken from kubectl, and nothing from other managers, appliers or a scale', () => {
  const shared = { 'f:data': { 'f:a': {} } };
  const scale = entry('kubectl', 'Update', { 'f:spec': { 'f:replicas': {} } }, { subresource: 'scale' });
  const applier = entry('kubectl', 'Apply', shared);
  const controller = entry('some-controller', 'Update', shared);
  const own = entry('weeder:1', 'Apply', { ...shared, 'f:spec': { 'f:replicas': {} } });
  const init = entry('weeder-init:1', 'Apply', { 'f:data': { 'f:b': {} } });
  const managers = { own: 'weeder:1', init: 'weeder-init:1' };
  const live = pod([
    entry('kubectl-client-side-apply', 'Update', { 'f:data': { 'f:a': {}, 'f:b': {}, 'f:c': {} } }),
    entry('before-first-apply', 'Update', shared),
    scale,
    applier,
    controller,
    own,
    init,
  ]);
  assert.deepEqual(takenFromKubectl(live, managers), {
    metadata: {
      uid: 'u',
      resourceVersion: '7',
      managedFields: [
        entry('kubectl-client-side-apply', 'Update', { 'f:data': { 'f:c': {} } }),
        scale,
        applier,
        controller,
        own,
        init,
      ],
    },
  });
  assert.equal(takenFromKubectl(pod([scale, applier, controller, own, init]), managers), undefined);
  assert.equal(takenFromKubectl(pod([entry('kubectl-edit', 'Update', shared)]), managers), undefined);
});

test('trees of as many levels as the API server accepts are not walked to their end', () => {
  const deep = (): FieldsTree => {
    let tree: FieldsTree = { 'f:end': {} };
    for (let level = 0; level < 10_000; level += 1) tree = { 'f:a': tree };
    return tree;
  };
  const tree = { 'f:spec': deep(), 'f:own': {} };
  assert.deepEqual(difference(tree, { 'f:own': {} }), { 'f:spec': tree['f:spec'] });
  assert.ok('f:other' in union(tree, { 'f:spec': deep(), 'f:other': {} }));
  const { rest, taken } = cut(tree, new Set([pathText([{ field: 'own' }])]));
  assert.deepEqual([Object.keys(rest ?? {}), taken], [['f:spec'], { 'f:own': {} }]);
});
