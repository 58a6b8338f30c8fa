import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../support/cluster.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';
import { gracePeriod, leaseDuration, setReplicaScene } from '../support/replicas.ts';
import { untilTime } from '../support/scene.ts';

const lost = 'lost leadership, standing by';

// The tests run one after the other, because each stops the same API server.
suite('outages of the API server with leader election', () => {
  const own = suiteControlPlane();

  test('after an outage longer than the Lease exactly one replica leads, and no process has exited', async (t) => {
    const plane = own();
    const { scene, start, holder } = await setReplicaScene(t, 'stopped', { cluster: plane });
    await scene.endpoints(false);
    const replicas = [await start(), await start()];
    const leader = await eventually(() => replicas.find((each) => each.terms() === 1), { what: 'the first leader' });
    await leader.untilLeader();
    await replicas.find((each) => each !== leader)?.untilStandby();
    await plane.killApiServer();
    const killed = Date.now();
    const lostLine = await leader.log.until(lost);
    assert.ok(Date.parse(lostLine.time) - killed < leaseDuration, 'the leader lost leadership after its Lease expired');
    await untilTime(killed + leaseDuration + 2_000);
    await plane.startApiServer();
    const terms = () => replicas.reduce((sum, each) => sum + each.terms(), 0);
    await eventually(() => terms() === 2, { what: 'a leader' });
    const pod = await scene.pod('web');
    await eventually(
      () =>
        replicas.some(
          (each) => each.log.find('caches synced, starting controller').length === each.terms() && each.terms() > 0,
        ),
      { what: 'synced caches of the leader' },
    );
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    assert.equal(
      replicas.reduce((sum, each) => sum + each.deletions().length, 0),
      1,
    );
    assert.ok((await holder()).length > 0);
    assert.equal(terms(), 2);
  });

  test('the API server is suspended when the leader receives SIGTERM: the process still exits in time', async (t) => {
    const plane = own();
    const { scene, start } = await setReplicaScene(t, 'hanging', { cluster: plane });
    await scene.endpoints(false);
    // With long durations: with short ones, requests for the Lease time out before the release does.
    const weeder = await start({ flags: [] });
    await weeder.untilLeader();
    await plane.pauseApiServer();
    const signalledAt = performance.now();
    const ending = await weeder.stop();
    const took = performance.now() - signalledAt;
    plane.resumeApiServer();
    assert.deepEqual(ending, { code: 0, signal: null });
    assert.ok(took < gracePeriod, `it took ${took} ms to stop`);
    assert.equal(weeder.log.find('lease released').length, 0);
    const unreleased = 'lease not released: another replica takes over only after the lease duration';
    assert.deepEqual(
      weeder.log.find(unreleased).map(({ cause, leaseDuration }) => [cause, leaseDuration]),
      [['the API server has not answered in time', '3m0s']],
    );
  });
});
