import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSummary } from '../../../src/restart/pods/podSummary.ts';
import { podsOfOlderTemplate, rolloutOf } from '../../../src/restart/pods/rollout.ts';
import { stuckPod } from '../../../src/restart/rollout/evictNext.ts';
import { podSummary } from '../../support/objects/podSummary.ts';
import { settings } from '../../support/objects/restartSettings.ts';
import { workloadSummary } from '../../support/objects/workloadObjects.ts';

const unsticks = { ...settings, unstick: true };
const failure = 'container main: ImagePullBackOff';
const status = {
  observedGeneration: 2,
  replicas: 3,
  updatedReplicas: 1,
  availableReplicas: 2,
  currentRevision: 'web-old',
  updateRevision: 'web-new',
};

const stateful = (spec: object = {}) => workloadSummary('StatefulSet', { status, spec });

/** `web-0` runs at the old revision; `second` overrides the summary of `web-1`; `web-2` is new. */
function podsWith(second: Partial<PodSummary>): PodSummary[] {
  const old = { revision: 'web-old', owner: { kind: 'StatefulSet', name: 'web', uid: 'u-web' } };
  return [
    podSummary({ ...old, name: 'web-0', uid: 'u-0' }),
    podSummary({ ...old, name: 'web-1', uid: 'u-1', ...second }),
    podSummary({ ...old, name: 'web-2', uid: 'u-2', revision: 'web-new' }),
  ];
}

function stuckIn(own: readonly PodSummary[], { summary = stateful(), settings = unsticks } = {}): string | undefined {
  return stuckPod({ summary, settings }, { own, progress: rolloutOf(summary, own) })?.name;
}

test('the broken StatefulSet pod at an older revision is the one to delete', () => {
  assert.equal(stuckIn(podsWith({ failure, isReady: false })), 'web-1');
});

test('no pod is deleted without unstick: true, or if weeder does not manage the workload', () => {
  const own = podsWith({ failure, isReady: false });
  assert.equal(stuckIn(own, { settings }), undefined);
  const summary = stateful();
  assert.equal(stuckPod({ summary, settings: undefined }, { own, progress: rolloutOf(summary, own) }), undefined);
});

test('a pod at an older revision that runs or starts is not deleted: the rollout replaces it', () => {
  assert.equal(stuckIn(podsWith({})), undefined);
  assert.equal(stuckIn(podsWith({ isReady: false })), undefined);
});

test('a broken pod at the newest revision is not deleted: its replacement would be the same', () => {
  assert.equal(stuckIn(podsWith({ failure, isReady: false, revision: 'web-new' })), undefined);
});

test('a pod that is already terminating is not deleted again', () => {
  assert.equal(stuckIn(podsWith({ failure, isReady: false, isEnding: true })), undefined);
});

test('a pod below a partition is not deleted, broken or not', () => {
  const partitioned = (partition: number) =>
    stateful({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } });
  const own = podsWith({ failure, isReady: false });
  assert.equal(stuckIn(own, { summary: partitioned(2) }), undefined);
  assert.equal(stuckIn(own, { summary: partitioned(1) }), 'web-1');
});

test('with OnDelete no pod is deleted: users delete the pods', () => {
  const summary = stateful({ updateStrategy: { type: 'OnDelete' } });
  assert.equal(stuckIn(podsWith({ failure, isReady: false }), { summary }), undefined);
});

test('other kinds replace a broken pod themselves', () => {
  const broken = podSummary({ dependenciesHash: 'of-before', failure, isReady: false });
  for (const kind of ['Deployment', 'DaemonSet'] as const) {
    const summary = workloadSummary(kind, { status: { observedGeneration: 2, replicas: 3, updatedReplicas: 1 } });
    assert.deepEqual(podsOfOlderTemplate(summary, [broken]), [broken]);
    const progress = { type: 'progressing', done: 1, of: 3, available: 2, old: 2, isOverdue: false } as const;
    assert.equal(stuckPod({ summary, settings: unsticks }, { own: [broken], progress }), undefined);
  }
});
