import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { scripts } from '../support/docs/scripts.ts';
import { falseAccounts } from '../support/oracle/accounts.ts';
import { casesOf, faultsOf } from '../support/oracle/oracle.ts';
import { dueWindows } from '../support/oracle/oracleWindows.ts';
import { propertyRuns } from '../support/propertyRuns.ts';
import { play } from '../support/story/story.ts';

const { numRuns, seed } = propertyRuns(1000);

test('whatever happens, restarts included: the deletions that the design wants, each at its time, and no others', async () => {
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const { history, facts, left } = await play(script);
      const windows = dueWindows(history);
      const cases = casesOf(history, windows);
      assert.deepEqual(faultsOf(cases), []);
      // A dry run deletes one pod again and again: accounts that go by pods tell nothing of it.
      if (!script.isDryRun) assert.deepEqual(falseAccounts(history, windows, cases, facts), []);
      assert.deepEqual(left, []);
      asked += history.entries.filter(({ what }) => what === 'asked').length;
    }),
    { numRuns, seed },
  );
  assert.ok(asked > numRuns, `only ${asked} deletions were asked for`);
});
