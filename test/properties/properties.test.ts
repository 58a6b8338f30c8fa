import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { scripts } from '../support/docs/scripts.ts';
import { falseReports } from '../support/oracle/accounts.ts';
import { casesOf, errorsOf } from '../support/oracle/oracle.ts';
import { dueWindows } from '../support/oracle/oracleWindows.ts';
import { play } from '../support/story/story.ts';

const { numRuns, seed } = propertyRuns(1000);

test('whatever happens, restarts included, exactly the deletions of the design are made, each at its time', async () => {
  let requested = 0;
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const { history, events, left } = await play(script);
      const windows = dueWindows(history);
      const cases = casesOf(history, windows);
      assert.deepEqual(errorsOf(cases), []);
      // A dry run deletes one pod again and again: counts by pod mean nothing for it.
      if (!script.isDryRun) assert.deepEqual(falseReports(history, windows, cases, events), []);
      assert.deepEqual(left, []);
      requested += history.entries.filter(({ what }) => what === 'requested').length;
    }),
    { numRuns, seed },
  );
  assert.ok(requested > numRuns, `only ${requested} deletions were asked for`);
});
