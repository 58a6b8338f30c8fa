import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { playObserver, someObserverStory } from '../../support/story/observerStory.ts';

const { numRuns, seed } = propertyRuns(60);

test('whatever happens: observed fields end up as applied, unobserved ones are never written, and other objects are not touched', async () => {
  let corrections = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(2 ** 30), someObserverStory, async (dice, story) => {
      corrections += await playObserver(dice, story);
    }),
    { numRuns, seed },
  );
  assert.ok(corrections > numRuns, `only ${corrections} corrections`);
});
