import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedObjects, type StreamObjects } from '../../../src/restart/sources/sharedObjects.ts';
import { createSourceIndex } from '../../../src/restart/sources/sourceIndex.ts';

test('what a stream tells of the end of is gone, once, and what it never had is not', () => {
  const held = createSharedObjects().stream();
  held.add('a');
  assert.deepEqual([held.remove('b'), held.remove('a'), held.remove('a'), held.has('a')], [false, true, false, false]);
});

test('a complete list says what is gone, and is complete only at its end, however often it began', () => {
  const held = createSharedObjects().stream();
  for (const key of ['a', 'b', 'c']) held.add(key);
  held.begin();
  held.add('a');
  assert.equal(held.isListing, true);
  held.begin();
  held.add('b');
  assert.deepEqual([held.end(), held.isListing], [['a', 'c'], false]);
  assert.deepEqual(held.close(), ['b']);
});

test('a change after the list is not the end of anything', () => {
  const held = createSharedObjects().stream();
  held.begin();
  held.add('a');
  held.end();
  held.add('b');
  assert.deepEqual(held.close(), ['a', 'b']);
});

test('what two streams have is there until neither has it: by its end, a list without it, or a stream that is closed', () => {
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

test('a source is known when its stream is closed after a new one has listed it, and not when that was the only one', () => {
  const told: string[] = [];
  const index = createSourceIndex({ now: () => 0 }, ({ name }) => told.push(name));
  const object = (name: string) => ({ metadata: { namespace: 'shop', name, uid: `u-${name}`, resourceVersion: '1' } });
  const [old, anew] = [index.createSink('ConfigMap'), index.createSink('ConfigMap')];
  for (const name of ['kept', 'lost']) old.apply('ADDED', object(name));
  anew.begin();
  anew.apply('ADDED', object('kept'));
  anew.end('2');
  old.close();
  const there = ['kept', 'lost'].map((name) => index.get({ kind: 'ConfigMap', namespace: 'shop', name }) !== undefined);
  assert.deepEqual(
    [there, told],
    [
      [true, false],
      ['kept', 'lost', 'lost'],
    ],
  );
});
