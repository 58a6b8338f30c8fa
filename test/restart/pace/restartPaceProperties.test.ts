import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { play, someLimits, someStory } from '../../support/story/restartStory.ts';

const { numRuns, seed } = propertyRuns(20);

test('whatever happens: the limits hold, every change is eventually rolled out, once per quiet period, and nothing else restarts', async () => {
  let restarts = 0;
  await fc.assert(
    fc.asyncProperty(someLimits, someStory, async (limits, story) => {
      restarts += await play(limits, story);
    }),
    { numRuns, seed },
  );
  assert.ok(restarts > numRuns * 8, `only ${restarts} restarts`);
});
