import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { crashLoopBackOff, eventually, getPod, patchPodMetadata, running, setPodStatus } from '../support/cluster.ts';
import { gate, startRequestProxy } from '../support/plane/requestProxy.ts';
import { setScene } from '../support/scene.ts';

/** A scene in which each DELETE of a pod waits in flight until the test opens the gate. */
async function setSlowScene(t: TestContext, prefix: string, settings: object = {}) {
  const scene = await setScene(t, prefix, { settings });
  const deletions = gate(({ method, path }) => method === 'DELETE' || path.endsWith('/eviction'));
  const proxy = await startRequestProxy(t, scene.ns.cluster, deletions.onRequest);
  const weeder = await scene.start({ kubeconfig: proxy.kubeconfig });
  const untilInFlight = () =>
    eventually(() => deletions.waiting === 1, { what: 'a deletion on its way to the API server', every: 5 });
  const tries = () => proxy.requests.filter(({ method, path }) => method === 'DELETE' || path.endsWith('/eviction'));
  return { ...scene, weeder, untilInFlight, arrive: deletions.open, tries };
}

suite('a pod that changes while its deletion is in flight', { concurrency: true }, () => {
  for (const deletion of ['delete', 'evict']) {
    test(`is not deleted when it has recovered (${deletion})`, async (t) => {
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

  test('is deleted by a second try when it still crash-loops', async (t) => {
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

  test('is not deleted when it is no longer a dependant, or is now annotated', async (t) => {
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

  test('is deleted without its successor of the same name', async (t) => {
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

  test('is not deleted again when another client has deleted it meanwhile', async (t) => {
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

  test('is not deleted when the service goes down before the answer, and a newer state is needed', async (t) => {
    const scene = await setSlowScene(t, 'down-again');
    const pod = await scene.pod('web');
    await scene.endpoints(true);
    await scene.untilInFlight();
    await scene.endpoints(false);
    await scene.weeder.log.until('service is not ready', { service: scene.service });
    await setPodStatus(scene.ns, 'web', crashLoopBackOff(4));
    scene.arrive();
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
  });
});
