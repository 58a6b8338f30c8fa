import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { z } from 'zod';
import { onlyWithWatchList } from '../../support/api/watchList.ts';
import {
  barePod,
  type Cluster,
  crashLoopBackOff,
  createBudget,
  createReplicaSet,
  createService,
  denyPodDeletion,
  getPod,
  grant,
  KubeObject,
  onePod,
  type Pod,
  PodList,
  readyEndpoints,
  remainsTrue,
  running,
  Status,
  setEndpoints,
  setPodStatus,
  setSlice,
  sharedControlPlane,
  slicesOf,
  startControlPlane,
  terminated,
  testNamespace,
  WatchEvent,
  watchDeletions,
} from '../support/cluster.ts';

const labels = { app: 'web' };

suite('the behaviour of a real control plane that the tests rely on', { concurrency: true }, () => {
  test('a ReplicaSet replaces a pod that is deleted, and the deletion is observed', async (t) => {
    const ns = await testNamespace(t, 'replaces');
    const observer = await watchDeletions(ns);
    const [first] = await createReplicaSet(ns, 'web', { labels });
    assert.ok(first);
    await setPodStatus(ns, first.metadata.name, crashLoopBackOff(3));
    await ns.cluster.api('DELETE', ns.path('api/v1', 'pods', first.metadata.name));

    const successor = await onePod(ns, labels, { not: first.metadata.uid });
    assert.notEqual(successor.metadata.uid, first.metadata.uid);
    const deletion = await observer.untilDeleted(first.metadata.uid);
    assert.equal(deletion.name, first.metadata.name);
    await observer.caughtUp();
    assert.equal(observer.deletions().length, 1);
  });

  test('statuses that a test reports are stored, for main, init and sidecar containers', async (t) => {
    const ns = await testNamespace(t, 'statuses');
    const [pod] = await createReplicaSet(ns, 'web', { labels, initContainers: ['migrate'], sidecars: ['proxy'] });
    assert.ok(pod);
    const { name } = pod.metadata;
    const finishedAt = new Date('2026-01-02T03:04:05Z');
    const silent = await setPodStatus(ns, name, { containers: { proxy: terminated(2, { exitCode: 5, finishedAt }) } });
    const [sidecar, init] = silent.status.initContainerStatuses ?? [];
    assert.equal(sidecar?.name, 'proxy');
    assert.partialDeepStrictEqual(sidecar?.state, { terminated: { exitCode: 5, finishedAt: '2026-01-02T03:04:05Z' } });
    assert.partialDeepStrictEqual(init?.state, { terminated: { reason: 'Completed' } });
    assert.partialDeepStrictEqual(silent.status.containerStatuses?.[0]?.state, {
      waiting: { reason: 'PodInitializing' },
    });

    const healthy = await setPodStatus(ns, name, { containers: { proxy: running(3), main: running(1) } });
    assert.deepEqual(
      healthy.status.containerStatuses?.map((status) => status.ready),
      [true],
    );
    assert.equal(healthy.status.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
  });

  test('a real service gets its slices from its pods, and hand-made Endpoints are mirrored', async (t) => {
    const ns = await testNamespace(t, 'slices');
    await createService(ns, 'db', { selector: labels });
    const [pod] = await createReplicaSet(ns, 'db', { labels, onNode: true });
    assert.ok(pod);
    await setPodStatus(ns, pod.metadata.name, { containers: { main: running() }, ip: '10.9.0.1' });
    const [slice] = await readyEndpoints(ns, 'db', 1);
    assert.equal(slice?.endpoints?.[0]?.targetRef?.name, pod.metadata.name);
    await setPodStatus(ns, pod.metadata.name, { containers: { main: crashLoopBackOff(1) } });
    await readyEndpoints(ns, 'db', 0);

    await createService(ns, 'legacy');
    await setEndpoints(ns, 'legacy', { ready: 2, notReady: 1 });
    await readyEndpoints(ns, 'legacy', 2);
    await setEndpoints(ns, 'legacy', { ready: 0, notReady: 3 });
    await readyEndpoints(ns, 'legacy', 0);
  });

  test('a hand-made slice has the addresses and conditions of the test, in both address families', async (t) => {
    const ns = await testNamespace(t, 'by-hand');
    await setSlice(ns, 'db', { ready: [false, undefined] });
    await setSlice(ns, 'db', { ready: [], addressType: 'IPv6' });
    await setSlice(ns, 'db', { ready: [true], targetRefs: ['db-0'] });
    const slices = await slicesOf(ns, 'db');
    assert.deepEqual(slices.map(({ addressType, endpoints }) => [addressType, endpoints?.length ?? 0]).sort(), [
      ['IPv4', 1],
      ['IPv6', 0],
    ]);
  });

  test('a user without permission is refused until it is granted, and after it is revoked', async (t) => {
    const ns = await testNamespace(t, 'rbac');
    const user = ns.cluster.takeUser();
    const list = async (): Promise<number> => {
      const token = ns.cluster.tokenOf(user);
      return (await ns.cluster.send('GET', ns.path('api/v1', 'pods'), { token })).status;
    };
    assert.equal(await list(), 403);
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }];
    const granted = await grant(ns.cluster, user, rules, { namespace: ns.name });
    assert.equal(await list(), 200);
    await granted.revoke();
    assert.equal(await list(), 403);
  });

  test('a DELETE is refused with 409 when the pod has changed, and done when it has not', async (t) => {
    const ns = await testNamespace(t, 'preconditions');
    const pod = await barePod(ns, 'web', { labels });
    const recovered = await setPodStatus(ns, 'web', running(1));
    const remove = async ({ metadata: { uid, resourceVersion } }: Pod): Promise<number> => {
      const body = { preconditions: { uid, resourceVersion } };
      return (await ns.cluster.send('DELETE', ns.path('api/v1', 'pods', 'web'), { body })).status;
    };
    assert.equal(await remove(pod), 409);
    await remainsTrue(async () => (await getPod(ns, 'web')) !== undefined, { for: 100, what: 'the pod is there' });
    assert.equal(await remove(recovered), 200);
    assert.equal(await getPod(ns, 'web'), undefined);
  });

  test('an admission policy refuses deletions until it is removed', async (t) => {
    const ns = await testNamespace(t, 'policy');
    await barePod(ns, 'web', { labels });
    const remove = async (): Promise<number> =>
      (await ns.cluster.send('DELETE', ns.path('api/v1', 'pods', 'web'))).status;
    const denial = await denyPodDeletion(ns, { labels });
    assert.equal(await remove(), 422);
    await denial.remove();
    assert.equal(await remove(), 200);
  });

  test('a budget that allows no disruption answers an eviction with 429', async (t) => {
    const ns = await testNamespace(t, 'budget');
    const [pod] = await createReplicaSet(ns, 'web', { labels });
    assert.ok(pod);
    const { name } = pod.metadata;
    await setPodStatus(ns, name, running());
    assert.equal(await createBudget(ns, 'web', { labels, minAvailable: 1 }), 0);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: ns.name } };
    const path = `${ns.path('api/v1', 'pods', name)}/eviction`;
    assert.equal((await ns.cluster.send('POST', path, { body: eviction })).status, 429);
  });

  test('a watch with sendInitialEvents marks the end of the initial events', onlyWithWatchList, async (t) => {
    const ns = await testNamespace(t, 'initial');
    await barePod(ns, 'web', { labels });
    const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const events = await firstEvents(ns.cluster, `${ns.path('api/v1', 'pods')}?${query}`, 2);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['ADDED', 'BOOKMARK'],
    );
    const { metadata } = Bookmark.parse(events[1]?.object);
    assert.equal(metadata.annotations['k8s.io/initial-events-end'], 'true');
  });
});

