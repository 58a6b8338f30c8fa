import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podsOfOlderTemplate, type RolloutProgress, rolloutOf } from '../../../src/restart/pods/rollout.ts';
import { podSummary } from '../../support/objects/podSummary.ts';
import { template, type WorkloadOptions, workloadSummary } from '../../support/objects/workloadObjects.ts';

type Rolling = 'Deployment' | 'StatefulSet' | 'DaemonSet';

const deployed = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
const revisions = { currentRevision: 'web-2', updateRevision: 'web-2' };
const complete = {
  Deployment: deployed,
  StatefulSet: { ...deployed, ...revisions },
  DaemonSet: {
    observedGeneration: 2,
    desiredNumberScheduled: 3,
    currentNumberScheduled: 3,
    updatedNumberScheduled: 3,
    numberAvailable: 3,
  },
};
const onDelete = { updateStrategy: { type: 'OnDelete' } };
const partition = (ordinal: number) => ({ updateStrategy: { rollingUpdate: { partition: ordinal } } });

/** A finished rollout of three pods, except for what `status` overrides. */
function after(kind: Rolling, status: object = {}, options: WorkloadOptions = {}): RolloutProgress {
  return rolloutOf(workloadSummary(kind, { ...options, status: { ...complete[kind], ...status } }));
}

function progressing(done: number, of: number, available: number, old: number, isOverdue = false): RolloutProgress {
  return { type: 'progressing', done, of, available, old, isOverdue };
}

test('a rollout is complete when all pods are new and available, and no old one is left', () => {
  for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet'] as const)
    assert.deepEqual(after(kind), { type: 'complete' });
});

test('a status that is older than the spec is ignored', () => {
  for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet'] as const) {
    assert.deepEqual(after(kind, { observedGeneration: 1 }), { type: 'unobserved' }, kind);
    assert.deepEqual(after(kind, { observedGeneration: undefined }), { type: 'unobserved' }, kind);
    assert.deepEqual(after(kind, { observedGeneration: 3 }), { type: 'complete' }, kind);
  }
});

test('a Deployment is progressing while pods have to be created, become available, or be deleted', () => {
  assert.deepEqual(after('Deployment', { replicas: 4, updatedReplicas: 2 }), progressing(2, 3, 3, 2));
  assert.deepEqual(after('Deployment', { availableReplicas: 2 }), progressing(3, 3, 2, 0));
  assert.deepEqual(after('Deployment', { replicas: 4, availableReplicas: 4 }), progressing(3, 3, 4, 1));
  assert.deepEqual(after('Deployment', { replicas: 3, updatedReplicas: 0 }), progressing(0, 3, 3, 3));
});

test('a Deployment reports itself when its deadline has passed', () => {
  const reason = (text: string) => ({ conditions: [{ type: 'Progressing', status: 'False', reason: text }] });
  const status = { updatedReplicas: 1, replicas: 4 };
  const overdue = after('Deployment', { ...status, ...reason('ProgressDeadlineExceeded') });
  assert.deepEqual(overdue, progressing(1, 3, 3, 3, true));
  assert.deepEqual(after('Deployment', { ...status, ...reason('ReplicaSetUpdated') }), progressing(1, 3, 3, 3));
});

test('a paused Deployment is paused while its pods differ from its template', () => {
  const spec = { paused: true, replicas: 3 };
  assert.deepEqual(after('Deployment', { updatedReplicas: 0 }, { spec }), { type: 'paused' });
  assert.deepEqual(after('Deployment', { observedGeneration: 1 }, { spec }), { type: 'unobserved' });
  assert.deepEqual(after('Deployment', {}, { spec }), { type: 'complete' });
});

test('with no desired pods there is nothing to roll out, but the old pods have to be deleted', () => {
  const none = { replicas: 0, updatedReplicas: 0, availableReplicas: 0 };
  const spec = { replicas: 0 };
  assert.deepEqual(after('Deployment', none, { spec }), { type: 'complete' });
  assert.deepEqual(after('StatefulSet', none, { spec }), { type: 'complete' });
  const noNode = {
    desiredNumberScheduled: 0,
    currentNumberScheduled: 0,
    updatedNumberScheduled: 0,
    numberAvailable: 0,
  };
  assert.deepEqual(after('DaemonSet', noNode), { type: 'complete' });
  assert.deepEqual(after('Deployment', { ...none, replicas: 2 }, { spec }), progressing(0, 0, 0, 2));
  assert.deepEqual(after('Deployment', { ...none, observedGeneration: 1 }, { spec }), { type: 'unobserved' });
});

