import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { kstatusOf } from '../../../support/objects/kstatus.ts';
import { eventually } from '../../support/eventually.ts';
import { configMap } from '../../support/observer/observedObjects.ts';
import { type ObserverScene, setObserverScene } from '../../support/observer/observerScene.ts';

/** Runs `kubectl wait` for the application `shop`; returns its exit code, or undefined if there is no kubectl. */
function wait({ ns }: ObserverScene, condition: string, timeout: string): Promise<number | undefined> {
  const kubeconfig = ns.cluster.kubeconfigFor('admin', { namespace: ns.name });
  const args = [`--kubeconfig=${kubeconfig}`, 'wait', 'applications.weeder.dev/shop'];
  return new Promise((resolve, reject) => {
    execFile('kubectl', [...args, `--for=condition=${condition}`, `--timeout=${timeout}`], (error) => {
      if (error === null) resolve(0);
      else if (error.code === 'ENOENT') resolve(undefined);
      else if (typeof error.code === 'number') resolve(error.code);
      else reject(error);
    });
  });
}

test('kubectl wait ends when an application is ready, not before, and fails for a refused one', async (t) => {
  const scene = await setObserverScene(t, 'readiness');
  const kstatus = async () => kstatusOf(await scene.application('shop'));
  await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
  assert.equal(objectOf((await scene.application('shop'))['status'])['observedGeneration'], -1);
  assert.equal(await kstatus(), 'InProgress', 'no weeder has seen it');
  const code = await wait(scene, 'Ready', '1s');
  if (code === undefined) t.diagnostic('kubectl is not in PATH: only the conditions are tested');
  else assert.equal(code, 1, 'it is not ready');

  const waiting = wait(scene, 'Ready', '180s');
  const weeder = await scene.start(t);
  assert.equal(await waiting, code === undefined ? undefined : 0);
  await scene.untilInSync('shop');
  assert.equal(await kstatus(), 'Current');

  // The API server refuses a value that is not a string.
  await scene.apply('shop', { manifests: [configMap('settings', { a: { not: 'text' } })] });
  const stalled = wait(scene, 'Stalled', '180s');
  await eventually(async () => (await kstatus()) === 'Failed', { what: 'the condition Stalled' });
  assert.equal(await stalled, code === undefined ? undefined : 0);
  if (code !== undefined) assert.equal(await wait(scene, 'Ready', '1s'), 1);

  await scene.apply('shop', { manifests: [configMap('settings', { a: '2' })] });
  await scene.untilInSync('shop');
  assert.equal(await kstatus(), 'Current');
  assert.equal(await scene.condition('shop', 'Stalled'), undefined);
  await weeder.stop();
});
