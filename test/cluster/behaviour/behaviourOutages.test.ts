import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  crashLoopBackOff,
  createReplicaSet,
  onePod,
  podsOf,
  running,
  setPodStatus,
  startWeeder,
} from '../support/cluster.ts';
import { setScene } from '../support/scene.ts';

suite('a service that goes down again in its window', { concurrency: true }, () => {
  test('a service that is down again blocks deletions until it is ready', async (t) => {
    const scene = await setScene(t, 'blocks');
    const weeder = await scene.start();
    await scene.endpoints(true);
    const first = await scene.pod('first');
    await scene.untilDeleted(first);

    await scene.down(weeder);
    const second = await scene.pod('second');
    await scene.pod('third');
    await scene.laterServiceHandled();
    scene.assertDeleted(first);
    await setPodStatus(scene.ns, 'third', running(4));
    await scene.endpoints(true);
    await scene.untilDeleted(second);
    await scene.laterPodDeleted();
    scene.assertDeleted(first, second);
  });

  test('the next recovery opens a new window even if the previous window has closed', async (t) => {
    const scene = await setScene(t, 'closed', { settings: { watchDuration: '1s' } });
    const weeder = await scene.start();
    await scene.endpoints(true);
    await weeder.log.until('service recovered, window opened', { service: scene.service });
    await scene.down(weeder);
    const pod = await scene.pod('web');
    await weeder.log.until('window closed', { service: scene.service, window: 1, deleted: 0 });
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
  });

  test('with whileNotReady: delete pods are deleted until the window closes although the service is down', async (t) => {
    const scene = await setScene(t, 'continues', { settings: { whileNotReady: 'delete', watchDuration: '20s' } });
    const weeder = await scene.start();
    await scene.endpoints(true);
    await weeder.log.until('service recovered, window opened', { service: scene.service });
    await scene.down(weeder);
    const pod = await scene.pod('web');
    await scene.untilDeleted(pod);
    await weeder.log.until('window closed', { service: scene.service });
    await scene.pod('late');
    await scene.laterServiceHandled();
    scene.assertDeleted(pod);
  });

  test('a service flaps ten times in a second: each crash-looping pod is deleted once, and no other pod', async (t) => {
    const scene = await setScene(t, 'flaps');
    // In a separate process, to check that it does not exit.
    const weeder = startWeeder(t, { cluster: scene.ns.cluster, config: scene.config });
    await weeder.ready();
    const pods = await createReplicaSet(scene.ns, 'web', { labels: scene.labels, replicas: 4 });
    const names = pods.map(({ metadata }) => metadata.name);
    for (const name of names) await setPodStatus(scene.ns, name, running());
    await scene.endpoints(false);
    const looping = names.slice(0, 2);
    for (const name of looping) await setPodStatus(scene.ns, name, crashLoopBackOff(5));
    const began = performance.now();
    for (let flap = 0; flap < 10; flap += 1) {
      await scene.endpoints(true);
      await scene.endpoints(false);
    }
    const took = performance.now() - began;
    t.diagnostic(`20 changes in ${Math.round(took)} ms`);
    await scene.endpoints(true);
    const deleted = pods.filter(({ metadata }) => looping.includes(metadata.name));
    await scene.untilDeleted(...deleted);
    await weeder.log.until('service recovered, window opened', { service: scene.service, window: 11 });
    await scene.laterPodDeleted();
    scene.assertDeleted(...deleted);
    await podsOf(scene.ns, { workload: 'web' }, 4);
    assert.deepEqual(await weeder.stop(), { code: 0, signal: null });
  });

  test('replacements that crash-loop again are deleted too', async (t) => {
    const scene = await setScene(t, 'again');
    await scene.start();
    const [first] = await createReplicaSet(scene.ns, 'web', { labels: scene.labels });
    assert.ok(first);
    await scene.endpoints(true);
    let pod = first;
    for (let round = 0; round < 4; round += 1) {
      await setPodStatus(scene.ns, pod.metadata.name, crashLoopBackOff(round + 1));
      await scene.untilDeleted(pod);
      pod = await onePod(scene.ns, { workload: 'web' }, { not: pod.metadata.uid });
    }
    await setPodStatus(scene.ns, pod.metadata.name, running());
    await scene.laterPodDeleted();
    assert.equal((await onePod(scene.ns, { workload: 'web' })).metadata.uid, pod.metadata.uid);
  });
});
