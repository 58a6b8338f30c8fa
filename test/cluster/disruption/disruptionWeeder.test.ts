import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { eventually, startWeeder, type WeederProcess } from '../support/cluster.ts';
import { gate, startRequestProxy } from '../support/plane/requestProxy.ts';
import { type Scene, setScene } from '../support/scene.ts';

async function started(t: TestContext, scene: Scene, kubeconfig?: string): Promise<WeederProcess> {
  const options = kubeconfig === undefined ? {} : { kubeconfig };
  const weeder = startWeeder(t, {
    cluster: scene.ns.cluster,
    config: scene.config,
    ...options,
    expects: { exit: true },
  });
  await weeder.ready();
  return weeder;
}

/** A weeder with one DELETE in flight that gets no answer until the gate opens. */
async function inTheMiddle(t: TestContext, prefix: string) {
  const scene = await setScene(t, prefix);
  const deletions = gate(({ method }) => method === 'DELETE');
  const proxy = await startRequestProxy(t, scene.ns.cluster, deletions.onRequest);
  await scene.endpoints(false);
  const pod = await scene.pod('web');
  const weeder = await started(t, scene, proxy.kubeconfig);
  await scene.endpoints(true);
  await eventually(() => deletions.waiting === 1, { what: 'the DELETE on its way' });
  return { scene, deletions, pod, weeder };
}

/** Within two seconds, to the millisecond, in virtual time (test/manager); here a busy machine may be late. */
const inTime = 5_000;

/** By its own log, whose last line reports that it has stopped. Milliseconds. */
async function timeToStop({ log }: WeederProcess): Promise<number> {
  const [stopping, stopped] = [await log.until('stopping'), await log.until('weeder stopped')];
  assert.equal(log.lines.at(-1), stopped);
  return Date.parse(stopped.time) - Date.parse(stopping.time);
}

suite('weeder receives a signal to stop', { concurrency: 2 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} with a window open: exit code 0 at once, and no further deletion`, async (t) => {
      const scene = await setScene(t, 'stopped');
      await scene.endpoints(false);
      const first = await scene.pod('first');
      const weeder = await started(t, scene);
      await scene.endpoints(true);
      await scene.untilDeleted(first);
      weeder.signal(signal);
      assert.deepEqual(await weeder.exited, { code: 0, signal: null });
      assert.ok((await timeToStop(weeder)) < inTime);
      assert.deepEqual(weeder.log.find('stopping with requests in flight'), []);
      await scene.pod('second');
      await scene.observer.caughtUp();
      scene.assertDeleted(first);
    });
  }

  test('a deletion in flight is waited for', async (t) => {
    const { scene, deletions, pod, weeder } = await inTheMiddle(t, 'draining');
    weeder.signal('SIGTERM');
    await weeder.log.until('stopping');
    deletions.open();
    assert.deepEqual(await weeder.exited, { code: 0, signal: null });
    await scene.untilDeleted(pod);
    await weeder.log.until('pod deleted');
  });

  test('a deletion that gets no answer is not waited for longer than two seconds', async (t) => {
    const { weeder } = await inTheMiddle(t, 'overdue');
    weeder.signal('SIGTERM');
    assert.deepEqual(await weeder.exited, { code: 0, signal: null });
    assert.ok((await timeToStop(weeder)) < inTime);
    await weeder.log.until('stopping with requests in flight', { inFlight: 1 });
  });

  test('a second signal ends it at once', async (t) => {
    const { weeder } = await inTheMiddle(t, 'impatient');
    weeder.signal('SIGTERM');
    await weeder.log.until('stopping');
    weeder.signal('SIGTERM');
    assert.deepEqual(await weeder.exited, { code: 143, signal: null });
    assert.deepEqual(weeder.log.find('weeder stopped'), []);
  });
});

suite('weeder is suspended for a while', { concurrency: 2 }, () => {
  test('in a window: pods that crash-loop meanwhile are deleted afterwards, and no stream counts as dead', async (t) => {
    const scene = await setScene(t, 'still');
    await scene.endpoints(false);
    const weeder = await started(t, scene);
    await scene.endpoints(true);
    await weeder.log.until('service recovered, window opened', { service: scene.service });
    weeder.signal('SIGSTOP');
    const pod = await scene.pod('web');
    await new Promise((resolve) => setTimeout(resolve, 3000));
    scene.assertDeleted();
    weeder.signal('SIGCONT');
    await scene.untilDeleted(pod);
    assert.deepEqual(weeder.log.find(/^stream (lost|silent|expired)$/), []);
  });

  test('over the end of its window: nothing is deleted too late', async (t) => {
    const scene = await setScene(t, 'overslept', { settings: { watchDuration: '3s' } });
    await scene.endpoints(false);
    const weeder = await started(t, scene);
    await scene.endpoints(true);
    await weeder.log.until('service recovered, window opened', { service: scene.service });
    weeder.signal('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 3500));
    await scene.pod('web');
    weeder.signal('SIGCONT');
    await weeder.log.until('window closed', { service: scene.service });
    await scene.laterServiceHandled();
    scene.assertDeleted();
  });

  test('over a whole outage and recovery: a window opens', async (t) => {
    const scene = await setScene(t, 'slept');
    await scene.endpoints(true);
    const weeder = await started(t, scene);
    const pod = await scene.pod('web');
    weeder.signal('SIGSTOP');
    await scene.endpoints(false);
    await scene.endpoints(true);
    weeder.signal('SIGCONT');
    await scene.untilDeleted(pod);
  });
});
