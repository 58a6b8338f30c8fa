import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextStep } from '../src/nextStep.ts';

test('what waits says what happens at the end of the wait', () => {
  const sentences = ['refused', 'drifted.waiting', 'missing.waiting', 'paused', 'stale', 'blocked'].map((state) =>
    nextStep(state, 237_000, 0),
  );
  assert.deepEqual(sentences, [
    'tried again in 3m\u00a057s',
    'corrected in 3m\u00a057s',
    'created again in 3m\u00a057s',
    'resumed in 3m\u00a057s',
    'restarted in 3m\u00a057s',
    'checked again in 3m\u00a057s',
  ]);
});
