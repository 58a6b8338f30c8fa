import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../src/apiserver/meta/objects.ts';
import { endpointSlices, pods, replicaSets, services } from '../../src/apiserver/strategies/resources.ts';
import { arrayOf, objectOf } from '../../src/base/json.ts';
import { startEndpointSlices, startReplicaSets } from '../../src/controllers/replicaSets.ts';
import { startKubelet } from '../../src/kubelet/kubelet.ts';
import { programAnnotation } from '../../src/kubelet/program.ts';
import { demoCluster, storedObject, testNamespace } from '../support/cluster.ts';

const labels = { app: 'web' };

/** A ReplicaSet of two pods with a Service, the controllers and a kubelet. */
async function cluster(serviceSpec: object = {}) {
  const { clock, store } = demoCluster();
  const annotations = { [programAnnotation]: JSON.stringify({ readyAfter: 1_000 }) };
  const podSpec = { nodeName: 'node-1', containers: [{ name: 'web', image: 'x:1' }] };
  const template = { metadata: { labels, annotations }, spec: podSpec };
  const replicaSet = { replicas: 2, selector: { matchLabels: labels }, template };
  const set = storedObject(
    store.create(replicaSets, { metadata: { name: 'web', namespace: testNamespace }, spec: replicaSet }),
  );
  const spec = { selector: labels, ports: [{ port: 80 }], ...serviceSpec };
  storedObject(store.create(services, { metadata: { name: 'web', namespace: testNamespace }, spec }));
  const stopFunctions = [
    startReplicaSets(store, clock),
    startEndpointSlices(store, clock),
    startKubelet({ store, clock, version: '1.36', seed: 1 }),
  ];
  await clock.pass(5_000);
  const endpoints = () => {
    const [slice, ...others] = store.list(endpointSlices);
    assert.deepEqual(others, []);
    return { slice, list: arrayOf(slice?.['endpoints']).map(objectOf) };
  };
  const conditionsOf = (condition: string) => endpoints().list.map(({ conditions }) => objectOf(conditions)[condition]);
  const ready = () => conditionsOf('ready');
  /** Has all pods stay unready. */
  const fail = () => {
    const annotations = { [programAnnotation]: JSON.stringify({ isHealthy: false }) };
    for (const { metadata } of store.list(pods))
      storedObject(store.patch(pods, testNamespace, metadata.name, { metadata: { annotations } }));
  };
  const names = () => store.list(pods).map(({ metadata }) => metadata.name);
  const stop = () => {
    for (const stopFunction of stopFunctions) stopFunction();
  };
  return { clock, store, set, endpoints, conditionsOf, ready, fail, names, stop };
}

test('a ReplicaSet creates its pods, with itself as their controller', async () => {
  const { store, set, stop, clock } = await cluster();
  const podList = store.list(pods);
  assert.equal(podList.length, 2);
  for (const { metadata } of podList) {
    assert.match(metadata.name, /^web-[a-z0-9]{5}$/);
    assert.equal(metadata.generateName, 'web-');
    const [owner] = metadata.ownerReferences ?? [];
    const { uid } = set.metadata;
    assert.partialDeepStrictEqual(owner, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'web',
      uid,
      controller: true,
    });
  }
  stop();
  assert.equal(clock.pending, 0);
});

test('a deleted pod is replaced while it terminates, and surplus pods are deleted', async () => {
  const { store, clock, names, stop } = await cluster();
  const [first = ''] = names();
  store.delete(pods, testNamespace, first);
  await clock.pass(5_000);
  assert.equal(names().length, 2);
  assert.ok(!names().includes(first));
  storedObject(store.patch(replicaSets, testNamespace, 'web', { spec: { replicas: 1 } }));
  await clock.pass(5_000);
  assert.equal(names().length, 1);
  stop();
});

