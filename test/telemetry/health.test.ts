import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { failed } from '@weeder/kube-runtime/base';
import { listen, until, virtualClock } from '@weeder/kube-runtime/testing';
import { createStreamStatuses } from '@weeder/kube-runtime/watch';
import { codedError } from '../../src/base/errors.ts';
import { servePages } from '../../src/base/http.ts';
import type { Leadership } from '../../src/process/leadership.ts';
import type { ManagerState } from '../../src/process/manager.ts';
import { healthPage, livenessChecks, readinessChecks } from '../../src/telemetry/health.ts';
import type { ServiceStatus } from '../../src/weeder/services/serviceStatus.ts';
import { observed } from '../support/objects/observed.ts';
import { serviceStatus } from '../support/page/serviceStatus.ts';
import { embedded, startEmbeddedWeeder } from '../support/world/embedded.ts';

/** A controller with two streams that are synced and watch. */
function healthy() {
  const clock = virtualClock(Date.UTC(2026, 0, 1, 12));
  const statuses = createStreamStatuses(clock);
  let state: ManagerState = 'running';
  for (const [name, path] of [
    ['endpointslices', '/apis/discovery.k8s.io/v1/endpointslices'],
    ['pods app=web', '/api/v1/pods'],
  ] as const) {
    statuses.begun(name, path, false);
    statuses.synced(name, 3);
  }
  let leadership: Leadership | undefined;
  let services: readonly ServiceStatus[] = [];
  const source = {
    state: () => state,
    streams: () => statuses.all(),
    leadership: () => leadership,
    controllers: { weeder: { shown: () => ({ services: () => services }) } },
  };
  return {
    clock,
    statuses,
    enter: (next: ManagerState) => {
      state = next;
    },
    know: (...statuses: readonly ServiceStatus[]) => {
      services = statuses;
    },
    elect: (next: Pick<Leadership, 'state'> & Partial<Leadership>) => {
      leadership = { identity: 'us_1', holder: undefined, heldSince: undefined, lease: 'garden/weeder', ...next };
    },
    failing: () =>
      readinessChecks(source)
        .filter(({ isOk }) => !isOk)
        .map(({ name, detail }) => `${name}: ${detail}`),
    details: () => readinessChecks(source).map(({ name, detail }) => `${name}: ${detail}`),
    dead: () =>
      livenessChecks(source)
        .filter(({ isOk }) => !isOk)
        .map(({ name }) => name),
  };
}

test('a running weeder with all streams synced and connected is ready, and lists each stream', () => {
  const it = healthy();
  assert.deepEqual(it.failing(), []);
  assert.deepEqual(it.details(), [
    'ping: ',
    'manager: at work',
    'stream/endpointslices: watching since 2026-01-01T12:00:00.000Z, 3 objects listed',
    'stream/pods app=web: watching since 2026-01-01T12:00:00.000Z, 3 objects listed',
  ]);
});

test('a stream may be down for a minute and no longer; its return makes weeder ready again', () => {
  const it = healthy();
  it.statuses.lost('pods app=web', 'lost', 'connection refused');
  it.clock.advance(60_000);
  assert.deepEqual(it.failing(), []);
  it.clock.advance(1500);
  assert.deepEqual(it.failing(), [
    'stream/pods app=web: backingOff since 2026-01-01T12:00:00.000Z, 3 objects listed, down for 1m1s, connection refused',
  ]);
  assert.deepEqual(it.dead(), []);
  it.statuses.begun('pods app=web', '/api/v1/pods', true);
  it.statuses.opened('pods app=web');
  assert.deepEqual(it.failing(), []);
});

test('a stream that was never synced makes weeder unready from the first moment', () => {
  const it = healthy();
  it.statuses.begun('pods app=db', '/api/v1/pods', false);
  assert.deepEqual(it.failing(), [
    'stream/pods app=db: listing since 2026-01-01T12:00:00.000Z, not synced, down for 0s',
  ]);
});

