import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { playObserver, someObserverStory } from '../../support/story/observerStory.ts';

/** The same stories each time. Others: `RUNS=300 SEED=7 node --test test/observer/drift/observerPathProperties.test.ts`. */
const numRuns = Number(process.env['RUNS'] ?? 60);
const seed = Number(process.env['SEED'] ?? 5);

test('whatever happens: what is observed is as applied in the end, what is not is never written, and nobody else’s is touched', async () => {
  let corrections = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(2 ** 30), someObserverStory, async (dice, story) => {
      corrections += await playObserver(dice, story);
    }),
    { numRuns, seed },
  );
  assert.ok(corrections > numRuns, `only ${corrections} corrections`);
});
