import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largest, smallest } from '@weeder/kube-runtime/base';

test('the extremes of any number of values are found', () => {
  const many = Array.from({ length: 1_000_000 }, (_, index) => index % 1_000);
  assert.throws(() => Math.max(...many), RangeError);
  assert.deepEqual([smallest(many), largest(many)], [0, 999]);
  assert.deepEqual([smallest([]), largest([])], [undefined, undefined]);
  assert.deepEqual([smallest([-1, 0]), largest([-2, -1])], [-1, -1]);
});
