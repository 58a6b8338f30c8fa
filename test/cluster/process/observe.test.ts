import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { freePort } from '../../support/api/freePort.ts';
import { type Family, sampleValue, scraped } from '../../support/api/scraped.ts';
import { eventually, startWeeder } from '../support/cluster.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';
import { setReplicaScene } from '../support/replicas.ts';
import { setScene } from '../support/scene.ts';

// The tests run one after the other, because one of them suspends the API server.
suite('telemetry with a real API server', () => {
  const own = suiteControlPlane();

  /** A scene, and a weeder with telemetry ports. `start` starts it. */
  async function prepare(t: Parameters<typeof setScene>[0], prefix: string) {
    const cluster = own();
    const scene = await setScene(t, prefix, { cluster });
    const [health, metrics] = [await freePort(), await freePort()];
    const flags = [`--health-bind-addr=127.0.0.1:${health}`, `--metrics-bind-addr=127.0.0.1:${metrics}`];
    const start = () => startWeeder(t, { cluster, config: scene.config, flags });
    const get = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${health}${path}`);
      return { status: answer.status, text: await answer.text() };
    };
    const scrape = async () => scraped(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text());
    return { cluster, scene, start, get, scrape };
  }

  test('after a recovery /metrics has the exact numbers', async (t) => {
    const { scene, start, get, scrape } = await prepare(t, 'numbers');
    const { service } = scene;
    await scene.endpoints(false);
    const pods = [await scene.pod('one'), await scene.pod('two')];
    await scene.pod('ignored', undefined, { annotations: { 'weeder.dev/ignore': 'true' } });
    await scene.pod('healthy', { containers: {} });
    const weeder = start();
    await weeder.ready();
    const before = await scrape();
    assert.equal(sampleValue(before, 'weeder_windows_opened_total', { service }), 0);
    assert.equal(sampleValue(before, 'weeder_crash_looping_pods'), 3);
    assert.equal(sampleValue(before, 'weeder_ready'), 1);

    await scene.endpoints(true);
    await scene.untilDeleted(...pods);
    await weeder.log.until('pod deleted', {}, { count: 2 });
    await weeder.log.until(/^deletion skipped/);
    // The stream of pods may deliver the DELETED event after the answer to the deletion.
    const after = await eventually(
      async (saw) => {
        const now = await scrape();
        saw(sampleValue(now, 'weeder_crash_looping_pods'));
        return sampleValue(now, 'weeder_crash_looping_pods') === 1 && now;
      },
      { what: 'one remaining crash-looping pod' },
    );
    const value = (name: string, labels = {}) => sampleValue(after, `weeder_${name}`, labels);
    assert.deepEqual(
      {
        opened: value('windows_opened_total', { service }),
        open: value('windows_open', { service }),
        deleted: value('pod_deletions_total', { service, result: 'deleted' }),
        failed: value('pod_deletions_total', { service, result: 'failed' }),
        ignored: value('pods_skipped_total', { reason: 'ignored' }),
        barePods: value('pods_skipped_total', { reason: 'bare_pod' }),
        measured: value('recovery_to_deletion_seconds_count'),
        accepted: value('api_requests_total', { verb: 'delete', resource: 'pods', code: '200' }),
        inFlight: value('deletions_in_flight'),
        queued: value('deletion_queue_length'),
        crashLooping: value('crash_looping_pods'),
        endpoints: value('actors', { machine: 'endpoint' }),
        dependants: value('actors', { machine: 'dependants' }),
        watching: value('streams', { resource: 'endpointslices', state: 'watching' }),
      },
      {
        opened: 1,
        open: 1,
        deleted: 2,
        failed: 0,
        ignored: 1,
        barePods: 0,
        measured: 2,
        accepted: 2,
        inFlight: 0,
        queued: 0,
        crashLooping: 1,
        endpoints: 1,
        dependants: 1,
        watching: 1,
      },
    );
    assert.ok((value('recovery_to_deletion_seconds_sum') ?? 999) < 100);
    assert.ok((value('stream_received_bytes_total', { resource: 'pods' }) ?? 0) > 1000);
    assert.equal(retries(after), 0);

    const listed = await get('/debug/actors?machine=endpoint');
    assert.equal(listed.status, 200);
    assert.match(
      listed.text,
      new RegExp(`"id":"${scene.ns.name}/${service}","state":{"ready":{"windowOpen":"settled"}}`),
    );
    assert.match((await get('/readyz?verbose')).text, /^\[\+\]stream\/endpointslices ok: watching since /m);
  });

  test('one replica reports that it leads, the other that it stands by, and one that cannot read the Lease is not ready', async (t) => {
    const cluster = own();
    const { scene, start } = await setReplicaScene(t, 'replicas', { cluster });
    const lease = `${scene.ns.name}/dwd-weeder-leader-election`;
    await scene.endpoints(false);
    async function replica(...more: readonly string[]) {
      const [health, metrics] = [await freePort(), await freePort()];
      const flags = [`--health-bind-addr=127.0.0.1:${health}`, `--metrics-bind-addr=127.0.0.1:${metrics}`, ...more];
      const weeder = await start({ flags });
      const ready = async () => {
        const answer = await fetch(`http://127.0.0.1:${health}/readyz?verbose`);
        return `${answer.status} ${await answer.text()}`;
      };
      const value = async (name: string, labels = {}) =>
        sampleValue(scraped(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()), name, labels);
      return { ...weeder, ready, value };
    }

    const a = await replica();
    await a.untilLeader();
    const b = await replica();
    await b.untilStandby();
    const standby = await b.ready();
    assert.match(standby, /^200 \[\+\]ping ok\n\[\+\]manager ok: standing by\n/);
    const [, named, identity] = /^\[\+\]lease\/(\S+) ok: (\S+) leads$/m.exec(standby) ?? [];
    assert.equal(named, lease);
    assert.doesNotMatch(standby, /stream\//);
    const leader = await a.ready();
    assert.ok(leader.includes(`[+]lease/${lease} ok: this replica leads, as ${identity}\n`), leader);
    assert.deepEqual([await a.value('weeder_leader'), await b.value('weeder_leader')], [1, 0]);
    assert.deepEqual([await a.value('weeder_ready'), await b.value('weeder_ready')], [1, 1]);

    const lost = await replica('--leader-election-namespace=missing');
    await lost.log.until('lease unavailable, retrying');
    const unready = await lost.ready();
    assert.match(unready, /^503 /);
    assert.match(unready, /^\[-\]lease\/missing\/\S+ failed: the Lease has not been read, so the leader is unknown$/m);
    assert.equal(await lost.value('weeder_ready'), 0);

    await a.stop();
    await b.untilLeader();
    assert.equal(await b.value('weeder_leader'), 1);
    assert.equal(await b.value('weeder_leadership_changes_total', { change: 'acquired' }), 1);
    const pod = await scene.pod('web');
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await b.log.until('pod deleted');
    const labels = { service: scene.service, result: 'deleted' };
    assert.equal(await b.value('weeder_pod_deletions_total', labels), 1);
  });

  test('if the API server is suspended for over a minute, /readyz fails and names the stream, until it continues', async (t) => {
    const { cluster, scene, start, get, scrape } = await prepare(t, 'paused');
    await scene.endpoints(false);
    const weeder = start();
    await weeder.ready();
    assert.equal((await get('/readyz')).text, 'ok\n');
    await cluster.pauseApiServer();
    const paused = performance.now();
    const unready = await eventually(
      async (saw) => {
        const answer = await get('/readyz');
        saw(answer);
        return answer.status === 503 && answer;
      },
      { what: 'an answer that is not ready', every: 200 },
    );
    assert.ok(performance.now() - paused > 35_000, 'weeder was unready too early');
    assert.match(unready.text, /^\[\+\]manager ok: at work$/m);
    assert.match(unready.text, /^\[-\]stream\/(endpointslices|pods .*) failed: .* down for 1m.*$/m);
    assert.match(unready.text, /readyz check failed\n$/);
    assert.equal((await get('/healthz')).status, 200);
    const down = await scrape();
    assert.equal(sampleValue(down, 'weeder_ready'), 0);
    const longest = ['pods', 'endpointslices'].map(
      (resource) => sampleValue(down, 'weeder_stream_down_seconds', { resource }) ?? 0,
    );
    assert.ok(Math.max(...longest) > 60, longest.join());

    cluster.resumeApiServer();
    await eventually(async () => (await get('/readyz')).status === 200, { what: 'ready again' });
    const up = await scrape();
    assert.equal(sampleValue(up, 'weeder_ready'), 1);
    // An open stream counts as silent, and one that was being opened at the time of the suspension as lost.
    const restarts = ['silent', 'lost'].map(
      (reason) => sampleValue(up, 'weeder_stream_restarts_total', { resource: 'pods', reason }) ?? 0,
    );
    assert.ok(Math.max(...restarts) > 0, restarts.join());
    const pod = await scene.pod('late');
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
  });
});

function retries(families: ReadonlyMap<string, Family>): number {
  const samples = families.get('weeder_deletion_retries_total')?.samples ?? [];
  return samples.reduce((sum, { value }) => sum + value, 0);
}
