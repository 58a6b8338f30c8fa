import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  crashLoopBackOff,
  createReplicaSet,
  createService,
  patchPodMetadata,
  readyEndpoints,
  running,
  setEndpoints,
  setPodStatus,
  setSlice,
} from '../support/cluster.ts';
import { setScene } from '../support/scene.ts';

/** Windows that end during the test, but not before a busy machine has deleted the pod. */
const short = { watchDuration: '10s' };

suite('the readiness of a service', { concurrency: true }, () => {
  test('a service with two slices is ready if one of them is, and down if both are', async (t) => {
    const scene = await setScene(t, 'two-slices', { settings: short });
    const weeder = await scene.start();
    const first = (...ready: boolean[]) => setSlice(scene.ns, scene.service, { name: 'first', ready });
    const second = (...ready: boolean[]) => setSlice(scene.ns, scene.service, { name: 'second', ready });
    await first(false);
    await second(false);
    const pod = await scene.pod('web');
    await second(true);
    await scene.untilDeleted(pod);
    await weeder.log.until('window closed', { service: scene.service });

    const late = await scene.pod('late');
    await first(true);
    await second(false);
    await second(true);
    await first(false);
    await scene.laterServiceHandled();
    scene.assertDeleted(pod);
    await second(false);
    await second(true);
    await scene.untilDeleted(late);
  });

  test('an endpoint without a ready condition counts as ready', async (t) => {
    const scene = await setScene(t, 'unset');
    await scene.start();
    await scene.endpoints(false, false);
    const pod = await scene.pod('web');
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await scene.endpoints(false, undefined);
    await scene.untilDeleted(pod);
  });

  test('slices that the cluster creates for a Service with a selector work too', async (t) => {
    const scene = await setScene(t, 'real');
    await scene.start();
    const backing = { app: `backing-${scene.ns.name}` };
    await createService(scene.ns, scene.service, { selector: backing });
    const pods = await createReplicaSet(scene.ns, 'db', { labels: backing, replicas: 2, onNode: true });
    for (const [index, { metadata }] of pods.entries()) {
      const down = crashLoopBackOff(1);
      await setPodStatus(scene.ns, metadata.name, { containers: { main: down }, ip: `10.9.1.${index + 1}` });
    }
    await readyEndpoints(scene.ns, scene.service, 0);
    const pod = await scene.pod('web');
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await setPodStatus(scene.ns, pods[0]?.metadata.name ?? '', running(2));
    await scene.untilDeleted(pod);
    await patchPodMetadata(scene.ns, pods[0]?.metadata.name ?? '', { labels: { app: 'other' } });
    await readyEndpoints(scene.ns, scene.service, 0);
    scene.assertDeleted(pod);
  });

  test('a Service with publishNotReadyAddresses recovers when a pod behind it is ready', async (t) => {
    const scene = await setScene(t, 'publishes', { settings: { onStart: 'never' } });
    const backing = { app: `backing-${scene.ns.name}` };
    await createService(scene.ns, scene.service, { selector: backing, publishNotReadyAddresses: true });
    const [db] = await createReplicaSet(scene.ns, 'db', { labels: backing, onNode: true });
    assert.ok(db);
    const down = { containers: { main: crashLoopBackOff(1) }, ip: '10.9.2.1' };
    await setPodStatus(scene.ns, db.metadata.name, down);
    await readyEndpoints(scene.ns, scene.service, 1);
    await scene.start();
    const pod = await scene.pod('web');
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await setPodStatus(scene.ns, db.metadata.name, running(2));
    await scene.untilDeleted(pod);
  });

  test('slices that the cluster mirrors from an Endpoints object work too', async (t) => {
    const scene = await setScene(t, 'mirrored');
    await scene.start();
    await createService(scene.ns, scene.service);
    await setEndpoints(scene.ns, scene.service, { ready: 0, notReady: 1 });
    await readyEndpoints(scene.ns, scene.service, 0);
    const pod = await scene.pod('web');
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await setEndpoints(scene.ns, scene.service, { ready: 1 });
    await scene.untilDeleted(pod);
  });

  test('a failover that replaces the address in an Endpoints object is a recovery, and one more address is not', async (t) => {
    const scene = await setScene(t, 'failover', { settings: { onStart: 'never' } });
    await createService(scene.ns, scene.service);
    await setEndpoints(scene.ns, scene.service, { ready: 1 });
    await readyEndpoints(scene.ns, scene.service, 1);
    await scene.start();
    const pod = await scene.pod('web');
    await setEndpoints(scene.ns, scene.service, { ready: 2 });
    await readyEndpoints(scene.ns, scene.service, 2);
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await setEndpoints(scene.ns, scene.service, { ready: 2, subnet: 2 });
    await scene.untilDeleted(pod);
  });
});
