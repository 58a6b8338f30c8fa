import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { crashLoopBackOff, eventually, getPod, patchPodMetadata, running, setPodStatus } from '../support/cluster.ts';
import { gate, startRequestProxy } from '../support/plane/requestProxy.ts';
import { setScene } from '../support/scene.ts';

/** Creates a scene in which a proxy delays each DELETE of a pod until the test opens the gate. */
async function setSlowScene(t: TestContext, prefix: string, settings: object = {}) {
  const scene = await setScene(t, prefix, { settings });
  const deletions = gate(({ method, path }) => method === 'DELETE' || path.endsWith('/eviction'));
  const proxy = await startRequestProxy(t, scene.ns.cluster, deletions.onRequest);
  const weeder = await scene.start({ kubeconfig: proxy.kubeconfig });
  const untilInFlight = () => eventually(() => deletions.waiting === 1, { what: 'a deletion in flight', every: 5 });
  const tries = () => proxy.requests.filter(({ method, path }) => method === 'DELETE' || path.endsWith('/eviction'));
  return { ...scene, weeder, untilInFlight, arrive: deletions.open, tries };
}

suite('a pod that changes while its deletion is in flight', { concurrency: true }, () => {
  for (const deletion of ['delete', 'evict']) {
    test(`a pod that has recovered meanwhile is not deleted (${deletion})`, async (t) => {
      const scene = await setSlowScene(t, `recovered-${deletion}`, { deletion });
      await scene.pod('web');
      await scene.endpoints(true);
      await scene.untilInFlight();
      await setPodStatus(scene.ns, 'web', running(4));
      scene.arrive();
      await scene.laterPodDeleted();
      scene.assertDeleted();
      assert.equal(scene.tries().filter(({ path }) => path.includes('/pods/web')).length, 1);
    });
  }

  test('a pod that still crash-loops is deleted by a second request', async (t) => {
    const scene = await setSlowScene(t, 'still-looping');
    const pod = await scene.pod('web');
    await scene.endpoints(true);
    await scene.untilInFlight();
    await setPodStatus(scene.ns, 'web', crashLoopBackOff(4));
    scene.arrive();
    await scene.untilDeleted(pod);
    await scene.laterPodDeleted();
    scene.assertDeleted(pod);
    assert.equal(scene.tries().filter(({ path }) => path.includes('/pods/web')).length, 2);
  });

  test('a pod that is no longer a dependant, or has the annotation by then, is not deleted', async (t) => {
    const scene = await setSlowScene(t, 'left');
    await scene.pod('moved');
    await scene.endpoints(true);
    await scene.untilInFlight();
    await patchPodMetadata(scene.ns, 'moved', { labels: { app: 'another' } });
    await scene.pod('annotated', undefined, { annotations: { 'weeder.dev/ignore': 'true' } });
    scene.arrive();
    await scene.laterPodDeleted();
    scene.assertDeleted();
  });

  test('a replacement of the same name is not deleted with the pod', async (t) => {
    const scene = await setSlowScene(t, 'successor');
    const first = await scene.pod('db-0');
    await scene.endpoints(true);
    await scene.untilInFlight();
    await scene.ns.cluster.api('DELETE', scene.ns.path('api/v1', 'pods', 'db-0'));
    await scene.ns.cluster.api('DELETE', scene.ns.path('api/v1', 'configmaps', 'owner-of-db-0'));
    await scene.untilDeleted(first);
    const second = await scene.pod('db-0', running());
    scene.arrive();
    await scene.laterPodDeleted();
    scene.assertDeleted(first);
    assert.equal((await getPod(scene.ns, 'db-0'))?.metadata.uid, second.metadata.uid);

    await setPodStatus(scene.ns, 'db-0', crashLoopBackOff(1));
    await scene.untilDeleted(second);
  });

  test('a pod that another client has deleted meanwhile causes no second request', async (t) => {
    const scene = await setSlowScene(t, 'deleted');
    const pod = await scene.pod('web');
    await scene.endpoints(true);
    await scene.untilInFlight();
    await scene.ns.cluster.api('DELETE', scene.ns.path('api/v1', 'pods', 'web'));
    await scene.untilDeleted(pod);
    scene.arrive();
    await scene.laterPodDeleted();
    scene.assertDeleted(pod);
    assert.equal(scene.tries().filter(({ path }) => path.includes('/pods/web')).length, 1);
  });

  test('a deletion that has to be repeated waits if the service is down by then', async (t) => {
    const scene = await setSlowScene(t, 'down-again');
    const pod = await scene.pod('web');
    await scene.endpoints(true);
    await scene.untilInFlight();
    await scene.endpoints(false);
    await scene.weeder.log.until('service is down', { service: scene.service });
    await setPodStatus(scene.ns, 'web', crashLoopBackOff(4));
    scene.arrive();
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
  });
});
