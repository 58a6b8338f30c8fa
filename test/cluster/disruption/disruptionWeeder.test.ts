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

/** Starts a weeder, and waits until it has one DELETE in flight, which gets no answer until the gate opens. */
async function withDeletionInFlight(t: TestContext, prefix: string) {
  const scene = await setScene(t, prefix);
  const deletions = gate(({ method }) => method === 'DELETE');
  const proxy = await startRequestProxy(t, scene.ns.cluster, deletions.onRequest);
  await scene.endpoints(false);
  const pod = await scene.pod('web');
  const weeder = await started(t, scene, proxy.kubeconfig);
  await scene.endpoints(true);
  await eventually(() => deletions.waiting === 1, { what: 'the DELETE in flight' });
  return { scene, deletions, pod, weeder };
}

/** The limit leaves time for a busy machine. test/process checks the two seconds in virtual time. Milliseconds. */
const stopTimeout = 15_000;

/** Returns the time from the first to the last log line of the stop. Milliseconds. */
async function timeToStop({ log }: WeederProcess): Promise<number> {
  const [stopping, stopped] = [await log.until('stopping'), await log.until('weeder stopped')];
  assert.equal(log.lines.at(-1), stopped);
  return Date.parse(stopped.time) - Date.parse(stopping.time);
}

suite('signals that stop weeder', { concurrency: 2 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`on ${signal} in a window weeder exits with code 0, and deletes no further pod`, async (t) => {
      const scene = await setScene(t, 'stopped');
      await scene.endpoints(false);
      const first = await scene.pod('first');
      const weeder = await started(t, scene);
      await scene.endpoints(true);
      await scene.untilDeleted(first);
      weeder.signal(signal);
      assert.deepEqual(await weeder.exited, { code: 0, signal: null });
      assert.ok((await timeToStop(weeder)) < stopTimeout);
      assert.deepEqual(weeder.log.find('stopping with requests in flight'), []);
      await scene.pod('second');
      await scene.observer.caughtUp();
      scene.assertDeleted(first);
    });
  }

  test('weeder waits for a deletion in flight before it exits', async (t) => {
    const { scene, deletions, pod, weeder } = await withDeletionInFlight(t, 'draining');
    weeder.signal('SIGTERM');
    await weeder.log.until('stopping');
    deletions.open();
    assert.deepEqual(await weeder.exited, { code: 0, signal: null });
    await scene.untilDeleted(pod);
    await weeder.log.until('pod deleted');
  });

  test('weeder waits at most two seconds for the answer to a deletion', async (t) => {
    const { weeder } = await withDeletionInFlight(t, 'overdue');
    weeder.signal('SIGTERM');
    assert.deepEqual(await weeder.exited, { code: 0, signal: null });
    assert.ok((await timeToStop(weeder)) < stopTimeout);
    await weeder.log.until('stopping with requests in flight', { inFlight: 1 });
  });

  test('a second signal ends weeder immediately', async (t) => {
    async function stoppedTwice(): Promise<WeederProcess> {
      const { weeder } = await withDeletionInFlight(t, 'impatient');
      weeder.signal('SIGTERM');
      await weeder.log.until('stopping');
      weeder.signal('SIGTERM');
      await weeder.exited;
      return weeder;
    }
    // On a busy machine the second signal may come after the two seconds.
    let weeder = await stoppedTwice();
    while (weeder.log.find('stopping with requests in flight').length > 0) weeder = await stoppedTwice();
    assert.deepEqual(await weeder.exited, { code: 143, signal: null });
    assert.deepEqual(weeder.log.find('weeder stopped'), []);
  });
});

suite('weeder is suspended', { concurrency: 2 }, () => {
  test('pods that crash-loop while weeder is suspended are deleted afterwards, and no stream counts as silent', async (t) => {
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

  test('a window that ends while weeder is suspended causes no late deletion', async (t) => {
    const scene = await setScene(t, 'suspended-late', { settings: { watchDuration: '3s' } });
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

  test('a service that goes down and recovers while weeder is suspended opens a window', async (t) => {
    // No window is open before the recovery.
    const scene = await setScene(t, 'suspended', { settings: { onStart: 'never' } });
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
