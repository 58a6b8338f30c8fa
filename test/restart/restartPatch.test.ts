import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releasePatch, restartPatch, statePatch } from '../../src/restart/patches/workloadPatch.ts';
import { workloadSummary } from '../support/objects/workloadObjects.ts';

const state = 'weeder.dev/dependencies';
const changeCause = 'kubernetes.io/change-cause';
const request = { hash: 'h-2', since: 0 };
const template = { metadata: { annotations: { 'weeder.dev/dependencies-hash': 'h-2' } } };
const caused = (cause: string) => workloadSummary('Deployment', { annotations: { [changeCause]: cause } });

test('a restart is one conditional write: the state, the change cause, and the hash in the template', () => {
  for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet'] as const) {
    assert.deepEqual(restartPatch(workloadSummary(kind), '{"s":1}', request, 'ConfigMap settings'), {
      metadata: {
        resourceVersion: '7',
        annotations: { [state]: '{"s":1}', [changeCause]: 'weeder: ConfigMap settings' },
      },
      spec: { template },
    });
  }
});

test('for a CronJob the template of its next run is written', () => {
  const patch = restartPatch(workloadSummary('CronJob'), 's', request, 'c');
  assert.deepEqual(patch['spec'], { jobTemplate: { spec: { template } } });
});

test('a change cause of the user is preserved, and one of weeder is replaced', () => {
  const annotations = (cause: string) => {
    const { metadata } = restartPatch(caused(cause), 's', request, 'Secret db');
    return metadata;
  };
  assert.deepEqual(annotations('release 7'), { resourceVersion: '7', annotations: { [state]: 's' } });
  assert.deepEqual(annotations('weeder: ConfigMap settings'), {
    resourceVersion: '7',
    annotations: { [state]: 's', [changeCause]: 'weeder: Secret db' },
  });
});

test('a state write does not touch the template, and removes weeder’s change cause but not the user’s', () => {
  const patch = (cause: string) => statePatch(caused(cause), 's');
  assert.deepEqual(statePatch(workloadSummary('Job'), 's'), {
    metadata: { resourceVersion: '7', annotations: { [state]: 's' } },
  });
  assert.deepEqual(patch('release 7'), { metadata: { resourceVersion: '7', annotations: { [state]: 's' } } });
  const annotations = { [state]: 's', [changeCause]: null };
  assert.deepEqual(patch('weeder: Secret db'), { metadata: { resourceVersion: '7', annotations } });
});

test('the release patch removes the state and leaves the template as it is', () => {
  const summary = workloadSummary('Deployment', {
    template,
    annotations: { [state]: 's', [changeCause]: 'release 7' },
  });
  assert.deepEqual(releasePatch(summary), { metadata: { resourceVersion: '7', annotations: { [state]: null } } });
  assert.deepEqual(releasePatch(caused('weeder: x'))['metadata'], {
    resourceVersion: '7',
    annotations: { [state]: null, [changeCause]: null },
  });
});
