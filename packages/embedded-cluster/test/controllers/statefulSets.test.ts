import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controllerRevisions, statefulSets } from '../../src/apiserver/strategies/resources.ts';
import { demoWorkload } from '../support/workload.ts';

test('a StatefulSet creates its pods in order, each once the previous one is ready', async (t) => {
  const web = await demoWorkload(t, statefulSets, { replicas: 1 });
  web.patch({ spec: { replicas: 3 } });
  for (let step = 0; step < 100; step += 1) {
    await web.clock.pass(50);
    assert(
      web
        .releases()
        .slice(0, -1)
        .every((each) => each === '1'),
      web.releases().join(' '),
    );
  }
  assert.deepEqual(
    web.pods().map(({ metadata }) => metadata.name),
    ['web-0', 'web-1', 'web-2'],
  );
  const { currentRevision, updateRevision, ...counts } = web.status();
  assert.equal(currentRevision, updateRevision);
  assert.deepEqual(counts, {
    observedGeneration: 2,
    replicas: 3,
    readyReplicas: 3,
    currentReplicas: 3,
    updatedReplicas: 3,
    collisionCount: 0,
    availableReplicas: 3,
  });
  const [pod] = web.pods();
  const labels = pod?.metadata.labels ?? {};
  assert.deepEqual(
    [
      labels['controller-revision-hash'],
      labels['statefulset.kubernetes.io/pod-name'],
      labels['apps.kubernetes.io/pod-index'],
    ],
    [currentRevision, 'web-0', '0'],
  );
});

test('a new template replaces the pods from the last to the first, one at a time', async (t) => {
  const web = await demoWorkload(t, statefulSets, { replicas: 3 });
  const before = web.status()['currentRevision'];
  web.release('2');
  const seen: string[] = [];
  for (let step = 0; step < 200; step += 1) {
    await web.clock.pass(50);
    const releases = web.releases();
    assert(releases.filter((each) => each.endsWith('!')).length <= 1, releases.join(' '));
    const text = releases.map((each) => each.replace('!', '')).join(' ');
    if (releases.length === 3 && seen.at(-1) !== text) seen.push(text);
    if (text !== '2 2 2') assert.equal(web.status()['currentRevision'], before);
  }
  assert.deepEqual(seen, ['1 1 1', '1 1 2', '1 2 2', '2 2 2']);
  const { currentRevision, updateRevision, currentReplicas } = web.status();
  assert.deepEqual([currentRevision === updateRevision, currentRevision === before, currentReplicas], [true, false, 3]);
});

test('pods below the partition have the old template, also after they are recreated', async (t) => {
  const web = await demoWorkload(t, statefulSets, { replicas: 3 });
  web.patch({ spec: { updateStrategy: { rollingUpdate: { partition: 2 } } } });
  web.release('2');
  await web.clock.pass(20_000);
  assert.deepEqual(web.releases(), ['1', '1', '2']);
  web.remove('web-0');
  await web.clock.pass(10_000);
  assert.deepEqual(web.releases(), ['1', '1', '2']);
  const { currentReplicas, updatedReplicas, currentRevision, updateRevision } = web.status();
  assert.deepEqual([currentReplicas, updatedReplicas, currentRevision === updateRevision], [2, 1, false]);
  web.patch({ spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
  await web.clock.pass(20_000);
  assert.deepEqual(web.releases(), ['2', '2', '2']);
});

test('OnDelete replaces nothing until pods are deleted', async (t) => {
  const web = await demoWorkload(t, statefulSets, { replicas: 2, updateStrategy: { type: 'OnDelete' } });
  web.release('2');
  await web.clock.pass(20_000);
  assert.deepEqual(web.releases(), ['1', '1']);
  const { updatedReplicas, currentRevision, updateRevision } = web.status();
  assert.deepEqual([updatedReplicas, currentRevision === updateRevision], [undefined, false]);
  web.remove('web-0');
  web.remove('web-1');
  await web.clock.pass(20_000);
  assert.deepEqual(web.releases(), ['2', '2']);
  assert.equal(web.status()['updatedReplicas'], 2);
});

test('a broken pod blocks the rollout, and also the template that would fix it, until it is deleted', async (t) => {
  const web = await demoWorkload(t, statefulSets, { replicas: 2 });
  web.breakRelease('2');
  await web.clock.pass(20_000);
  assert.deepEqual(web.releases(), ['1', '2!']);
  web.patch({ spec: { template: { metadata: { annotations: { release: '3', 'demo.weeder.dev/program': null } } } } });
  await web.clock.pass(20_000);
  assert.deepEqual(web.releases(), ['1', '2!']);
  web.remove('web-1');
  await web.clock.pass(20_000);
  assert.deepEqual(web.releases(), ['3', '3']);
});

test('a rollback reuses the old revision, and revisionHistoryLimit limits the others', async (t) => {
  const web = await demoWorkload(t, statefulSets, { replicas: 1, revisionHistoryLimit: 1 });
  const first = web.status()['currentRevision'];
  for (const release of ['2', '1']) {
    web.release(release);
    await web.clock.pass(10_000);
  }
  assert.equal(web.status()['currentRevision'], first);
  assert.equal(web.store.list(controllerRevisions).length, 2);
  web.release('3');
  await web.clock.pass(10_000);
  assert.deepEqual(
    web.store
      .list(controllerRevisions)
      .map(({ revision }) => revision)
      .toSorted(),
    [3, 4],
  );
});

test('scaling down deletes the pods with the highest ordinals first', async (t) => {
  const web = await demoWorkload(t, statefulSets, { replicas: 3 });
  web.patch({ spec: { replicas: 1 } });
  await web.clock.pass(10_000);
  assert.deepEqual(
    web.pods().map(({ metadata }) => metadata.name),
    ['web-0'],
  );
});
