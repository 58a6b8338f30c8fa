import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { objectOf } from '../src/json.ts';
import { cut, ownsAt, stepTextOf, treeOf, union } from '../src/observer/fieldsV1.ts';
import type { Path, PathElement } from '../src/observer/path.ts';
import { pathText } from '../src/observer/path.ts';
import { takeOver, withoutManagers } from '../src/observer/takeOver.ts';

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

test('an element is cut out with all that is below it, and what only led to it goes; what is owned itself stays', () => {
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

test('of any fields, what is cut out and what is left are everything, and nothing is in both', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 6 }), path, (paths, at) => {
      const tree = treeOfAll(paths);
      const { rest = {}, taken = {} } = cut(tree, new Set([pathText(at)]));
      assert.deepEqual(union(rest, taken), union({}, tree));
      assert.equal(ownsAt(rest, pathText(at)), false);
    }),
  );
});

test('a union has the paths of both, in whatever order they are taken', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 4 }), fc.array(path, { maxLength: 4 }), (ones, others) => {
      const both = union(treeOfAll(ones), treeOfAll(others));
      assert.deepEqual(both, union(treeOfAll(others), treeOfAll(ones)));
      for (const each of [...ones, ...others]) assert(ownsAt(both, pathText(each)), pathText(each));
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

test('what somebody added becomes ours alone, of the version that was read, and everything else stays theirs', () => {
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

test('what nobody owns, because somebody wiped the managers, becomes ours as well', () => {
  const patch = takeOver(pod([{}]), [evil, [{ field: 'a' }]], 'weeder:1');
  assert.deepEqual(objectOf(patch['metadata'])['managedFields'], [
    entry('weeder:1', 'Apply', { ...containers(['evil', { '.': {} }]), 'f:a': {} }),
  ]);
});

test('without an application’s managers the others are left, and of none an empty one, for an empty list changes nothing', () => {
  const live = pod([entry('weeder:1', 'Apply', {}), entry('kubectl', 'Update', {}), { time: 't' }]);
  assert.deepEqual(withoutManagers(live, new Set(['weeder:1'])), [entry('kubectl', 'Update', {}), { time: 't' }]);
  assert.deepEqual(withoutManagers(pod([entry('weeder:1', 'Apply', {})]), new Set(['weeder:1'])), [{}]);
});