test('services that are down are listed by namespace and name, and weeder stays ready', () => {
  const it = healthy();
  const lineOf = () => it.details().find((detail) => detail.startsWith('services'));
  it.know(serviceStatus('shop/db', { isReady: true }));
  assert.equal(lineOf(), undefined);
  it.know(
    serviceStatus('shop/db', { isReady: true }),
    serviceStatus('team-05/db'),
    serviceStatus('shop/late', { isFromStart: false }),
    serviceStatus('shop/cache', { readyUntil: 1 }),
    serviceStatus('shop/queue', { exists: false, readyUntil: 1 }),
    serviceStatus('/typo', { exists: false }),
  );
  assert.deepEqual(it.failing(), []);
  assert.equal(
    lineOf(),
    'services: down: shop/cache; down, not ready since weeder started: team-05/db; down, not ready since first seen: shop/late; no EndpointSlice: shop/queue; in no watched namespace: typo',
  );
});

test('a refused stream is named, and does not make weeder unready while one of its peers is synced', () => {
  const clock = virtualClock(Date.UTC(2026, 0, 1, 12));
  const statuses = createStreamStatuses(clock);
  const peers = 'workloads';
  const source = {
    state: () => 'running' as const,
    streams: () => statuses.all().map((status) => ({ ...status, peers })),
    leadership: () => undefined,
    controllers: { weeder: { shown: () => ({ services: () => [] }) } },
  };
  const checks = () => readinessChecks(source).filter(({ name }) => name.startsWith('stream/'));
  for (const namespace of ['a', 'b'])
    statuses.begun(`jobs in ${namespace}`, `/apis/batch/v1/namespaces/${namespace}/jobs`, false);
  statuses.lost('jobs in a', 'lost', 'jobs is forbidden', { isRefused: true });
  statuses.lost('jobs in b', 'lost', 'connection refused');
  assert.deepEqual(
    checks().map(({ isOk }) => isOk),
    [false, false],
    'nothing is served',
  );
  statuses.synced('jobs in b', 0);
  assert.deepEqual(
    checks().map(({ isOk }) => isOk),
    [true, true],
  );
  assert.match(checks()[0]?.detail ?? '', /^refused, the others are served: .*jobs is forbidden$/);
  statuses.lost('jobs in a', 'lost', 'connection refused');
  assert.equal(checks()[0]?.isOk, false, 'one that is merely away is waited for');
});

test('weeder is ready while it runs or stands by, not while it syncs, drains, is stopped or broken', () => {
  const it = healthy();
  const failing: Record<ManagerState, number> = {
    electing: 0,
    running: 0,
    syncing: 1,
    draining: 1,
    releasing: 1,
    stopped: 1,
    broken: 1,
  };
  for (const state of ['electing', 'running', 'syncing', 'draining', 'releasing', 'stopped', 'broken'] as const) {
    it.enter(state);
    assert.equal(it.failing().length, failing[state], state);
    assert.deepEqual(it.dead(), state === 'broken' ? ['manager'] : [], state);
  }
});

test('a standby that can read the Lease is ready; one that cannot is not, and both give the reason', () => {
  const it = healthy();
  it.enter('electing');
  it.elect({ state: 'standingBy', holder: 'them_2' });
  assert.deepEqual(it.failing(), []);
  assert.deepEqual(it.details().slice(1, 3), ['manager: standing by', 'lease/garden/weeder: them_2 leads']);
  it.elect({ state: 'standingBy' });
  assert.deepEqual(it.failing(), []);
  assert.equal(it.details()[2], 'lease/garden/weeder: no leader');
  it.elect({ state: 'electing' });
  assert.deepEqual(it.failing(), ['lease/garden/weeder: the Lease has not been read, so the leader is unknown']);
  assert.deepEqual(it.dead(), []);
  it.enter('running');
  it.elect({ state: 'leading', holder: 'us_1' });
  assert.deepEqual(it.failing(), []);
  assert.equal(it.details()[2], 'lease/garden/weeder: this replica leads, as us_1');
});

