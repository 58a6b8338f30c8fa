import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { scripts } from '../support/docs/scripts.ts';
import { falseReports } from '../support/oracle/accounts.ts';
import { casesOf, errorsOf } from '../support/oracle/oracle.ts';
import { dueWindows } from '../support/oracle/oracleWindows.ts';
import { play } from '../support/story/story.ts';

test('whatever happens, restarts included, exactly the deletions of the design are made, each at its time', () =>
  assertMeets({ deletions: 1000 }, 1000, (met) =>
    fc.asyncProperty(scripts, async (script) => {
      const { history, events, left } = await play(script);
      const windows = dueWindows(history);
      const cases = casesOf(history, windows);
      assert.deepEqual(errorsOf(cases), []);
      // A dry run deletes one pod again and again: counts by pod mean nothing for it.
      if (!script.isDryRun) assert.deepEqual(falseReports(history, windows, cases, events), []);
      assert.deepEqual(left, []);
      met.deletions += history.entries.filter(({ what }) => what === 'requested').length;
    }),
  ));
