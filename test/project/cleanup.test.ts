import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '../cluster/support/cleanup.ts';

test('all cleanups of a test run in their order, those that are added last, too, and what they threw is thrown', async () => {
  const hooks: (() => unknown)[] = [];
  const t = { after: (hook: () => unknown) => void hooks.push(hook) };
  const done: string[] = [];
  cleanUp(t, () => {
    throw new Error('one');
  });
  cleanUp(t, async () => done.push('two'));
  cleanUp(t, () => {
    cleanUp(t, () => done.push('four'));
    return Promise.reject(new Error('three'));
  });
  const [hook, ...others] = hooks;
  assert.equal(others.length, 0);
  await assert.rejects(async () => hook?.(), { message: 'Error: one; Error: three' });
  assert.deepEqual(done, ['two', 'four']);

  const other = { after: (only: () => unknown) => void hooks.push(only) };
  cleanUp(other, () => {
    throw new Error('alone');
  });
  await assert.rejects(async () => hooks[1]?.(), { message: 'alone' });
});
