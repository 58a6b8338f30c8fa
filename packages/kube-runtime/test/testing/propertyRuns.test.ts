import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMeets, propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';

const { numRuns, seed } = propertyRuns(40);

test('a property that meets what it is about with the first seed runs with no other', async () => {
  let runs = 0;
  await assertMeets({ cases: 40 }, 40, (met) =>
    fc.property(fc.nat(), () => {
      runs += 1;
      met.cases += 1;
    }),
  );
  assert.equal(runs, numRuns);
});

test('what the first seeds meet too rarely is met by other cases of the next ones', async () => {
  const values: number[] = [];
  await assertMeets({ late: 1 }, 40, (met) =>
    fc.asyncProperty(fc.nat(), async (value) => {
      values.push(value);
      if (values.length > 4 * numRuns) met.late += 1;
    }),
  );
  const expected = [0, 1, 2, 3, 4].flatMap((more) => fc.sample(fc.nat(), { numRuns, seed: seed + more }));
  assert.deepEqual(values, expected);
});

test('a property that never meets what it is about fails, and the sentence names it', async () => {
  let runs = 0;
  const never = assertMeets({ cases: 40, 'rare cases': 1, 'half of them': 40 * 5 }, 40, (met) =>
    fc.property(fc.nat(), () => {
      runs += 1;
      met.cases += 1;
      if (runs % 2 === 0) met['half of them'] += 1;
    }),
  );
  await assert.rejects(never, {
    message: `too rare in ${numRuns} runs each of the seeds from ${seed} on: rare cases: 0 instead of ${Math.ceil(numRuns / 40)}, half of them: ${Math.floor((numRuns * 5) / 2)} instead of ${numRuns * 5}`,
  });
  assert.equal(runs, 5 * numRuns);
});

test('a property that fails with a later seed names that seed', async () => {
  let runs = 0;
  const failing = assertMeets({ rare: 1 }, 40, () => fc.property(fc.nat(), () => ++runs <= numRuns));
  await assert.rejects(failing, new RegExp(`Property failed after 1 tests\\n\\{ seed: ${seed + 1}, path: "0[:0-9]*"`));
});
