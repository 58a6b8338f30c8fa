import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { crashLoopBackOff, deleteSlice, running, setPodStatus, setSlice } from '../support/cluster.ts';
import { setScene, untilTime } from '../support/scene.ts';

suite('when a window opens, and how long it lasts', { concurrency: true }, () => {
  test('a service opens a window when it becomes ready, and not when it goes down', async (t) => {
    const scene = await setScene(t, 'recovers');
    const weeder = await scene.start();
    const pod = await scene.pod('web');
    await scene.endpoints(false);
    await scene.laterServiceHandled();
    scene.assertDeleted();
    assert.equal(weeder.log.find('service recovered, window opened', { service: scene.service }).length, 0);
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    const opened = await weeder.log.until('service recovered, window opened', { service: scene.service });
    assert.partialDeepStrictEqual(opened, { namespace: scene.ns.name, window: 1, for: '5m0s' });
  });

  test('a service that is created after the start of weeder and is ready opens a window', async (t) => {
    const scene = await setScene(t, 'appears');
    await scene.start();
    const pod = await scene.pod('web');
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
  });

  test('changes of endpoints and slices open no window while the service remains ready', async (t) => {
    const scene = await setScene(t, 'stays-ready', { settings: { onStart: 'never' } });
    await scene.endpoints(true);
    await scene.start();
    const pod = await scene.pod('web');
    const other = (...ready: boolean[]) => setSlice(scene.ns, scene.service, { name: 'second', ready });
    await scene.endpoints(true, true);
    await scene.endpoints(false, true);
    await other(true);
    await scene.endpoints();
    await scene.endpoints(true);
    await deleteSlice(scene.ns, scene.service, 'second');
    await other(true, true);
    await deleteSlice(scene.ns, scene.service);
    await scene.endpoints(true);
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await scene.endpoints(false);
    await other(false);
    await other(true);
    await scene.untilDeleted(pod);
  });

  test('pods that start to crash-loop are deleted until the window closes', async (t) => {
    const scene = await setScene(t, 'ends', { settings: { watchDuration: '20s' } });
    const weeder = await scene.start();
    const early = await scene.pod('early', running());
    await scene.pod('late', running());
    await scene.endpoints(false);
    await scene.endpoints(true);
    const opened = await weeder.log.until('service recovered, window opened', { service: scene.service });
    await setPodStatus(scene.ns, 'early', crashLoopBackOff(1));
    await scene.untilDeleted(early);
    const closed = await weeder.log.until('window closed', { service: scene.service });
    const length = Date.parse(closed.time) - Date.parse(opened.time);
    assert.ok(length >= 19_900 && length < 35_000, `the window lasted ${length} ms`);
    assert.partialDeepStrictEqual(closed, { deleted: 1, skipped: 0, failed: [] });

    await setPodStatus(scene.ns, 'late', crashLoopBackOff(1));
    await scene.laterServiceHandled();
    scene.assertDeleted(early);
  });

  test('a window remains open for its full time although all dependants have recovered', async (t) => {
    const scene = await setScene(t, 'full');
    const weeder = await scene.start();
    const [first, second] = [await scene.pod('first'), await scene.pod('second')];
    await setPodStatus(scene.ns, 'second', running(3));
    await scene.endpoints(true);
    const opened = await weeder.log.until('service recovered, window opened', { service: scene.service });
    await scene.untilDeleted(first);
    await untilTime(Date.parse(opened.time) + 1500);
    await setPodStatus(scene.ns, 'second', crashLoopBackOff(4));
    await scene.untilDeleted(second);
  });

  test('a new recovery replaces the open window by a full one', async (t) => {
    const scene = await setScene(t, 'replaces', { settings: { watchDuration: '20s' } });
    const weeder = await scene.start();
    await scene.endpoints(true);
    const first = await weeder.log.until('service recovered, window opened', { service: scene.service, window: 1 });
    await untilTime(Date.parse(first.time) + 10_000);
    await scene.endpoints(false);
    await scene.endpoints(true);
    const second = await weeder.log.until('service recovered, window opened', { service: scene.service, window: 2 });
    await weeder.log.until('window closed', { service: scene.service, window: 1 });
    const pod = await scene.pod('web', running());
    await untilTime(Date.parse(first.time) + 20_200);
    await setPodStatus(scene.ns, 'web', crashLoopBackOff(1));
    await scene.untilDeleted(pod);
    const closed = await weeder.log.until('window closed', { service: scene.service, window: 2 });
    const length = Date.parse(closed.time) - Date.parse(second.time);
    assert.ok(length >= 19_900 && length < 35_000, `the second window lasted ${length} ms`);
  });
});
