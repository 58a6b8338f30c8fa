import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { crashLoopBackOff, running, setPodStatus, setSlice, startWeeder } from '../support/cluster.ts';
import { type Scene, setScene } from '../support/scene.ts';

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

/** Creates a service whose pods have been ready for these numbers of seconds. */
async function readySince(scene: Scene, ...seconds: number[]): Promise<void> {
  const names = seconds.map((_, index) => `backing-${index}`);
  for (const [index, name] of names.entries()) {
    const status = { containers: { main: running() }, readySince: ago(seconds[index] ?? 0) };
    await scene.pod(name, status, { labels: { app: 'backing' } });
  }
  await setSlice(scene.ns, scene.service, { ready: names.map(() => true), targetRefs: names });
}

suite('services that are ready when weeder starts', { concurrency: true }, () => {
  test('a service that has been ready for longer than a window opens none', async (t) => {
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

  test('a service whose pods do not exist opens a full window', async (t) => {
    const scene = await setScene(t, 'no-backing');
    await setSlice(scene.ns, scene.service, { ready: [true], targetRefs: ['missing'] });
    const pod = await scene.pod('web');
    await scene.start();
    await scene.untilDeleted(pod);
  });

  test('weeder is killed in a window: the next process continues the window for its remaining time', async (t) => {
    const scene = await setScene(t, 'killed', { settings: { watchDuration: '20s' } });
    const first = startWeeder(t, { cluster: scene.ns.cluster, config: scene.config });
    await first.ready();
    await scene.endpoints(false);
    const began = Date.now();
    await readySince(scene, 0);
    const early = await scene.pod('early');
    await scene.untilDeleted(early);
    assert.deepEqual(await first.kill(), { code: null, signal: 'SIGKILL' });
    const meanwhile = await scene.pod('meanwhile');
    const restarted = Date.now();
    const second = await scene.start();
    await scene.untilDeleted(meanwhile);
    const closed = await second.log.until('window closed', { service: scene.service });
    const [length, fromRestart] = [began, restarted].map((from) => Date.parse(closed.time) - from);
    assert.ok(length !== undefined && length > 18_900, `the window ended ${length} ms after the recovery`);
    // A full window would end later.
    assert.ok(fromRestart !== undefined && fromRestart < 20_000, `${fromRestart} ms after the restart`);
    await second.stop();

    await scene.pod('late');
    const third = await scene.start();
    await third.log.until('service is ready, and no window is due', { service: scene.service });
    await setPodStatus(scene.ns, 'late', crashLoopBackOff(4));
    await scene.laterServiceHandled();
    scene.assertDeleted(early, meanwhile);
  });
});
