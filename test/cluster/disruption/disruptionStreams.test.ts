import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { getPod, running, setPodStatus, startWeeder, type WeederProcess } from '../support/cluster.ts';
import { ownControlPlane } from '../support/plane/ownControlPlane.ts';
import { startRequestProxy } from '../support/plane/requestProxy.ts';
import { type Scene, setScene } from '../support/scene.ts';

const failures = (weeder: WeederProcess) => weeder.log.find(/^stream (lost|silent|expired)$/);

/** Lets the service recover, waits until a pod is deleted, and lets the service go down. */
async function recovery(scene: Scene, weeder: WeederProcess, round: number): Promise<void> {
  const pod = await scene.pod(`web-${round}`);
  await scene.endpoints(true);
  await scene.untilDeleted(pod);
  await scene.down(weeder);
}

suite('API servers with unusual settings', () => {
  test('with --min-request-timeout=5 the streams end repeatedly, and weeder misses no change and lists nothing again', async (t) => {
    const plane = await ownControlPlane(t, { apiServerFlags: ['--min-request-timeout=5'] });
    const scene = await setScene(t, 'ends', { cluster: plane });
    // Removes the duration that weeder requests, so that the server chooses 5 to 10 s.
    const proxy = await startRequestProxy(
      t,
      plane,
      () => {},
      (path) => path.replace(/&timeoutSeconds=\d+/, ''),
    );
    await scene.endpoints(false);
    const flags = ['--log-level=debug'];
    const weeder = startWeeder(t, { cluster: plane, config: scene.config, kubeconfig: proxy.kubeconfig, flags });
    await weeder.ready();
    const streams = weeder.log.find('stream synced').length;
    const ended = () => weeder.log.find('stream ended, resuming').length;
    for (let round = 0; ended() < 2 * streams; round += 1) {
      await recovery(scene, weeder, round);
      await pause(200);
    }
    const deleted = scene.observer.deletions().length;
    assert.equal(weeder.log.find('service recovered, window opened').length, deleted);
    assert.equal(weeder.log.find('stream synced').length, streams);
    // If the server ends a watch within a second of its response, weeder pauses once before it resumes.
    const isEarlyEnd = ({ cause, attempt }: Record<string, unknown>) =>
      cause === 'the server ended the stream' && attempt === 1;
    assert.deepEqual(
      failures(weeder).filter((line) => !isEarlyEnd(line)),
      [],
    );
    assert.equal(proxy.requests.filter(({ path }) => path.includes('sendInitialEvents')).length, streams);
  });

  test('without WatchList weeder reads pages', async (t) => {
    const plane = await ownControlPlane(t, { apiServerFlags: ['--feature-gates=WatchList=false'] });
    const scene = await setScene(t, 'pages', { cluster: plane });
    await scene.endpoints(false);
    const before = await scene.pod('before');
    const weeder = startWeeder(t, { cluster: plane, config: scene.config });
    await weeder.ready();
    assert.ok(weeder.log.find('WatchList not supported, falling back to paged LIST').length > 0);
    await scene.endpoints(true);
    await scene.untilDeleted(before);
    await scene.laterPodDeleted();
    assert.deepEqual(failures(weeder), []);
  });

  test('after a compaction of etcd during an outage, weeder detects deleted and changed objects', async (t) => {
    const { scene, weeder, deleted, recovered, looping } = await compacted(t);
    await scene.untilDeleted(looping);
    await scene.observer.caughtUp();
    scene.assertDeleted(deleted, looping);
    assert.equal((await getPod(scene.ns, 'recovered'))?.metadata.uid, recovered.metadata.uid);
    assert.deepEqual(weeder.log.find(/^deletion (refused|failed)/), []);
    // The observer may receive the event before weeder receives the answer.
    await weeder.log.until('pod deleted');
    // The first events after the new list cause no further deletion.
    await scene.laterPodDeleted();
    await weeder.log.until('pod deleted', {}, { count: 2 });
    assert.equal(weeder.log.find('pod deleted').length, 2);
  });
});

/** Compacts etcd while weeder has no streams. Without its watch cache, the API server cannot resume them then. */
async function compacted(t: TestContext) {
  const plane = await ownControlPlane(t, { apiServerFlags: ['--watch-cache=false', '--etcd-compaction-interval=0'] });
  const scene = await setScene(t, 'compacted', { cluster: plane });
  await scene.endpoints(false);
  const [deleted, recovered, looping] = [
    await scene.pod('deleted'),
    await scene.pod('recovered'),
    await scene.pod('looping'),
  ];
  const weeder = startWeeder(t, { cluster: plane, config: scene.config });
  await weeder.ready();
  const streams = weeder.log.find('stream synced').length;
  await plane.killApiServer();
  await weeder.log.until(/^stream (lost|silent)$/, {}, { count: streams });
  weeder.signal('SIGSTOP');
  await plane.startApiServer();
  await plane.api('DELETE', scene.ns.path('api/v1', 'pods', 'deleted'));
  await setPodStatus(scene.ns, 'recovered', running(4));
  await scene.endpoints(true);
  await plane.compactEtcd();
  weeder.signal('SIGCONT');
  await weeder.log.until('stream expired', {}, { count: streams });
  return { scene, weeder, deleted, recovered, looping };
}
