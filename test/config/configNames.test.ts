import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dnsLabel, labelKey, labelValue } from '@weeder/kube-runtime/objects';
import { labelSelector } from '../../src/config/schema/selectorSchema.ts';
import { misreading } from '../../src/config/text/scalars.ts';
import { rowsOf } from '../data/config/rows.ts';

const rows = rowsOf('names.jsonl');

function rowsAbout(kind: string) {
  const rowsOfKind = rows.filter((row) => row['kind'] === kind);
  assert.ok(rowsOfKind.some((row) => row['ok'] === true) && rowsOfKind.some((row) => row['ok'] === false));
  return rowsOfKind;
}

for (const [kind, { pattern }] of Object.entries({ dnsLabel, labelKey, labelValue })) {
  test(`a ${kind} is accepted exactly if Kubernetes accepts it`, () => {
    for (const row of rowsAbout(kind)) assert.equal(pattern.test(String(row['text'])), row['ok'], JSON.stringify(row));
  });
}

test('a selector of one requirement is accepted exactly if Kubernetes accepts it', () => {
  for (const row of rowsAbout('selector')) {
    assert.equal(labelSelector.safeParse(row['selector']).success, row['ok'], JSON.stringify(row));
  }
});

test('a plain scalar is text exactly if the YAML reader of Kubernetes reads it as text', () => {
  for (const row of rowsAbout('scalar')) {
    assert.equal(misreading(String(row['text'])) === undefined, row['ok'], JSON.stringify(row));
  }
});
