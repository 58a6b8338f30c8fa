import assert from 'node:assert/strict';
import { test } from 'node:test';
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
