import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployments, replicaSets } from '../../src/apiserver/strategies/resources.ts';
import { numberOf, objectOf } from '../../src/base/json.ts';
import { isPodReady } from '../../src/base/podConditions.ts';
import { testNamespace } from '../support/cluster.ts';
import { demoWorkload } from '../support/workload.ts';

const revision = 'deployment.kubernetes.io/revision';

test('a Deployment has one ReplicaSet with its pods, and its status reports the rollout as complete', async (t) => {
  const web = await demoWorkload(t, deployments, { replicas: 3 });
  const [set, ...others] = web.store.list(replicaSets);
  assert.deepEqual(others, []);
  const hash = set?.metadata.labels?.['pod-template-hash'];
  assert.equal(set?.metadata.name, `web-${hash}`);
  assert.deepEqual([set?.metadata.annotations?.[revision], web.current().metadata.annotations?.[revision]], ['1', '1']);
  assert.deepEqual(web.releases(), ['1', '1', '1']);
  for (const { metadata } of web.pods()) assert.equal(metadata.labels?.['pod-template-hash'], hash);
  const { conditions: _conditions, ...counts } = web.status();
  const replicaCounts = { replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };
  assert.deepEqual(counts, { observedGeneration: 1, ...replicaCounts });
  assert.deepEqual(web.conditions(), [
    'Available=True MinimumReplicasAvailable',
    'Progressing=True NewReplicaSetAvailable',
  ]);
});

test('a new template is rolled out within the limits of the strategy, and the old ReplicaSet remains', async (t) => {
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
  const web = await demoWorkload(t, deployments, { replicas: 3, strategy: { rollingUpdate } });
  web.release('2');
  const seen = new Set<string>();
  for (let step = 0; step < 200; step += 1) {
    await web.clock.pass(50);
    const active = web.pods().filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    assert(active.length <= 4, `${active.length} pods`);
    assert(active.filter(isPodReady).length >= 3, 'fewer than 3 pods are ready');
    seen.add(web.conditions()[1] ?? '');
    assert.equal(web.conditions()[0], 'Available=True MinimumReplicasAvailable');
  }
  assert.deepEqual(web.releases(), ['2', '2', '2']);
  assert(seen.has('Progressing=True ReplicaSetUpdated'));
  assert.equal(web.conditions()[1], 'Progressing=True NewReplicaSetAvailable');
  const sizes = web.store.list(replicaSets).map(({ spec }) => numberOf(objectOf(spec)['replicas']));
  assert.deepEqual(sizes.toSorted(), [0, 3]);
  assert.equal(web.current().metadata.annotations?.[revision], '2');
  assert.equal(web.status()['observedGeneration'], web.current().metadata.generation);
});

test('a rollback reuses the old ReplicaSet, with a new revision', async (t) => {
  const web = await demoWorkload(t, deployments, { replicas: 1 });
  const [first] = web.store.list(replicaSets);
  web.release('2');
  await web.clock.pass(10_000);
  web.release('1');
  await web.clock.pass(10_000);
  assert.deepEqual(web.releases(), ['1']);
  assert.equal(web.store.list(replicaSets).length, 2);
  const again = web.store.get(replicaSets, testNamespace, first?.metadata.name ?? '');
  const annotations = again?.metadata.annotations ?? {};
  assert.deepEqual([annotations[revision], annotations[`${revision}-history`]], ['3', '1']);
});

test('annotations of a Deployment are copied to its newest ReplicaSet without a restart', async (t) => {
  const web = await demoWorkload(t, deployments, { replicas: 1 });
  const before = web.pods().map(({ metadata }) => metadata.uid);
  web.patch({ metadata: { annotations: { 'kubernetes.io/change-cause': 'why' } } });
  await web.clock.pass(5_000);
  const [set] = web.store.list(replicaSets);
  assert.equal(set?.metadata.annotations?.['kubernetes.io/change-cause'], 'why');
  assert.deepEqual([web.current().metadata.generation, web.status()['observedGeneration']], [2, 2]);
  assert.deepEqual(
    web.pods().map(({ metadata }) => metadata.uid),
    before,
  );
});

test('a paused Deployment does not roll out but can be scaled, and continues when it is resumed', async (t) => {
  const web = await demoWorkload(t, deployments, { replicas: 1 });
  web.patch({ spec: { paused: true } });
  web.release('2');
  await web.clock.pass(10_000);
  assert.deepEqual(web.releases(), ['1']);
  assert.equal(web.store.list(replicaSets).length, 1);
  assert.equal(web.conditions()[1], 'Progressing=Unknown DeploymentPaused');
  assert.equal(web.status()['updatedReplicas'], undefined);
  web.patch({ spec: { replicas: 2 } });
  await web.clock.pass(10_000);
  assert.deepEqual(web.releases(), ['1', '1']);
  web.patch({ spec: { paused: false } });
  await web.clock.pass(20_000);
  assert.deepEqual(web.releases(), ['2', '2']);
});

test('a failing rollout does not delete all working pods, reports the exceeded deadline, and the next one replaces it', async (t) => {
  const web = await demoWorkload(t, deployments, { replicas: 4, progressDeadlineSeconds: 60 });
  web.breakRelease('2');
  await web.clock.pass(30_000);
  assert.equal(web.conditions()[1], 'Progressing=True ReplicaSetUpdated');
  assert.equal(web.releases().filter((each) => each === '1').length, 3);
  assert.equal(web.status()['unavailableReplicas'], 2);
  await web.clock.pass(40_000);
  assert.equal(web.conditions()[1], 'Progressing=False ProgressDeadlineExceeded');
  web.patch({ spec: { template: { metadata: { annotations: { release: '3', 'demo.weeder.dev/program': null } } } } });
  await web.clock.pass(20_000);
  assert.deepEqual(web.releases(), ['3', '3', '3', '3']);
  assert.equal(web.conditions()[1], 'Progressing=True NewReplicaSetAvailable');
});

test('Recreate deletes all old pods before it creates new ones', async (t) => {
  const web = await demoWorkload(t, deployments, { replicas: 2, strategy: { type: 'Recreate' } });
  web.release('2');
  for (let step = 0; step < 100; step += 1) {
    await web.clock.pass(50);
    const kinds = new Set(web.releases().map((each) => each.replace('!', '')));
    assert(kinds.size <= 1, [...kinds].join(' and '));
  }
  assert.deepEqual(web.releases(), ['2', '2']);
});

test('revisionHistoryLimit limits the number of old ReplicaSets', async (t) => {
  const web = await demoWorkload(t, deployments, { replicas: 1, revisionHistoryLimit: 2 });
  for (const release of ['2', '3', '4', '5']) {
    web.release(release);
    await web.clock.pass(10_000);
  }
  const revisions = web.store.list(replicaSets).map(({ metadata }) => metadata.annotations?.[revision]);
  assert.deepEqual(revisions.toSorted(), ['3', '4', '5']);
});

test('deleting a Deployment deletes its ReplicaSets and pods', async (t) => {
  const web = await demoWorkload(t, deployments, { replicas: 2 });
  web.store.delete(deployments, testNamespace, 'web');
  await web.clock.pass(5_000);
  assert.deepEqual([web.store.list(replicaSets), web.pods()], [[], []]);
});
