import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  crashLoopBackOff,
  createBudget,
  createReplicaSet,
  deleteBudget,
  onePod,
  type Pod,
  podsOf,
  running,
  setPodStatus,
} from '../support/cluster.ts';
import { type Scene, setScene, untilEnding } from '../support/scene.ts';

suite('the deletion of a pod', { concurrency: true }, () => {
  test('a deletion uses the grace period of the pod, or that of the config', async (t) => {
    const own = await setScene(t, 'own-grace');
    const configured = await setScene(t, 'config-grace', { settings: { gracePeriodSeconds: 7 } });
    const evicting = await setScene(t, 'evict-grace', { global: { gracePeriodSeconds: 9, deletion: 'evict' } });
    const ended = await Promise.all(
      [own, configured, evicting].map(async (scene) => {
        await scene.start();
        const pod = await withGracePeriod(scene, 'web', 23);
        await scene.endpoints(true);
        return untilEnding(scene.ns, pod);
      }),
    );
    assert.deepEqual(
      ended.map(({ metadata }) => metadata['deletionGracePeriodSeconds']),
      [23, 7, 9],
    );
  });

  test('a budget blocks an eviction until the budget allows it', async (t) => {
    const scene = await setScene(t, 'budget', { settings: { deletion: 'evict' } });
    const weeder = await scene.start();
    const [a, b] = await twoLooping(scene);
    await createBudget(scene.ns, 'web', { labels: { workload: 'web' }, minAvailable: 1 });
    await scene.endpoints(true);
    await weeder.log.until('deletion refused, retrying', { pod: `${scene.ns.name}/${b.metadata.name}` });
    await weeder.log.until('deletion refused, retrying', { attempt: 3 });
    await scene.observer.caughtUp();
    scene.assertDeleted();
    await setPodStatus(scene.ns, a.metadata.name, running(4));
    await scene.untilDeleted(b);
    await podsOf(scene.ns, { workload: 'web' }, 2);
    scene.assertDeleted(b);
  });

  test('both pods are evicted after the budget is deleted in the window', async (t) => {
    const scene = await setScene(t, 'budget-deleted', { settings: { deletion: 'evict' } });
    const weeder = await scene.start();
    const pods = await twoLooping(scene);
    await createBudget(scene.ns, 'web', { labels: { workload: 'web' }, maxUnavailable: 0 });
    await scene.endpoints(true);
    await weeder.log.until('deletion refused, retrying', { attempt: 2 });
    await scene.observer.caughtUp();
    scene.assertDeleted();
    await deleteBudget(scene.ns, 'web');
    await scene.untilDeleted(...pods);
    await weeder.log.until('pod evicted', {}, { count: pods.length });
  });

  test('an eviction that a budget forbids for the whole window is reported as failed, and the pod is not deleted', async (t) => {
    const scene = await setScene(t, 'given-up', { settings: { deletion: 'evict', watchDuration: '5s' } });
    const weeder = await scene.start();
    const [pod] = await createReplicaSet(scene.ns, 'web', { labels: scene.labels });
    assert.ok(pod);
    const { name, uid } = pod.metadata;
    await setPodStatus(scene.ns, name, crashLoopBackOff(3));
    await createBudget(scene.ns, 'web', { labels: { workload: 'web' }, maxUnavailable: 0 });
    await scene.endpoints(true);
    const closed = await weeder.log.until('window closed', { service: scene.service });
    assert.partialDeepStrictEqual(closed, { deleted: 0, failed: [`${scene.ns.name}/${name}`], level: 'warn' });
    await weeder.log.until('deletion failed', { pod: `${scene.ns.name}/${name}` });
    await deleteBudget(scene.ns, 'web');
    await scene.laterServiceHandled();
    assert.equal((await onePod(scene.ns, { workload: 'web' })).metadata.uid, uid);
  });
});

async function twoLooping(scene: Scene): Promise<[Pod, Pod]> {
  const [a, b] = await createReplicaSet(scene.ns, 'web', { labels: scene.labels, replicas: 2 });
  assert.ok(a && b);
  for (const { metadata } of [a, b]) await setPodStatus(scene.ns, metadata.name, crashLoopBackOff(3));
  return [a, b];
}

/** Creates a crash-looping pod on a node. Without a kubelet it remains until its deletion is forced. */
async function withGracePeriod(scene: Scene, name: string, seconds: number): Promise<Pod> {
  const pod = await scene.pod(name, undefined, { onNode: true, gracePeriodSeconds: seconds });
  scene.ns.after(() =>
    scene.ns.cluster.send('DELETE', `${scene.ns.path('api/v1', 'pods', name)}?gracePeriodSeconds=0`),
  );
  return pod;
}
