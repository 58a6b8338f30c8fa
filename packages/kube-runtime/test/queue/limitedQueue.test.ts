import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLimitedQueue } from '@weeder/kube-runtime/queue';
import { settled } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';

/** A queue and the order in which its entries had their turn. */
function watched(concurrency: number) {
  const queue = createLimitedQueue(() => ({ atOnce: concurrency }));
  const turns: string[] = [];
  return { queue, turns, enter: (key: string) => queue.enter({ key, onGranted: () => turns.push(key) }) };
}

test('entries up to the limit have their turn at once; the others follow in order', () => {
  const { queue, turns, enter } = watched(2);
  const [leaveA, leaveB, leaveC] = ['a', 'b', 'c', 'd'].map(enter);
  assert.deepEqual(turns, ['a', 'b']);
  assert.deepEqual([queue.active, queue.waiting], [2, 2]);
  leaveB?.();
  assert.deepEqual(turns, ['a', 'b', 'c']);
  leaveA?.();
  leaveC?.();
  assert.deepEqual(turns, ['a', 'b', 'c', 'd']);
  assert.deepEqual([queue.active, queue.waiting], [1, 0]);
});

test('an entry that leaves before its turn never has one, and does not cost another its turn', () => {
  const { turns, enter } = watched(1);
  const leaveA = enter('a');
  const leaveB = enter('b');
  enter('c');
  leaveB();
  leaveA();
  assert.deepEqual(turns, ['a', 'c']);
});

test('leaving twice frees one place', () => {
  const { queue, turns, enter } = watched(1);
  const leaveA = enter('a');
  leaveA();
  enter('a');
  leaveA();
  enter('b');
  assert.deepEqual(turns, ['a', 'a']);
  assert.deepEqual([queue.active, queue.waiting], [1, 1]);
});

test('a key is in the queue at most once, waiting or active', () => {
  const { queue, turns, enter } = watched(1);
  enter('a');
  enter('b');
  assert.throws(() => enter('a'), /a is in the queue already/);
  assert.throws(() => enter('b'), /b is in the queue already/);
  assert.deepEqual([turns, queue.waiting], [['a'], 1]);
});

test('a key that enters again after its turn goes to the end', () => {
  const { turns, enter } = watched(1);
  const leave = enter('a');
  const leaveB = enter('b');
  leave();
  enter('a');
  leaveB();
  assert.deepEqual(turns, ['a', 'b', 'a']);
});

test('a closed queue gives no further turns, and is idle when the last active entry has left', async () => {
  const { queue, turns, enter } = watched(1);
  const leave = enter('a');
  enter('b');
  queue.close();
  let isIdle = false;
  void queue.idle().then(() => {
    isIdle = true;
  });
  enter('c');
  await settled();
  assert.equal(isIdle, false);
  leave();
  await settled();
  assert.equal(isIdle, true);
  assert.deepEqual(turns, ['a']);
});

test('a thousand entries that leave during their own turn are served in order', () => {
  const { queue, enter } = watched(1);
  const leaveFirst = enter('first');
  const turns: number[] = [];
  const places = new Map<number, () => void>();
  for (let key = 0; key < 1000; key += 1) {
    const onGranted = () => {
      turns.push(key);
      places.get(key)?.();
    };
    places.set(key, queue.enter({ key: String(key), onGranted }));
  }
  leaveFirst();
  assert.deepEqual(turns, [...places.keys()]);
  assert.deepEqual([queue.active, queue.waiting], [0, 0]);
});

test('in any order of entering and leaving: never more than the limit, never twice, first come first served', () => {
  const step = fc.record({ key: fc.constantFrom(...'abcdefgh'), isEntering: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (concurrency, steps) => {
      const { queue, turns, enter } = watched(concurrency);
      const places = new Map<string, () => void>();
      let waiting: string[] = [];
      let active: string[] = [];
      const expected: string[] = [];
      const give = () => {
        for (; waiting.length > 0 && active.length < concurrency; waiting = waiting.slice(1)) {
          active = [...active, String(waiting[0])];
          expected.push(String(waiting[0]));
        }
      };
      for (const { key, isEntering } of steps) {
        if (isEntering === places.has(key)) continue;
        if (isEntering) {
          waiting = [...waiting, key];
          places.set(key, enter(key));
        } else {
          waiting = waiting.filter((each) => each !== key);
          active = active.filter((each) => each !== key);
          places.get(key)?.();
          places.delete(key);
        }
        give();
        assert.deepEqual(turns, expected);
        assert.deepEqual([queue.active, queue.waiting], [active.length, waiting.length]);
      }
    }),
  );
});
