import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, parseDuration } from '@weeder/kube-runtime/base';
import fc from 'fast-check';
import { rowsOf } from '../data/config/rows.ts';

const rows = rowsOf('durations.jsonl');

test('every text is accepted or refused as in Go, with the same value', () => {
  assert.ok(rows.length > 700);
  for (const row of rows) {
    const parsed = parseDuration(String(row['text']));
    const expected = row['nanos'] === undefined ? undefined : Number(row['nanos']) / 1e6;
    assert.equal(parsed.ok ? parsed.value : undefined, expected, JSON.stringify(row));
  }
});

test('a duration is formatted as in Go', () => {
  // Above 2^50 ns (13 days) a double cannot represent every nanosecond, and weeder never shows such times.
  const exact = rows.filter((row) => row['nanos'] !== undefined && Math.abs(Number(row['nanos'])) < 2 ** 50);
  assert.ok(exact.length > 200);
  for (const row of exact) assert.equal(formatDuration(Number(row['nanos']) / 1e6), row['string'], JSON.stringify(row));
});

test('a formatted duration is parsed to the same value', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 50), max: 2 ** 50 }), (nanos) => {
      const parsed = parseDuration(formatDuration(nanos / 1e6));
      assert.deepEqual(parsed, { ok: true, value: nanos / 1e6 });
    }),
  );
});

test('any text results in a number or an error message, and nothing throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0159.+-nuµmsh') })), (text) => {
      const parsed = parseDuration(text);
      assert.ok(parsed.ok ? Number.isFinite(parsed.value) : parsed.error.startsWith('found "'));
    }),
  );
});

test('a refusal says what was found, why it is refused and how to write a duration', () => {
  const how = 'a duration is written like 300ms, 1.5h or 2m30s (units are ns, us, ms, s, m, h)';
  const reasons: Record<string, string> = {
    '': 'found "", which is empty',
    '5': 'found "5", which has no unit',
    '1h30': 'found "1h30", which has no unit',
    '2d': 'found "2d", whose unit "d" is unknown',
    '5M': 'found "5M", whose unit "M" is unknown',
    soon: 'found "soon", which is not a number with a unit',
    '3000000h': 'found "3000000h", which is longer than Go can count (about 292 years)',
  };
  for (const [text, reason] of Object.entries(reasons)) {
    assert.deepEqual(parseDuration(text), { ok: false, error: `${reason}; ${how}` });
  }
});
