import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually, grant } from '../support/cluster.ts';
import { expiring, gracePeriod, leaseDuration, setReplicaScene } from '../support/replicas.ts';

const streams = /\/(pods|endpointslices)\?/;

suite('leader election', { concurrency: 3 }, () => {
  test('one replica leads and the other reads nothing; on SIGTERM the leader releases the Lease, and the other one leads', async (t) => {
    const { scene, start, holder } = await setReplicaScene(t, 'handover');
    await scene.endpoints(false);
    const first = await scene.pod('first');
    const a = await start({ flags: [] });
    await a.untilLeader();
    const b = await start({ flags: [] });
    await b.untilStandby();
    await scene.endpoints(true);
    await scene.untilDeleted(first);
    assert.equal(a.deletions().length, 1);
    assert.deepEqual(
      b.requests.filter(({ path }) => streams.test(path)),
      [],
    );

    const signalledAt = performance.now();
    assert.deepEqual(await a.stop(), { code: 0, signal: null });
    const took = performance.now() - signalledAt;
    assert.ok(took < gracePeriod, `it took ${took} ms to stop`);
    const released = await a.log.until('lease released');
    const acquired = await b.log.until('this replica leads');
    const gap = Date.parse(acquired.time) - Date.parse(released.time);
    // Without the release, the Lease would expire after three minutes. The gap is about one second on an idle machine.
    assert.ok(gap < 120_000, `no replica led for ${gap} ms`);
    await b.untilLeader();
    assert.ok((await holder()).length > 0);
    await scene.untilDeleted(await scene.pod('second'));
    assert.equal(b.deletions().length, 1);
    assert.equal(a.deletions().length, 1);
  });

  test('a leader that is suspended is replaced when its Lease on the real API server expires; it sends no further deletion, and stands by', async (t) => {
    const { scene, start, renewed } = await setReplicaScene(t, 'frozen');
    await scene.endpoints(false);
    const pods = await Promise.all(Array.from({ length: 8 }, (_, index) => scene.pod(`web-${index}`)));
    // The rate limit permits one deletion each second, so that when the process continues, the timer of the next
    // deletion fires before that of the renew deadline.
    const a = await start({ flags: [...expiring, '--kube-api-qps=1', '--kube-api-burst=1'] });
    await a.untilLeader();
    // The other replica deletes nothing, so that the first one still finds pods to delete when it continues.
    const b = await start({ flags: [...expiring, '--dry-run'] });
    await b.untilStandby();
    await scene.endpoints(true);
    await eventually(() => a.deletions().length > 0, { what: 'the first deletion', every: 1 });
    a.signal('SIGSTOP');
    const last = await renewed();
    await b.untilLeader();
    const gap = Date.parse((await b.log.until('this replica leads')).time) - last;
    assert.ok(gap >= leaseDuration - 1, `acquired ${gap} ms after the last renewal`);
    const sent = a.deletions().length;
    assert.ok(sent < pods.length - 2, `${sent} are deleted already`);
    await b.log.until('pod would be deleted (dry run)', {}, { count: pods.length - sent });
    a.signal('SIGCONT');
    await a.log.until('lost leadership, standing by');
    await a.untilStandby();
    assert.equal(a.deletions().length, sent, 'a suspended leader sent a deletion after it continued');
    assert.deepEqual([a.terms(), b.terms(), b.deletions().length], [1, 1, 0]);

    await b.stop();
    await scene.untilDeleted(...pods);
    scene.assertDeleted(...pods);
    assert.equal(a.terms(), 2);
  });

  test('the real API server lets one of the replicas that start at the same moment lead', async (t) => {
    const { scene, start } = await setReplicaScene(t, 'race');
    await scene.endpoints(false);
    const replicas = await Promise.all([start(), start(), start()]);
    await eventually(
      (saw) => {
        const reported = replicas.map((replica) => [
          replica.terms(),
          replica.log.find('another replica leads, standing by').length,
        ]);
        saw(reported);
        return (
          reported.filter(([terms]) => terms === 1).length === 1 &&
          reported.filter(([, behind]) => behind === 1).length === 2
        );
      },
      { what: 'one leader and two standby replicas' },
    );
    const pod = await scene.pod('web');
    const leader = replicas.find((each) => each.terms() === 1) ?? assert.fail();
    await leader.untilLeader();
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    assert.deepEqual(replicas.map((each) => [each.terms(), each.deletions().length]).sort(), [
      [0, 0],
      [0, 0],
      [1, 1],
    ]);
  });

  test('a replica without permission for the Lease logs the missing rule once, and leads after it is granted', async (t) => {
    const { scene, start } = await setReplicaScene(t, 'denied');
    await scene.endpoints(false);
    const { cluster, name: namespace } = scene.ns;
    const user = cluster.takeUser();
    const rules = [
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'get', 'delete'] },
    ];
    const lease = (...verbs: string[]) => ({ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs });
    const granted = [await grant(cluster, user, rules)];
    t.after(() => Promise.all(granted.map((one) => one.revoke().catch(() => {}))));
    const weeder = await start({ user, kubeconfig: cluster.kubeconfigFor(user) });
    const denied = (verb: string) =>
      eventually(
        (saw) => {
          const causes = weeder.log.find('lease unavailable, retrying').map((line) => String(line['cause']));
          saw(causes);
          return causes.some((cause) =>
            cause.includes(
              `Grant it in a Role in namespace ${namespace}: {apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["${verb}"]}.`,
            ),
          );
        },
        { what: `a line that names ${verb}` },
      );
    await denied('get');
    granted.push(await grant(cluster, user, [lease('get')]));
    await denied('create');
    granted.push(await grant(cluster, user, [lease('create', 'update')]));
    await weeder.untilLeader();
    assert.ok(weeder.log.find('lease unavailable, retrying').length <= 2);
  });
});
