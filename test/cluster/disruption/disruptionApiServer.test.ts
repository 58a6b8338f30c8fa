import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, getPod, startWeeder } from '../support/cluster.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';
import { gate, type PassingRequest, startRequestProxy } from '../support/plane/requestProxy.ts';
import { setScene, untilTime } from '../support/scene.ts';

const lost = /^stream (lost|silent)$/;

// The tests run one after the other, because each stops the same API server.
suite('outages of the API server', () => {
  const own = suiteControlPlane();

  /** A scene on the suite's control plane. `start` starts a weeder for it. */
  async function prepare(t: Parameters<typeof setScene>[0], prefix: string, settings: object = {}) {
    const plane = own();
    const scene = await setScene(t, prefix, { cluster: plane, settings });
    return {
      plane,
      scene,
      start: (...flags: string[]) => startWeeder(t, { cluster: plane, config: scene.config, flags }),
    };
  }

  test('a weeder that starts before the API server waits, logs that once, and starts its controller later', async (t) => {
    const { plane, scene, start } = await prepare(t, 'early');
    await scene.endpoints(false);
    const pod = await scene.pod('web');
    await plane.killApiServer();
    const weeder = start();
    await weeder.log.until('waiting for the API server');
    await plane.startApiServer();
    await weeder.ready();
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    assert.equal(weeder.log.find('waiting for the API server').length, 1);
    assert.equal(weeder.stderr(), '');
  });

  test('the API server is killed in a window: crash-looping pods are deleted after its restart, and the window ends on time', async (t) => {
    const { plane, scene, start } = await prepare(t, 'killed', { watchDuration: '40s' });
    await scene.endpoints(false);
    const first = await scene.pod('first');
    const second = await scene.pod('second', undefined, { annotations: { 'weeder.dev/ignore': 'true' } });
    const weeder = start();
    await weeder.ready();
    await scene.endpoints(true);
    const opened = await weeder.log.until('service recovered, window opened', { service: scene.service });
    await scene.untilDeleted(first);
    await plane.killApiServer();
    await weeder.log.until(lost, {}, { count: 2 });
    await plane.startApiServer();
    const restarted = Date.now();
    const third = await scene.pod('third');
    await scene.untilDeleted(third);
    const closed = await weeder.log.until('window closed', { service: scene.service });
    const length = Date.parse(closed.time) - Date.parse(opened.time);
    assert.ok(length >= 39_900, `the window lasted ${length} ms`);
    assert.ok(Date.parse(closed.time) < restarted + 40_000, 'the window began again');
    assert.equal(weeder.log.find('service recovered, window opened', { service: scene.service }).length, 1);
    assert.equal((await getPod(scene.ns, 'second'))?.metadata.uid, second.metadata.uid);
    scene.assertDeleted(first, third);
  });

  test('the API server is killed during a deletion: weeder retries it, and continues with the others', async (t) => {
    const { plane, scene } = await prepare(t, 'midway');
    await scene.endpoints(false);
    const pods = await Promise.all(Array.from({ length: 30 }, (_, index) => scene.pod(`web-${index}`)));
    let sent = 0;
    const isDeletion = ({ method }: PassingRequest) => method === 'DELETE';
    const fourth = gate((request) => isDeletion(request) && sent === 4);
    const later = gate((request) => isDeletion(request) && sent > 4);
    const { kubeconfig } = await startRequestProxy(t, plane, async (request) => {
      if (isDeletion(request)) sent += 1;
      await Promise.all([fourth.onRequest(request), later.onRequest(request)]);
    });
    const weeder = startWeeder(t, {
      cluster: plane,
      config: scene.config,
      kubeconfig,
      flags: ['--concurrent-deletions=1'],
    });
    await weeder.ready();
    await scene.endpoints(true);
    await eventually(() => fourth.waiting === 1, { what: 'the fourth deletion in flight', every: 5 });
    fourth.open();
    // The API server may receive the request, and complete it or a part of it.
    await pause(1);
    await plane.killApiServer();
    later.open();
    await weeder.log.until('deletion refused, retrying');
    assert.ok(weeder.log.find('pod deleted').length < pods.length);
    await plane.startApiServer();
    // After the first of the two steps of a deletion the pod is terminating. Without a kubelet, the test completes it.
    const half = String(weeder.log.find('deletion refused, retrying')[0]?.['pod']).split('/')[1] ?? '';
    const isTerminating = async () => (await getPod(scene.ns, half))?.metadata.deletionTimestamp !== undefined;
    if (await isTerminating()) {
      await plane.send('DELETE', scene.ns.path('api/v1', 'pods', half), {
        body: { gracePeriodSeconds: 0 },
      });
    }
    await scene.untilDeleted(...pods);
    scene.assertDeleted(...pods);
  });

  test('a service that recovers right after a restart of the API server opens a window', async (t) => {
    const { plane, scene, start } = await prepare(t, 'return');
    await scene.endpoints(false);
    const pod = await scene.pod('web');
    const weeder = start();
    await weeder.ready();
    await plane.killApiServer();
    await weeder.log.until(lost, {}, { count: 2 });
    await plane.startApiServer();
    await scene.endpoints(true);
    const { at } = (await scene.untilDeleted(pod))[0] ?? assert.fail();
    assert.ok(at > 0);
    await weeder.log.until('service recovered, window opened', { service: scene.service });
    assert.equal(weeder.log.find('service recovered, window opened', { service: scene.service }).length, 1);
  });

  test('the API server is suspended for longer than 30 s: weeder reports it, and misses no change', async (t) => {
    const { plane, scene, start } = await prepare(t, 'silent');
    await scene.endpoints(false);
    const first = await scene.pod('first');
    // Without Events, because the time-out of an Event in flight would detect the outage first.
    const weeder = start('--events=false');
    await weeder.ready();
    await scene.endpoints(true);
    await scene.untilDeleted(first);
    const second = await scene.pod('second', { containers: {}, ready: false });
    await plane.pauseApiServer();
    const paused = Date.now();
    // kube-runtime checks the 30 s in virtual time.
    const silent = await weeder.log.until('stream silent');
    assert.equal(silent.level, 'warn');
    await untilTime(paused + 31_000);
    plane.resumeApiServer();
    const third = await scene.pod('third');
    await scene.untilDeleted(third);
    assert.equal((await getPod(scene.ns, 'second'))?.metadata.uid, second.metadata.uid);
    await scene.endpoints(false);
    await scene.endpoints(true);
    await weeder.log.until('service recovered, window opened', { service: scene.service, window: 2 });
    scene.assertDeleted(first, third);
  });
});