suite('a control plane of its own', { concurrency: true }, () => {
  test('the API server is killed and comes back on its port with its data', async (t) => {
    const cluster = await startControlPlane();
    t.after(() => cluster.stop());
    const ns = await testNamespace(t, 'killed', cluster);
    const observer = await watchDeletions(ns);
    const pod = await barePod(ns, 'web', { labels });

    await cluster.killApiServer();
    await assert.rejects(() => cluster.api('GET', '/version'));
    await cluster.startApiServer();
    assert.equal((await getPod(ns, 'web'))?.metadata.uid, pod.metadata.uid);
    await cluster.api('DELETE', ns.path('api/v1', 'pods', 'web'));
    await observer.untilDeleted(pod.metadata.uid);

    await cluster.pauseApiServer();
    const answer = cluster.send('GET', '/version');
    const first = await Promise.race([
      answer.then(() => 'answer'),
      new Promise((done) => setTimeout(done, 300, 'silence')),
    ]);
    assert.equal(first, 'silence');
    cluster.resumeApiServer();
    assert.equal((await answer).status, 200);
  });

  test('after a compaction an old watch is answered 410', async (t) => {
    const cluster = await startControlPlane({
      controllerManager: false,
      apiServerFlags: ['--watch-cache=false', '--etcd-compaction-interval=0'],
    });
    t.after(() => cluster.stop());
    const ns = await testNamespace(t, 'compacted', cluster);
    const pods = ns.path('api/v1', 'pods');
    const old = PodList.parse(await cluster.api('GET', pods)).metadata.resourceVersion;
    await barePod(ns, 'web', { labels });
    await setPodStatus(ns, 'web', running());
    const watch = `${pods}?watch=true&resourceVersion=${old}`;
    assert.deepEqual(
      (await firstEvents(cluster, watch, 1)).map(({ type }) => type),
      ['ADDED'],
    );
    await cluster.compactEtcd();
    const [event] = await firstEvents(cluster, watch, 1);
    assert.equal(event?.type, 'ERROR');
    assert.equal(Status.parse(event?.object).code, 410);
  });
});

const Bookmark = z.looseObject({ metadata: z.looseObject({ annotations: z.record(z.string(), z.string()) }) });

async function firstEvents(cluster: Cluster, path: string, count: number): Promise<WatchEvent[]> {
  const end = new AbortController();
  const events: WatchEvent[] = [];
  const { lines } = await cluster.lines(path, { signal: AbortSignal.any([end.signal, AbortSignal.timeout(180_000)]) });
  for await (const line of lines) {
    events.push(WatchEvent.parse(JSON.parse(line)));
    if (events.length === count) break;
  }
  end.abort();
  return events;
}

test('the shared control plane is the one that the run started', async () => {
  const cluster = await sharedControlPlane();
  const version = await cluster.api('GET', '/version');
  assert.partialDeepStrictEqual(version, { major: '1' });
  KubeObject.parse(await cluster.api('GET', '/api/v1/namespaces/default'));
});
