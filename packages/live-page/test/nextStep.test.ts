import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observerDisplay, workloadDisplay } from '../protocol/states.ts';
import { nextStep } from '../src/nextStep.ts';

test('what waits says what happens at the end of the wait', () => {
  const displays = [
    ...['refused', 'drifted.waiting', 'missing.waiting', 'paused'].map(observerDisplay),
    ...['stale', 'blocked'].map(workloadDisplay),
  ];
  const sentences = displays.map((display) => nextStep(display, 237_000, 0));
  assert.deepEqual(sentences, [
    'tried again in 3m\u00a057s',
    'corrected in 3m\u00a057s',
    'created again in 3m\u00a057s',
    'resumed in 3m\u00a057s',
    'restarted in 3m\u00a057s',
    'checked again in 3m\u00a057s',
  ]);
});
