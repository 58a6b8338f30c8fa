import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { crashLoopBackOff, running, setPodStatus, setSlice, startWeeder } from '../support/cluster.ts';
import { type Scene, setScene } from '../support/scene.ts';

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

/** A service whose backing pods have been ready for so many seconds, before any weeder runs. */
async function readySince(scene: Scene, ...seconds: number[]): Promise<void> {
  const names = seconds.map((_, index) => `backing-${index}`);
  for (const [index, name] of names.entries()) {
    const status = { containers: { main: running() }, readySince: ago(seconds[index] ?? 0) };
    await scene.pod(name, status, { labels: { app: 'backing' } });
  }
  await setSlice(scene.ns, scene.service, { ready: names.map(() => true), targetRefs: names });
}

suite('services that are ready when weeder starts', { concurrency: true }, () => {
  test('ready for long: no window', async (t) => {
    const scene = await setScene(t, 'long-ready', { settings: { watchDuration: '5s' } });
    await readySince(scene, 3600, 2);
    await scene.pod('web');
    const weeder = await scene.start();
    await weeder.log.until('service is ready, and no window is due', { service: scene.service });
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await scene.endpoints(false);
    await scene.endpoints(true);
    await weeder.log.until('service recovered, window opened', { service: scene.service });
  });

  test('ready for a short time: a window for the rest of its time', async (t) => {
    const scene = await setScene(t, 'just-ready', { settings: { watchDuration: '28s' } });
    const since = ago(20);
    await readySince(scene, 20, 4);
    const early = await scene.pod('early');
    const weeder = await scene.start();
    await scene.untilDeleted(early);
    const closed = await weeder.log.until('window closed', { service: scene.service });
    const length = Date.parse(closed.time) - since.getTime();
    // The API stores whole seconds.
    assert.ok(length > 26_900 && length < 30_000, `the window ended ${length} ms after the recovery`);
    await scene.pod('late');
    await scene.laterServiceHandled();
    scene.assertDeleted(early);
  });

  test('ready since an unknown time: a whole window', async (t) => {
    const scene = await setScene(t, 'undated', { settings: { watchDuration: '90s' } });
    await scene.endpoints(true);
    const pod = await scene.pod('web');
    const weeder = await scene.start();
    await scene.untilDeleted(pod);
    assert.equal(weeder.eventsOf('window.opened').find(({ service }) => service === scene.service)?.duration, 90_000);
  });

  test('the pods behind it are deleted: a whole window', async (t) => {
    const scene = await setScene(t, 'no-backing');
    await setSlice(scene.ns, scene.service, { ready: [true], targetRefs: ['nobody'] });
    const pod = await scene.pod('web');
    await scene.start();
    await scene.untilDeleted(pod);
  });

  test('onStart: always opens a whole window for a service that is ready for long', async (t) => {
    const scene = await setScene(t, 'always', { settings: { onStart: 'always', watchDuration: '5s' } });
    await readySince(scene, 3600);
    const pod = await scene.pod('web');
    await scene.start();
    await scene.untilDeleted(pod);
  });

  test('onStart: never opens none for a service that has just become ready', async (t) => {
    const scene = await setScene(t, 'never', { global: { onStart: 'never' } });
    await readySince(scene, 1);
    const pod = await scene.pod('web');
    await scene.start();
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await scene.endpoints(false);
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
  });

  test('a service that is down when weeder starts opens a window when it recovers, whatever onStart is', async (t) => {
    const scene = await setScene(t, 'down-at-start', { settings: { onStart: 'never' } });
    await scene.endpoints(false);
    const pod = await scene.pod('web');
    await scene.start();
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
  });

  test('weeder is killed in a window: the next process continues it for the rest of its time, and no longer', async (t) => {
    const scene = await setScene(t, 'dies', { settings: { watchDuration: '10s' } });
    const first = startWeeder(t, { cluster: scene.ns.cluster, config: scene.config });
    await first.ready();
    await scene.endpoints(false);
    const began = Date.now();
    await readySince(scene, 0);
    const early = await scene.pod('early');
    await scene.untilDeleted(early);
    assert.deepEqual(await first.kill(), { code: null, signal: 'SIGKILL' });
    const meanwhile = await scene.pod('meanwhile');
    const second = await scene.start();
    await scene.untilDeleted(meanwhile);
    const closed = await second.log.until('window closed', { service: scene.service });
    const length = Date.parse(closed.time) - began;
    assert.ok(length > 8900 && length < 12_000, `the window ended ${length} ms after the recovery`);
    await second.stop();

    await scene.pod('late');
    const third = await scene.start();
    await third.log.until('service is ready, and no window is due', { service: scene.service });
    await setPodStatus(scene.ns, 'late', crashLoopBackOff(4));
    await scene.laterServiceHandled();
    scene.assertDeleted(early, meanwhile);
  });
});
