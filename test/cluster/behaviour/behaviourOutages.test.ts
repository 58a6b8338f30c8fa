import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { crashLoopBackOff, createReplicaSet, podsOf, running, setPodStatus, startWeeder } from '../support/cluster.ts';
import { setScene } from '../support/scene.ts';

suite('a service that recovers, and goes down again', { concurrency: true }, () => {
  test('a service opens a window when it becomes ready, and not when it goes down; the window lasts for its time', async (t) => {
    const scene = await setScene(t, 'recovers', { settings: { watchDuration: '10s' } });
    const weeder = await scene.start();
    const early = await scene.pod('early');
    await scene.pod('late', running());
    await scene.endpoints(false);
    await scene.laterServiceHandled();
    scene.assertDeleted();
    assert.equal(weeder.log.find('service recovered, window opened', { service: scene.service }).length, 0);
    await scene.endpoints(true);
    await scene.untilDeleted(early);
    const opened = await weeder.log.until('service recovered, window opened', { service: scene.service });
    assert.partialDeepStrictEqual(opened, { namespace: scene.ns.name, window: 1, for: '10s' });
    const closed = await weeder.log.until('window closed', { service: scene.service });
    const length = Date.parse(closed.time) - Date.parse(opened.time);
    assert.ok(length >= 9_900 && length < 25_000, `the window lasted ${length} ms`);
    assert.partialDeepStrictEqual(closed, { deleted: 1, skipped: 0, failed: [] });

    await setPodStatus(scene.ns, 'late', crashLoopBackOff(1));
    await scene.laterServiceHandled();
    scene.assertDeleted(early);
  });

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
});