test('a StatefulSet is progressing until its controller makes the newest revision the current one', () => {
  const older = { currentRevision: 'web-1' };
  assert.deepEqual(after('StatefulSet', { ...older, updatedReplicas: 1 }), progressing(1, 3, 3, 2));
  assert.deepEqual(after('StatefulSet', older), progressing(3, 3, 3, 0));
  assert.deepEqual(after('StatefulSet', { availableReplicas: 2 }), progressing(3, 3, 2, 0));
});

test('with a partition it is complete when the pods from there on are new; the others stay', () => {
  const older = { currentRevision: 'web-1' };
  const spec = { replicas: 3, ...partition(2) };
  assert.deepEqual(after('StatefulSet', { ...older, updatedReplicas: 1 }, { spec }), { type: 'complete' });
  assert.deepEqual(after('StatefulSet', { ...older, updatedReplicas: 0 }, { spec }), progressing(0, 1, 3, 1));
  const unavailable = { ...older, updatedReplicas: 1, availableReplicas: 2 };
  assert.deepEqual(after('StatefulSet', unavailable, { spec }), progressing(1, 1, 2, 0));
  const beyond = { replicas: 3, ...partition(5) };
  assert.deepEqual(after('StatefulSet', { ...older, updatedReplicas: 0 }, { spec: beyond }), { type: 'complete' });
});

test('a StatefulSet with OnDelete waits for the deletion of pods of older revisions, and names them', () => {
  const status = { ...complete.StatefulSet, currentRevision: 'web-1', updatedReplicas: 1 };
  const summary = workloadSummary('StatefulSet', { spec: { replicas: 3, ...onDelete }, status });
  const pods = [
    podSummary({ name: 'web-0', revision: 'web-1' }),
    podSummary({ name: 'web-1', revision: 'web-1', isEnding: true }),
    podSummary({ name: 'web-2', revision: 'web-2' }),
  ];
  assert.deepEqual(rolloutOf(summary, pods), { type: 'waitingForDeletion', pods: ['web-0'] });
  assert.deepEqual(rolloutOf(summary), { type: 'waitingForDeletion', pods: [] });
});

test('with OnDelete it is progressing while a deleted pod is recreated, and complete when all are new', () => {
  const spec = { replicas: 3, ...onDelete };
  const older = { currentRevision: 'web-1' };
  const recreating = { ...older, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
  assert.deepEqual(after('StatefulSet', recreating, { spec }), progressing(2, 3, 2, 0));
  assert.deepEqual(after('StatefulSet', older, { spec }), { type: 'complete' });
});

test('a DaemonSet is updated node by node', () => {
  assert.deepEqual(after('DaemonSet', { updatedNumberScheduled: 1 }), progressing(1, 3, 3, 2));
  assert.deepEqual(after('DaemonSet', { numberAvailable: 2 }), progressing(3, 3, 2, 0));
  const newNode = { desiredNumberScheduled: 4 };
  assert.deepEqual(after('DaemonSet', newNode), progressing(3, 4, 3, 0));
});

test('a DaemonSet with OnDelete waits for the deletion of pods of older templates, and names them', () => {
  const annotations = { 'deprecated.daemonset.template.generation': '5' };
  const status = { ...complete.DaemonSet, updatedNumberScheduled: 1 };
  const summary = workloadSummary('DaemonSet', { annotations, spec: onDelete, status });
  const pods = ['4', '4', '5'].map((templateGeneration, index) =>
    podSummary({ name: `web-${index}`, templateGeneration }),
  );
  assert.deepEqual(rolloutOf(summary, pods), { type: 'waitingForDeletion', pods: ['web-0', 'web-1'] });
  const done = workloadSummary('DaemonSet', { annotations, spec: onDelete, status: complete.DaemonSet });
  assert.deepEqual(rolloutOf(done, pods), { type: 'complete' });
});

test('for every kind, a pod from before the newest restart has an older template', () => {
  const annotations = { 'weeder.dev/dependencies-hash': 'h-2' };
  for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet'] as const) {
    const summary = workloadSummary(kind, { template: { ...template, metadata: { annotations } } });
    const [older, newer] = [podSummary({ dependenciesHash: 'h-1' }), podSummary({ dependenciesHash: 'h-2' })];
    assert.deepEqual(podsOfOlderTemplate(summary, [older, newer, podSummary()]), [older, podSummary()], kind);
    assert.deepEqual(podsOfOlderTemplate(summary, [{ ...older, isEnding: true }]), [], kind);
  }
});

test('a CronJob or a Job has no rollout: its next pods have the newest template', () => {
  for (const kind of ['CronJob', 'Job'] as const)
    assert.deepEqual(rolloutOf(workloadSummary(kind)), { type: 'complete' }, kind);
});
