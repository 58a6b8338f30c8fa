import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { dataText } from '../../src/cli/data/printData.ts';

const odd = {
  escape: 'a\u001b[31mb',
  bidirectional: 'a\u202eb',
  astral: 'a\u{e0041}b',
  lines: 'a\nb\u2028c\r',
  emoji: '😀 ü',
  number: '1e3',
  truth: 'no',
  list: ['x', '- y', ''],
  [`key\u009b`]: 1,
};

test('data is read back as it was, and contains nothing that controls a terminal', () => {
  for (const data of [odd, { plain: 'a: b', list: [{ a: 1 }, { b: 'true' }] }, { items: [] }]) {
    const [json, yaml] = [dataText(data, 'json'), dataText(data, 'yaml')];
    assert.deepEqual(JSON.parse(json), data);
    assert.deepEqual(parse(yaml), data);
    for (const text of [json, yaml]) assert.doesNotMatch(text, /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  }
});

test('what stands twice is written twice', () => {
  const shared = { name: 'web' };
  assert.equal(dataText({ one: shared, other: shared }, 'yaml'), 'one:\n  name: web\nother:\n  name: web');
});

test('what is unknown is left out', () => {
  const data = { known: 1, unknown: undefined };
  assert.deepEqual([dataText(data, 'json'), dataText(data, 'yaml')], ['{\n  "known": 1\n}', 'known: 1']);
});
