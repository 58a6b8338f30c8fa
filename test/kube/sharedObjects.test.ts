import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedObjects, type StreamObjects } from '@weeder/kube-runtime/watch';
import { createSourceIndex } from '../../src/restart/sources/sourceIndex.ts';

test('a removed object is released once, and an object that was never added is not', () => {
  const objects = createSharedObjects().stream();
  objects.add('a');
  assert.deepEqual(
    [objects.remove('b'), objects.remove('a'), objects.remove('a'), objects.has('a')],
    [false, true, false, false],
  );
});

test('a complete list returns the objects that it lacks, and is complete only at its end, however often it began', () => {
  const objects = createSharedObjects().stream();
  for (const key of ['a', 'b', 'c']) objects.add(key);
  objects.begin();
  objects.add('a');
  assert.equal(objects.isListing, true);
  objects.begin();
  objects.add('b');
  assert.deepEqual([objects.end(), objects.isListing], [['a', 'c'], false]);
  assert.deepEqual(objects.close(), ['b']);
});

test('an object that is added after the list remains until the stream closes', () => {
  const objects = createSharedObjects().stream();
  objects.begin();
  objects.add('a');
  objects.end();
  objects.add('b');
  assert.deepEqual(objects.close(), ['a', 'b']);
});

test('an object of two streams exists until neither has it: removed, absent from a list, or its stream closed', () => {
  const ways = [
    (one: StreamObjects) => one.remove('a'),
    (one: StreamObjects) => {
      one.begin();
      return one.end().length > 0;
    },
    (one: StreamObjects) => one.close().length > 0,
  ];
  for (const first of ways) {
    for (const second of ways) {
      const holders = createSharedObjects();
      const [one, other] = [holders.stream(), holders.stream()];
      one.add('a');
      other.add('a');
      other.add('a');
      assert.deepEqual([first(one), first(one), second(other)], [false, false, true]);
    }
  }
});

test('a source remains if a new stream has listed it before its stream is closed, and is removed otherwise', () => {
  const changed: string[] = [];
  const index = createSourceIndex({ now: () => 0 }, ({ name }) => changed.push(name));
  const object = (name: string) => ({ metadata: { namespace: 'shop', name, uid: `u-${name}`, resourceVersion: '1' } });
  const [old, replacement] = [index.createSink('ConfigMap'), index.createSink('ConfigMap')];
  for (const name of ['retained', 'lost']) old.apply('ADDED', object(name));
  replacement.begin();
  replacement.apply('ADDED', object('retained'));
  replacement.end('2');
  old.close();
  const isPresent = ['retained', 'lost'].map(
    (name) => index.get({ kind: 'ConfigMap', namespace: 'shop', name }) !== undefined,
  );
  assert.deepEqual(
    [isPresent, changed],
    [
      [true, false],
      ['retained', 'lost', 'lost'],
    ],
  );
});
