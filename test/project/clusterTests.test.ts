import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUp } from '../cluster/support/cleanup.ts';
import { isEnabled } from '../cluster/support/plane/apiServerVersion.ts';
import { orderFiles } from '../cluster/support/plane/fileOrder.ts';
import { kubernetesVersions } from '../cluster/support/plane/kubernetesVersions.ts';

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

test('a wrong argument of `npm run test:cluster` is reported in one sentence, before anything starts', () => {
  const runner = join(import.meta.dirname, '..', 'cluster', 'run.ts');
  const allowed = kubernetesVersions.map(({ minor }) => minor).join(', ');
  const [oldest = ''] = allowed.split(', ');
  const noVersion = (found: string) => `The flag --kubernetes: found "${found}", allowed are ${allowed}.`;
  const both = 'KUBEBUILDER_ASSETS is set, so --kubernetes has no effect: unset one of the two.';
  for (const [args, message, assets] of [
    [['--kubernetes', '1.20'], noVersion('1.20')],
    [['--kubernetes='], noVersion('')],
    [['--kubernetes'], "Option '--kubernetes <value>' argument missing"],
    [['--kubernetes', oldest], both, '/nowhere'],
    [['--folder=/nowhere'], 'There are no test files in /nowhere.'],
  ] as const) {
    const { KUBEBUILDER_ASSETS: _, ...env } = process.env;
    const options = { env: { ...env, ...(assets && { KUBEBUILDER_ASSETS: assets }) }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [runner, ...args], options);
    assert.deepEqual([status, stdout, stderr], [1, '', `${message}\n`]);
  }
});

test('a feature gate is enabled if the metrics of the API server say so', async () => {
  const line = (name: string, stage: string, value: number) =>
    `kubernetes_feature_enabled{name="${name}",stage="${stage}"} ${value}\n`;
  const body = line('OldList', 'BETA', 1) + line('WatchList', 'BETA', 0) + line('Stable', '', 1);
  const server = { send: async () => ({ status: 200, headers: {}, body }) };
  for (const [gate, enabled] of [
    ['OldList', true],
    ['Stable', true],
    ['WatchList', false],
    ['List', false],
    ['Unknown', false],
  ] as const) {
    assert.equal(await isEnabled(server, gate), enabled, gate);
  }
});
