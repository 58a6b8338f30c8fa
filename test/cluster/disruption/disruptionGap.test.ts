import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Pod, running, setPodStatus, setSlice, startWeeder, type WeederProcess } from '../support/cluster.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';
import { type Scene, setScene } from '../support/scene.ts';

const backing = 'backing';
const cleanups: (() => unknown)[] = [];
const suiteContext = { after: (cleanup: () => unknown) => cleanups.push(cleanup) };

interface Part {
  readonly scene: Scene;
  /** A crash-looping dependant. */
  readonly pod: Pod;
}

/** A service that has long been ready, by a pod that has long been ready, and a dependant that crash-loops. */
async function readyForLong(prefix: string, plane: ReturnType<ReturnType<typeof suiteControlPlane>>): Promise<Part> {
  const scene = await setScene(suiteContext, prefix, { cluster: plane, settings: { watchDuration: '60s' } });
  const since = new Date(Date.now() - 3_600_000);
  await scene.pod(backing, { containers: { main: running() }, readySince: since }, { labels: { app: backing } });
  await endpoint(scene, true);
  return { scene, pod: await scene.pod('web') };
}

async function endpoint({ ns, service }: Scene, isReady: boolean): Promise<void> {
  await setSlice(ns, service, { ready: [isReady], targetRefs: [backing] });
}

suite('changes in a gap of the streams', { concurrency: true }, () => {
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  const own = suiteControlPlane();
  const parts = new Map<string, Part>();
  let weeder: WeederProcess;

  const part = (name: string): Part => parts.get(name) ?? assert.fail(name);
  const lines = (message: string, { scene: { service } }: Part) => weeder.log.find(message, { service });
  const windows = (of: Part) => lines('service recovered, window opened', of).length;

  /**
   * Its streams are broken, weeder is suspended while all of this happens, and after that the API server is restarted,
   * so that it has no events of that time.
   */
  before(async () => {
    const plane = own();
    for (const name of ['dated', 'undated', 'quiet', 'returned', 'ended'])
      parts.set(name, await readyForLong(name, plane));
    const configs = [...parts.values()].map(({ scene }) => Object.entries(scene.config).at(-1)?.[1]);
    const config = { servicesAndDependantSelectors: Object.assign({}, ...configs) };
    weeder = startWeeder(suiteContext, { cluster: plane, config });
    await weeder.log.until('service is ready, and no window is due', {}, { count: parts.size });
    await endpoint(part('returned').scene, false);
    await weeder.log.until('service is not ready', { service: part('returned').scene.service });
    const streams = weeder.log.find('stream synced').length;
    await plane.killApiServer();
    await weeder.log.until(/^stream (lost|silent)$/, {}, { count: streams });
    weeder.signal('SIGSTOP');
    await plane.startApiServer();

    for (const name of ['dated', 'undated', 'ended']) await endpoint(part(name).scene, false);
    // The API stores whole seconds: the transition has to be in a second that began after weeder's last read.
    await pause(1100);
    const dated = part('dated').scene;
    await setPodStatus(dated.ns, backing, { containers: { main: running(1) }, readySince: new Date() });
    for (const name of ['dated', 'undated', 'returned']) await endpoint(part(name).scene, true);

    await plane.killApiServer();
    await plane.startApiServer();
    weeder.signal('SIGCONT');
    await weeder.log.until('stream synced', {}, { count: 2 * streams });
    assert.equal(weeder.log.find('stream expired').length, streams);
  });
  test('a whole outage and recovery, which the backing pod shows: a window opens', async () => {
    const { scene, pod } = part('dated');
    await scene.untilDeleted(pod);
    assert.equal(windows(part('dated')), 1);
    assert.equal(lines('service is not ready', part('dated')).length, 0);
  });

  for (const [name, what] of [
    ['undated', 'a whole outage and recovery that no pod tells of'],
    ['quiet', 'nothing but the gap itself'],
  ] as const) {
    test(`${what}: none opens`, async () => {
      const { scene } = part(name);
      await weeder.log.until('service is ready, and no window is due', { service: scene.service }, { count: 2 });
      await scene.laterServiceHandled();
      scene.assertDeleted();
      assert.equal(windows(part(name)), 0);
    });
  }

  test('the recovery of a service that was down before: a window opens', async () => {
    const { scene, pod } = part('returned');
    await scene.untilDeleted(pod);
    assert.equal(windows(part('returned')), 1);
  });

  test('the end of a service: nothing opens, and its later return is a recovery', async () => {
    const { scene, pod } = part('ended');
    await weeder.log.until('service is not ready', { service: scene.service });
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    assert.equal(windows(part('ended')), 1);
  });
});