test('the status of a ReplicaSet counts its pods and the ready ones', async () => {
  const { store, clock, names, stop } = await cluster();
  const status = () => store.get(replicaSets, testNamespace, 'web')?.['status'];
  const countsOf = (replicas: number) => ({
    replicas,
    fullyLabeledReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
  });
  assert.deepEqual(status(), { ...countsOf(2), observedGeneration: 1 });
  const program = JSON.stringify({ isHealthy: false });
  storedObject(
    store.patch(pods, testNamespace, names()[0] ?? '', { metadata: { annotations: { [programAnnotation]: program } } }),
  );
  await clock.pass(1_000);
  assert.deepEqual(status(), { ...countsOf(2), readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 });
  storedObject(store.patch(replicaSets, testNamespace, 'web', { spec: { replicas: 3 } }));
  await clock.pass(5_000);
  assert.deepEqual(status(), { ...countsOf(3), readyReplicas: 2, availableReplicas: 2, observedGeneration: 2 });
  storedObject(store.patch(replicaSets, testNamespace, 'web', { spec: { replicas: 0 } }));
  await clock.pass(5_000);
  assert.deepEqual(status(), { replicas: 0, observedGeneration: 3 });
  stop();
});

test('the status of a ReplicaSet is not written again without a change', async () => {
  const { store, clock, stop } = await cluster();
  const before = store.get(replicaSets, testNamespace, 'web')?.metadata.resourceVersion;
  await clock.pass(60_000);
  assert.equal(store.get(replicaSets, testNamespace, 'web')?.metadata.resourceVersion, before);
  stop();
});

test('a pod in phase Failed is replaced', async () => {
  const { store, clock, names, stop } = await cluster();
  const [first = ''] = names();
  storedObject(store.patch(pods, testNamespace, first, { status: { phase: 'Failed' } }, { subresource: 'status' }));
  await clock.pass(5_000);
  assert.equal(names().length, 3);
  assert.ok(names().includes(first));
  stop();
});

test('an EndpointSlice follows the readiness of the pods of a Service', async () => {
  const { store, clock, endpoints, ready, fail, stop } = await cluster();
  const { slice, list } = endpoints();
  assert.equal(slice?.metadata.labels?.['kubernetes.io/service-name'], 'web');
  assert.deepEqual(ready(), [true, true]);
  const targets = list.map(({ targetRef }) => objectOf(targetRef)['uid']);
  const uids = store.list(pods).map(({ metadata }: KubeObject) => metadata.uid);
  assert.deepEqual(targets.toSorted(), uids.toSorted());
  fail();
  await clock.pass(1_000);
  assert.deepEqual(ready(), [false, false]);
  stop();
});

test('with publishNotReadyAddresses every endpoint is ready, and serving follows the readiness of its pod', async () => {
  const { store, clock, conditionsOf, fail, names, stop } = await cluster({ publishNotReadyAddresses: true });
  assert.deepEqual(
    [conditionsOf('ready'), conditionsOf('serving')],
    [
      [true, true],
      [true, true],
    ],
  );
  store.delete(pods, testNamespace, names()[0] ?? '');
  await clock.pass(100);
  assert.deepEqual(
    [conditionsOf('ready'), conditionsOf('terminating').toSorted()],
    [
      [true, true],
      [false, true],
    ],
  );
  await clock.pass(60_000);
  fail();
  await clock.pass(1_000);
  assert.deepEqual(
    [conditionsOf('ready'), conditionsOf('serving')],
    [
      [true, true],
      [false, false],
    ],
  );
  stop();
});

test('a terminating pod is not a ready endpoint, and an unchanged slice is not written again', async () => {
  const { store, clock, endpoints, ready, names, stop } = await cluster();
  const before = endpoints().slice?.metadata.resourceVersion;
  await clock.pass(60_000);
  assert.equal(endpoints().slice?.metadata.resourceVersion, before);
  store.delete(pods, testNamespace, names()[0] ?? '');
  await clock.pass(100);
  assert.deepEqual(ready().toSorted(), [false, true]);
  stop();
});
