import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashLooping } from '../../src/weeder/pods/crashLooping.ts';
import { neverStarted } from '../../src/weeder/pods/neverStarted.ts';
import { backOff, pod, running } from '../support/objects/objects.ts';

const waiting = (reason: string) => ({ state: { waiting: { reason } } });

test('a container that cannot be created, or whose image cannot be pulled, is reported, but not as crash-looping', () => {
  for (const reason of [
    'CreateContainerConfigError',
    'CreateContainerError',
    'InvalidImageName',
    'ErrImagePull',
    'ImagePullBackOff',
    'ErrImageNeverPull',
  ]) {
    const stuck = pod({ containers: [running(), waiting(reason)] });
    assert.equal(neverStarted(stuck)?.reason, reason);
    assert.equal(neverStarted(stuck)?.container, 'main-1');
    assert.equal(crashLooping(stuck), undefined);
    assert.equal(neverStarted(pod({ initContainers: [waiting(reason)] }))?.container, 'init-0');
  }
});

test('a pod that runs, is ready, starts, crash-loops or is being deleted counts as started', () => {
  for (const containers of [[running()], [backOff()], [waiting('ContainerCreating')], [waiting('PodInitializing')]])
    assert.equal(neverStarted(pod({ containers })), undefined);
  const rerun = { initContainers: [waiting('ImagePullBackOff')], containers: [running()] };
  assert.equal(neverStarted(pod({ ...rerun, conditions: { Ready: 'True' } })), undefined);
  assert.notEqual(neverStarted(pod({ ...rerun, conditions: { Ready: 'False' } })), undefined);
  const containers = [waiting('ImagePullBackOff')];
  assert.equal(neverStarted(pod({ containers, deletionTimestamp: '2026-01-01T00:00:00Z' })), undefined);
});