test('a rejected config is shown with its position and errors, and does not make weeder unready', async () => {
  await using seen = await observed(['db']);
  const detail = async () => /^\[\+\]config ok: (.*)$/m.exec(await (await seen.health('/readyz?verbose')).text())?.[1];
  const { appliedAt } = seen.reload.status();
  const since = `in force since ${new Date(appliedAt).toISOString()}`;
  assert.equal(await detail(), `content 1 of the file, ${since}`);
  seen.reload.take(
    failed(codedError('CONFIG_INVALID', 'The config a.yaml has 2 errors:\n  a.yaml:1:1 x\n  a.yaml:2:1 y')),
  );
  const faults = 'The config a.yaml has 2 errors: a.yaml:1:1 x a.yaml:2:1 y';
  assert.equal(await detail(), `content 2 of the file is rejected, the previous one is ${since}: ${faults}`);
});

test('before weeder has reached the API server it is live, and not ready', () => {
  assert.ok(livenessChecks(undefined).every(({ isOk }) => isOk));
  const failing = readinessChecks(undefined).filter(({ isOk }) => !isOk);
  assert.deepEqual(failing, [{ name: 'manager', isOk: false, detail: 'connecting to the API server' }]);
});

const config = `
servicesAndDependantSelectors:
  db:
    podSelectors:
      - matchLabels: {app: web}
`;

test('over HTTP: one word for a probe, a line for each check on request, 405 for a write', async () => {
  await using cluster = await embedded();
  await using weeder = startEmbeddedWeeder(cluster, config);
  await using seen = await observed(['db']);
  seen.observation.watch(weeder.manager);
  await until('weeder runs', () => weeder.manager.state() === 'running');
  const text = async (path: string) => {
    const answer = await seen.health(path);
    return `${answer.status} ${await answer.text()}`;
  };
  assert.equal(await text('/healthz'), '200 ok\n');
  assert.equal(await text('/readyz'), '200 ok\n');
  assert.equal(await text('/healthz?verbose'), '200 [+]ping ok\n[+]manager ok\nhealthz check passed\n');
  assert.match(
    await text('/readyz?verbose'),
    /^200 \[\+\]ping ok\n\[\+\]manager ok: at work\n\[\+\]services ok: in no watched namespace: db\n\[\+\]stream\/endpointslices ok: watching since .*, 0 objects listed\n\[\+\]stream\/pods app=web ok: watching since .*\n\[\+\]config ok: content 1 of the file, in force since .*\nreadyz check passed\n$/,
  );
  const posted = await seen.health('/readyz', { method: 'POST' });
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  assert.equal((await seen.health('/healthz', { method: 'HEAD' })).status, 200);
  assert.equal(await text('/toString'), '404 not found: this server has /healthz, /readyz and /debug/actors\n');

  weeder.manager.shutdown();
  await weeder.manager.stopped;
  assert.match(
    await text('/readyz'),
    /^503 \[\+\]ping ok\n\[-\]manager failed: stopped\n[\s\S]*readyz check failed\n$/,
  );
  assert.equal(await text('/healthz'), '200 ok\n');
  assert.deepEqual(seen.errors, []);
});

test('until weeder is first ready, /readyz responds when it is, or at its timeout; later immediately', async () => {
  const clock = virtualClock();
  let isOk = false;
  const page = healthPage('readyz', () => [{ name: 'ping', isOk, detail: '' }], { patience: 2_000, clock });
  const server = createServer(servePages({ '/readyz': page }, (error) => assert.fail(String(error))));
  const port = await listen(server);
  const probe = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
  const early = probe();
  await until('the probe has arrived', () => clock.pending > 0);
  for (let passed = 0; passed < 2_000; passed += 50) await clock.pass(50);
  assert.equal(await early, 503);
  const held = probe();
  await until('the probe has arrived', () => clock.pending > 0);
  isOk = true;
  await clock.pass(50);
  assert.equal(await held, 200);
  isOk = false;
  assert.equal(await probe(), 503, 'it was ready');
  server.close();
  server.closeAllConnections();
});
