import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Pod, running, setPodStatus, setSlice, startWeeder, type WeederProcess } from '../support/cluster.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';
import { type Scene, setScene } from '../support/scene.ts';

const backing = 'backing';
const cleanups: (() => unknown)[] = [];
const suiteContext = { after: (cleanup: () => unknown) => cleanups.push(cleanup) };

interface GapCase {
  readonly scene: Scene;
  /** A crash-looping dependant of the service. */
  readonly pod: Pod;
}

/** Creates a service that, like its pod, has been ready for an hour, and a crash-looping dependant. */
async function readyForLong(prefix: string, plane: ReturnType<ReturnType<typeof suiteControlPlane>>): Promise<GapCase> {
  const scene = await setScene(suiteContext, prefix, { cluster: plane });
  const since = new Date(Date.now() - 3_600_000);
  await scene.pod(backing, { containers: { main: running() }, readySince: since }, { labels: { app: backing } });
  await endpoint(scene, true);
  return { scene, pod: await scene.pod('web') };
}

async function endpoint({ ns, service }: Scene, isReady: boolean): Promise<void> {
  await setSlice(ns, service, { ready: [isReady], targetRefs: [backing] });
}

suite('changes while weeder has no streams', { concurrency: true }, () => {
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  const own = suiteControlPlane();
  const cases = new Map<string, GapCase>();
  let weeder: WeederProcess;

  const caseOf = (name: string): GapCase => cases.get(name) ?? assert.fail(name);
  const lines = (message: string, { scene: { service } }: GapCase) => weeder.log.find(message, { service });
  const opened = 'service recovered, window opened';
  const windows = (of: GapCase) => lines(opened, of).length;

  /** Waits for the deletion of the dependant, and for the line about its window. */
  async function untilDeleted(of: GapCase): Promise<void> {
    await of.scene.untilDeleted(of.pod);
    await weeder.log.until(opened, { service: of.scene.service });
  }

  /**
   * Closes the streams, suspends weeder, changes the services, and restarts the API server, so that weeder gets no
   * events of the changes.
   */
  before(async () => {
    const plane = own();
    for (const name of ['shown', 'hidden', 'unchanged', 'recovered', 'down'])
      cases.set(name, await readyForLong(name, plane));
    const configs = [...cases.values()].map(({ scene }) => Object.entries(scene.config).at(-1)?.[1]);
    const config = { servicesAndDependantSelectors: Object.assign({}, ...configs) };
    weeder = startWeeder(suiteContext, { cluster: plane, config });
    await weeder.log.until('service is ready, and no window is due', {}, { count: cases.size });
    await endpoint(caseOf('recovered').scene, false);
    await weeder.log.until('service is down', { service: caseOf('recovered').scene.service });
    const streams = weeder.log.find('stream synced').length;
    await plane.killApiServer();
    await weeder.log.until(/^stream (lost|silent)$/, {}, { count: streams });
    weeder.signal('SIGSTOP');
    await plane.startApiServer();

    for (const name of ['shown', 'hidden', 'down']) await endpoint(caseOf(name).scene, false);
    // The API truncates times to whole seconds: the transition has to be in a later second than weeder's last read.
    await pause(1100);
    const shown = caseOf('shown').scene;
    await setPodStatus(shown.ns, backing, { containers: { main: running(1) }, readySince: new Date() });
    for (const name of ['shown', 'hidden', 'recovered']) await endpoint(caseOf(name).scene, true);

    await plane.killApiServer();
    await plane.startApiServer();
    weeder.signal('SIGCONT');
    await weeder.log.until('stream synced', {}, { count: 2 * streams });
    assert.equal(weeder.log.find('stream expired').length, streams);
  });
  test('a service that went down and recovered opens a window if its pod shows the recovery', async () => {
    await untilDeleted(caseOf('shown'));
    assert.equal(windows(caseOf('shown')), 1);
    assert.equal(lines('service is down', caseOf('shown')).length, 0);
  });

  for (const [name, what] of [
    ['hidden', 'a service that went down and recovered, but whose pod does not show it, opens no window'],
    ['unchanged', 'a service that did not change opens no window'],
  ] as const) {
    test(what, async () => {
      const { scene } = caseOf(name);
      await weeder.log.until('service is ready, and no window is due', { service: scene.service }, { count: 2 });
      await scene.laterServiceHandled();
      scene.assertDeleted();
      assert.equal(windows(caseOf(name)), 0);
    });
  }

  test('a service that was down before and recovered opens a window', async () => {
    await untilDeleted(caseOf('recovered'));
    assert.equal(windows(caseOf('recovered')), 1);
  });

  test('a service that went down opens no window until it recovers', async () => {
    const { scene } = caseOf('down');
    await weeder.log.until('service is down', { service: scene.service });
    await scene.laterServiceHandled();
    scene.assertDeleted();
    await scene.endpoints(true);
    await untilDeleted(caseOf('down'));
    assert.equal(windows(caseOf('down')), 1);
  });
});
