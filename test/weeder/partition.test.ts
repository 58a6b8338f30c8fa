import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { partition } from '../../src/weeder/partition.ts';

const setsOf = (parts: readonly (readonly string[])[]) => parts.map((part) => new Set(part));
const nameList = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 60 }).map((names) => names.toSorted());

test('names that fit are one part, whatever the parts were before', () => {
  assert.deepEqual(partition([], [], 10), []);
  assert.deepEqual(partition(['a', 'b', 'c'], [], 5), [['a', 'b', 'c']]);
  assert.deepEqual(partition(['a', 'b', 'c'], setsOf([['a'], ['b', 'c']]), 5), [['a', 'b', 'c']]);
  assert.deepEqual(partition(['a', 'b', 'c'], [], 4), [['a', 'b'], ['c']]);
});

test('another name changes one part, and a part from which names are gone is filled first', () => {
  const before = partition(['a', 'b', 'c', 'd', 'e', 'f'], [], 5);
  assert.deepEqual(before, [
    ['a', 'b', 'c'],
    ['d', 'e', 'f'],
  ]);
  assert.deepEqual(partition(['a', 'aa', 'b', 'c', 'd', 'e', 'f'], setsOf(before), 5).toSorted(), [
    ['a', 'b', 'c'],
    ['aa'],
    ['d', 'e', 'f'],
  ]);
  assert.deepEqual(partition(['a', 'b', 'c', 'e', 'f', 'g'], setsOf(before), 5).toSorted(), [
    ['a', 'b', 'c'],
    ['e', 'f', 'g'],
  ]);
});

test('parts that have become small are joined', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  assert.deepEqual(partition(names, setsOf(names.map((name) => [name])), 5), [
    ['a', 'b', 'c'],
    ['d', 'e', 'f'],
  ]);
});

test('after any changes each name is in one part, every part fits, and there are at most twice as many as needed', () => {
  fc.assert(
    fc.property(
      fc.array(nameList, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 9, max: 60 }),
      (lists, longest) => {
        let parts: readonly (readonly string[])[] = [];
        for (const names of lists) {
          parts = partition(names, setsOf(parts), longest);
          assert.deepEqual(parts.flat().toSorted(), names);
          assert.ok(parts.every((part) => part.length > 0 && part.join().length <= longest));
          const needed = partition(names, [], longest).length;
          assert.ok(parts.length <= 2 * needed, `${parts.length} parts, ${needed} needed`);
        }
      },
    ),
  );
});

test('another name leaves all parts but one as they are', () => {
  fc.assert(
    fc.property(nameList, fc.stringMatching(/^[a-z]{9}$/), (names, added) => {
      const before = partition(names, [], 40);
      const after = partition([...names, added].sort(), setsOf(before), 40);
      const texts = new Set(after.map((part) => part.join()));
      const kept = before.filter((part) => texts.has(part.join()));
      assert.ok(before.length - kept.length <= 1);
      assert.ok(after.length - kept.length === 1);
    }),
  );
});
