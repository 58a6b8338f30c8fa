import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually, grant } from './support/cluster.ts';
import { quick, setPlay } from './support/replicas.ts';

const streams = /\/(pods|endpointslices)\?/;

suite('several weeders, of which one acts', { concurrency: 3 }, () => {
  test('one acts, the other reads nothing; told to stop, it gives the Lease back and the other acts in about a second', async (t) => {
    const { scene, start, holder } = await setPlay(t, 'handover');
    await scene.endpoints(false);
    const first = await scene.pod('first');
    const a = await start({ flags: [] });
    await a.leads();
    const b = await start({ flags: [] });
    await b.standsBy();
    await scene.endpoints(true);
    await scene.untilDeleted(first);
    assert.equal(a.deletions().length, 1);
    assert.deepEqual(
      b.requests.filter(({ path }) => streams.test(path)),
      [],
    );

    const told = performance.now();
    assert.deepEqual(await a.stop(), { code: 0, signal: null });
    assert.ok(performance.now() - told < 2_000, `it took ${performance.now() - told} ms to stop`);
    const given = await a.log.until('leadership given back');
    const taken = await b.log.until('this replica leads');
    const gap = Date.parse(taken.time) - Date.parse(given.time);
    assert.ok(gap < 1_000, `nobody led for ${gap} ms`);
    await b.leads();
    assert.ok((await holder()).length > 0);
    await scene.untilDeleted(await scene.pod('second'));
    assert.equal(b.deletions().length, 1);
    assert.equal(a.deletions().length, 1);
  });

  test('killed, it is replaced when its Lease is over', async (t) => {
    const { scene, start } = await setPlay(t, 'killed');
    await scene.endpoints(false);
    const a = await start();
    await a.leads();
    const b = await start();
    await b.standsBy();
    await a.kill();
    const died = Date.now();
    const taken = await b.log.until('this replica leads');
    const gap = Date.parse(taken.time) - died;
    // The last renewal was half a second old at most.
    assert.ok(gap > 3_300 && gap < 6_000, `nobody led for ${gap} ms`);
    await b.leads();
    const pod = await scene.pod('web');
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
  });

  test('stopped for longer than the Lease and continued, it sends no deletion any more, and stands by', async (t) => {
    const { scene, start } = await setPlay(t, 'frozen', { settings: { watchDuration: '120s' } });
    await scene.endpoints(false);
    const a = await start();
    await a.leads();
    // It takes over and deletes nothing: what is there to delete is still there when the first is continued.
    const b = await start({ flags: ['--dry-run', ...quick] });
    await b.standsBy();
    await scene.endpoints(true);
    await scene.untilDeleted(await scene.pod('before'));
    assert.equal(a.deletions().length, 1);
    a.signal('SIGSTOP');
    for (const name of ['one', 'two', 'three']) await scene.pod(name);
    await b.leads();
    await b.log.until('pod would be deleted (dry run)', {}, { count: 3 });
    a.signal('SIGCONT');
    await a.log.until('this replica does not lead any more, and stands by again');
    await a.standsBy();
    assert.equal(a.deletions().length, 1, a.deletions().join());
    assert.deepEqual([a.terms(), b.terms()], [1, 1]);

    await b.stop();
    await a.leads();
    await eventually(() => a.deletions().length === 4, { what: 'the first deletes the three when it leads again' });
  });

  test('all that start at the same moment agree on one', async (t) => {
    const { scene, start } = await setPlay(t, 'race');
    await scene.endpoints(false);
    const replicas = await Promise.all([start(), start(), start()]);
    await eventually(
      (saw) => {
        const said = replicas.map((each) => [each.terms(), each.log.find('another replica leads, standing by').length]);
        saw(said);
        return (
          said.filter(([terms]) => terms === 1).length === 1 && said.filter(([, behind]) => behind === 1).length === 2
        );
      },
      { what: 'one leads and two stand by' },
    );
    const pod = await scene.pod('web');
    const leader = replicas.find((each) => each.terms() === 1) ?? assert.fail();
    await leader.leads();
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    assert.deepEqual(replicas.map((each) => [each.terms(), each.deletions().length]).sort(), [
      [0, 0],
      [0, 0],
      [1, 1],
    ]);
  });

  test('without permission it says once which one is missing, and leads as soon as it is granted', async (t) => {
    const { scene, start } = await setPlay(t, 'denied');
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
          const causes = weeder.log.find('the Lease cannot be had, trying again').map((line) => String(line['cause']));
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
    await weeder.leads();
    assert.ok(weeder.log.find('the Lease cannot be had, trying again').length <= 2);
  });
});
