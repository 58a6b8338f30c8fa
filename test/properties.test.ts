import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { beginStory, type Story, services, steps } from './support/story.ts';
import { ends } from './support/world.ts';

/** From now on the API server accepts everything at once. */
async function becomeReasonable({ happen }: Story): Promise<void> {
  await happen({ do: 'mood', mood: 'accept' });
  await happen({ do: 'answerLate' });
}

test('whatever happens: no healthy pod, nothing outside a window, one attempt at a time, and nothing is left over', async () => {
  let deletions = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const story = beginStory();
      for (const step of script) await story.happen(step);
      await becomeReasonable(story);
      await ends(story.at);
      assert.deepEqual(story.judge.violations, []);
      deletions += story.at.deletions.length;
    }),
    { numRuns: 1000 },
  );
  assert.ok(deletions > 60, `only ${deletions} deletions were judged`);
});

test('whatever happened before: what crash-loops while a window is open and the API server accepts is deleted', async () => {
  let deletions = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const story = beginStory();
      const { at, judge, happen } = story;
      for (const step of script) await happen(step);
      await becomeReasonable(story);
      await happen({ do: 'relistPods' });
      const before = at.deletions.length;
      for (const ready of [[false], [true]]) {
        for (const { name: service } of services) {
          for (const part of ['a', 'b']) await happen({ do: 'slice', service, part, ready });
        }
      }
      await at.clock.pass(30_000);
      assert.deepEqual(judge.wanted(at), []);
      deletions += at.deletions.length - before;
      await ends(at);
    }),
    { numRuns: 1000 },
  );
  assert.ok(deletions > 50, `only ${deletions} deletions were wanted`);
});
