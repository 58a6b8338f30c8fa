import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '../cluster/support/cleanup.ts';
import { orderFiles } from '../cluster/support/plane/fileOrder.ts';

const own = "import { suiteControlPlane } from './support/ownControlPlane.ts';";
const shared = "import { sharedControlPlane } from './support/cluster.ts';";

function ordered(files: string): string {
  return orderFiles([...files], (file) => (file === file.toUpperCase() ? own : shared)).join('');
}

test('test files with a control plane of their own are spread evenly among the others, and all stay in their order', () => {
  assert.equal(ordered('ABCdefghi'), 'AdeBfgChi');
  assert.equal(ordered('defgABhi'), 'AdefBghi');
});

test('every test file is in the order, however few there are of one sort', () => {
  assert.equal(ordered('abc'), 'abc');
  assert.equal(ordered('ABC'), 'ABC');
  assert.equal(ordered('aBCD'), 'BCaD');
  assert.equal(ordered(''), '');
});

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
