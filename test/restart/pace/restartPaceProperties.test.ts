import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { play, someLimits, someStory } from '../../support/story/restartStory.ts';

/** Other stories each time; a failure prints its seed. `RUNS=500 SEED=7 node --test test/restart/pace/restartPaceProperties.test.ts` */
const numRuns = Number(process.env['RUNS'] ?? 20);
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

test('whatever happens: the limits hold, every change is rolled out in the end, once per quiet period, and nothing else restarts', async () => {
  let restarts = 0;
  await fc.assert(
    fc.asyncProperty(someLimits, someStory, async (limits, story) => {
      restarts += await play(limits, story);
    }),
    { numRuns, seed },
  );
  assert.ok(restarts > numRuns * 15, `only ${restarts} restarts`);
});
