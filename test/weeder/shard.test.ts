import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { ownsNamespace, parseShard, type Shard } from '../../src/controller/shard.ts';

const shardsOf = (count: number): Shard[] => Array.from({ length: count }, (_, index) => ({ index, count }));
const ownersOf = (namespace: string, count: number): number[] =>
  shardsOf(count)
    .filter((shard) => ownsNamespace(shard, namespace))
    .map(({ index }) => index);

test('every namespace is in exactly one shard, for any number of shards', () => {
  const name = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
  fc.assert(
    fc.property(name, fc.integer({ min: 1, max: 1000 }), (namespace, count) => {
      assert.equal(ownersOf(namespace, count).length, 1);
    }),
    propertyRuns(2000),
  );
});

test('the shard of a namespace does not change between versions', () => {
  const names = ['default', 'kube-system', 'garden', 'shoot--core--a', 'shoot--core--b', 'ns-1', 'ns-2', 'ns-3'];
  assert.deepEqual(
    names.map((namespace) => ownersOf(namespace, 5)),
    [[2], [1], [3], [1], [1], [3], [0], [1]],
  );
});

test('namespaces that differ only in a number are distributed evenly', () => {
  for (const count of [2, 3, 4, 7, 16]) {
    const sizes = shardsOf(count).map(() => 0);
    for (let n = 0; n < 10_000; n += 1) {
      const [owner = -1] = ownersOf(`shoot--project--${n}`, count);
      sizes[owner] = (sizes[owner] ?? 0) + 1;
    }
    const even = 10_000 / count;
    assert.ok(Math.min(...sizes) > even * 0.8 && Math.max(...sizes) < even * 1.2, `${count} shards: ${sizes}`);
  }
});

test('a shard is read as i/n', () => {
  assert.deepEqual(parseShard('0/3', 'host'), { ok: true, value: { index: 0, count: 3 } });
  assert.deepEqual(parseShard('2/3', 'weeder-1'), { ok: true, value: { index: 2, count: 3 } });
});

test('auto/n takes the index from the ordinal of a StatefulSet pod', () => {
  assert.deepEqual(parseShard('auto/3', 'weeder-2'), { ok: true, value: { index: 2, count: 3 } });
  assert.deepEqual(parseShard('auto/12', 'a-4-weeder-11'), { ok: true, value: { index: 11, count: 12 } });
});

test('an invalid shard has a short error message', () => {
  const expected = 'expected i/n, where n is from 1 to 1000 and i from 0 to n-1, or auto/n';
  const wrong = (text: string, host = 'weeder-0') => parseShard(text, host);
  for (const text of ['', '1', '1/', '/3', '1/0', '-1/3', '1.5/3', 'a/3', '1/1001', '1 / 3']) {
    assert.deepEqual(wrong(text), { ok: false, error: `found "${text}", ${expected}` });
  }
  assert.deepEqual(wrong('3/3'), { ok: false, error: 'found "3/3", but of 3 the last is 2' });
  assert.deepEqual(wrong('auto/3', 'laptop'), {
    ok: false,
    error: 'found "auto/3", but the host name "laptop" does not end in a number as a StatefulSet’s pods do',
  });
  assert.deepEqual(wrong('auto/3', 'weeder-3'), {
    ok: false,
    error: 'found "auto/3", but the host name "weeder-3" says 3, and of 3 the last is 2',
  });
});
