import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RequestOutcome } from '@weeder/kube-runtime/client';
import { settled, virtualClock } from '@weeder/kube-runtime/testing';
import { countLeadership } from '../../src/metrics/countLeadership.ts';
import { countRequests, partsOf } from '../../src/metrics/countRequests.ts';
import { countTotals } from '../../src/metrics/countTotals.ts';
import { limitedLabel } from '../../src/metrics/labels.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { countObserver } from '../../src/observer/contribution/countObserver.ts';
import { measureObserver } from '../../src/observer/contribution/measureObserver.ts';
import { countHashReads, countRestart } from '../../src/restart/contribution/countRestart.ts';
import { measureRestart } from '../../src/restart/contribution/measureRestart.ts';
import { countWeeder, maxServices } from '../../src/weeder/contribution/countWeeder.ts';
import type { DeletionAnswer } from '../../src/weeder/deletions/deletePod.ts';
import type { WeederEvent } from '../../src/weeder/deletions/weederEvents.ts';
import { sampleValue, scraped } from '../support/api/scraped.ts';
import { documentedMetrics } from '../support/docs/metricsTable.ts';
import { crashLoopingPod } from '../support/objects/crashLoopingPod.ts';
import { backOff, running, terminated } from '../support/objects/objects.ts';
import { reported, withoutEvent } from '../support/objects/observerEvents.ts';
import { everyRestartEvent } from '../support/objects/restartEvents.ts';
import { minute, type SimulationOptions } from '../support/world/simulation.ts';
import { type World, world } from '../support/world/world.ts';

const service = 'etcd-main-client';

/** Counts the events of a simulated weeder; each call adds the new events. */
function counting(at: World) {
  const metrics = createMetrics();
  const events = countWeeder(metrics, at.clock);
  events.begin([service]);
  const report = events.next();
  let seen = 0;
  return async () => {
    for (; seen < at.events.length; seen += 1) report(at.events[seen] ?? assert.fail());
    const families = scraped(await metrics.registry.metrics());
    return (name: string, labels = {}) => sampleValue(families, `weeder_${name}`, labels);
  };
}

/** The same, counted from the beginning. */
const counted = (at: World) => counting(at)();

/** A service that is not ready, with these pods in back-off, and its recovery. */
function recovery(options: SimulationOptions, ...pods: readonly Parameters<World['put']>[0][]): World {
  const at = world(options, (before) => {
    before.slice({ ready: [false] });
    for (const pod of pods) before.put(pod);
  });
  at.slice({ ready: [true] });
  return at;
}

test('a recovery, two deletions and a skipped pod are counted under their results', async () => {
  const pods = [
    { name: 'a', containers: [backOff(4)] },
    { name: 'b', containers: [backOff(5)] },
  ];
  const at = recovery({}, ...pods, { name: 'bare', isBare: true, containers: [backOff(4)] });
  await at.clock.pass(1000);
  const open = await counted(at);
  assert.equal(open('windows_open', { service }), 1);
  assert.equal(open('windows_opened_total', { service }), 1);
  assert.equal(open('pod_deletions_total', { service, result: 'deleted' }), 2);
  for (const result of ['evicted', 'dry_run', 'recovered', 'blocked', 'failed'])
    assert.equal(open('pod_deletions_total', { service, result }), 0, result);
  assert.equal(open('pods_skipped_total', { reason: 'bare_pod' }), 1);
  assert.equal(open('pods_skipped_total', { reason: 'mirror_pod' }), 0);
  assert.equal(open('recovery_to_deletion_seconds_count'), 2);
  assert.equal(open('recovery_to_deletion_seconds_bucket', { le: '0.005' }), 2);
  await at.clock.pass(2 * minute);
  const closed = await counted(at);
  assert.equal(closed('windows_open', { service }), 0);
  assert.equal(closed('windows_opened_total', { service }), 1);
});

test('a pod that is due for deletion in two windows counts as one deletion', async () => {
  const services = [{ name: service }, { name: 'other' }];
  const at = world({ services }, (before) => {
    for (const { name } of services) before.slice({ service: name, name, ready: [false] });
    before.put({ containers: [{ ...backOff(4) }], isBare: false });
  });
  for (const { name } of services) at.slice({ service: name, name, ready: [true] });
  await at.clock.pass(1000);
  const of = await counted(at);
  const deleted = ['other', service].map((name) => of('pod_deletions_total', { service: name, result: 'deleted' }));
  assert.equal(
    deleted.reduce((sum = 0, each = 0) => sum + each, 0),
    1,
  );
  assert.equal(of('recovery_to_deletion_seconds_count'), 1);
});

test('a dry run, an eviction, a pod that recovers and a blocked deletion have results of their own', async () => {
  const crashing = { name: 'a', containers: [backOff(4)] };
  const dry = recovery({ isDryRun: true }, crashing);
  await dry.clock.pass(1000);
  const dryRun = await counted(dry);
  assert.equal(dryRun('pod_deletions_total', { service, result: 'dry_run' }), 1);
  assert.equal(dryRun('recovery_to_deletion_seconds_count'), 0);
  assert.equal(dryRun('backoff_saved_seconds_total'), 0);

  const evicting = recovery({ service: { deletion: 'evict' } }, crashing);
  await evicting.clock.pass(1000);
  assert.equal((await counted(evicting))('pod_deletions_total', { service, result: 'evicted' }), 1);

  const refused: DeletionAnswer = { type: 'delete.failed', reason: 'no', failure: 'unavailable', retryAfter: 5000 };
  const recovering = recovery({ answer: () => refused }, crashing);
  await recovering.clock.pass(1000);
  recovering.put({ name: 'a', containers: [running()] });
  const recovered = await counted(recovering);
  assert.equal(recovered('pod_deletions_total', { service, result: 'recovered' }), 1);
  assert.equal(recovered('deletion_retries_total', { error: 'unavailable' }), 1);
  assert.equal(recovered('deletion_retries_total', { error: 'forbidden' }), 0);

  const holding = recovery({ answer: () => refused }, crashing);
  await holding.clock.pass(1000);
  holding.slice({ ready: [false] });
  const blocked = await counted(holding);
  assert.equal(blocked('pod_deletions_total', { service, result: 'blocked' }), 1);
  assert.equal(blocked('pod_deletions_total', { service, result: 'failed' }), 0);
});

test('the time from recovery to deletion and the back-off saved are in seconds', async () => {
  const startTime = Date.UTC(2026, 0, 1, 12);
  const finishedAt = new Date(startTime).toISOString();
  const state = { terminated: { exitCode: 1, finishedAt } };
  const at = world({ startTime }, (before) => {
    before.slice({ ready: [false] });
    before.put({ containers: [{ restarts: 4, state }] });
  });
  const count = counting(at);
  await at.clock.pass(10_000);
  at.slice({ ready: [true] });
  await settled();
  await count();
  await at.clock.pass(500);
  at.put({ name: 'late', containers: [backOff(4)] });
  await at.clock.pass(10_000);
  const of = await count();
  // The back-off after the fourth restart is 80 s, of which 10 s had passed; the start of the late one is not known.
  assert.equal(of('backoff_saved_seconds_total'), 70);
  assert.equal(of('recovery_to_deletion_seconds_count'), 2);
  assert.equal(of('recovery_to_deletion_seconds_sum'), 0.5);
});

test('a deletion that was refused until the window closed counts as failed, once, and each refusal has its class', async () => {
  const at = recovery(
    { answer: () => ({ type: 'delete.failed', reason: 'may not', failure: 'forbidden' }) },
    { containers: [backOff(4)] },
  );
  await at.clock.pass(3 * minute);
  const of = await counted(at);
  assert.equal(of('pod_deletions_total', { service, result: 'failed' }), 1);
  assert.equal(of('pod_deletions_total', { service, result: 'deleted' }), 0);
  assert.equal(of('deletion_retries_total', { error: 'forbidden' }), at.eventsOf('deletion.refused').length);
  assert.ok(at.eventsOf('deletion.refused').length > 5);
});

test('after every kind of event each documented metric of weeder has the documented labels, and none is missing', async () => {
  const metrics = createMetrics();
  const report = countWeeder(metrics, virtualClock()).next();
  for (const event of everyEvent) report(event);
  const reportRestart = countRestart(metrics);
  for (const event of everyRestartEvent) reportRestart(event);
  countHashReads(metrics)('Secret', 'ok');
  const reportObserver = countObserver(metrics);
  for (const event of [...reported, ...withoutEvent]) reportObserver(event);
  measureRestart(metrics, undefined);
  measureObserver(metrics, undefined);
  const documented = documentedMetrics(
    readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8'),
  );
  const families = scraped(await metrics.registry.metrics());
  assert.deepEqual(
    documented.map(({ name, type }) => `${name} ${type}`),
    [...families].map(([name, { type }]) => `${name} ${type}`),
  );
  for (const { name, labels } of documented) {
    for (const sample of families.get(name)?.samples ?? []) {
      const labelNames = Object.keys(sample.labels).filter((label) => label !== 'le');
      assert.deepEqual(labelNames.sort(), [...labels].sort(), name);
    }
  }
  const counters = documented.filter(
    ({ name, type }) => type === 'counter' && /window|pod|retries|actor|workload|hash|resource|correction/.test(name),
  );
  assert.equal(counters.length, 15);
  for (const { name } of counters) {
    const total = families.get(name)?.samples.reduce((sum, { value }) => sum + value, 0) ?? 0;
    assert.ok(total > 0, `nothing counted in ${name}`);
  }
});

test('a resource that uses its last applied manifest counts as refused, and others by their own state', async () => {
  const metrics = createMetrics();
  measureObserver(metrics, {
    applications: {},
    resources: { usingLastApplied: 2, refused: 1, drifted: 4, checking: 3 },
  });
  const families = scraped(await metrics.registry.metrics());
  const samples = families.get('weeder_application_resources')?.samples ?? [];
  const counts = samples.filter(({ value }) => value > 0).map(({ labels, value }) => `${labels['state']} ${value}`);
  assert.deepEqual(counts.toSorted(), ['drifted 4', 'passing 3', 'refused 3']);
});

test('a controller that replaces another one begins with no open window, and late events of the old one change nothing', async () => {
  const metrics = createMetrics();
  const events = countWeeder(metrics, virtualClock());
  events.begin(['db']);
  const of = async (name: string) =>
    sampleValue(scraped(await metrics.registry.metrics()), `weeder_${name}`, { service: 'db' });
  const before = events.next();
  before(eventOfType['window.opened']);
  assert.equal(await of('windows_open'), 1);
  const after = events.next();
  assert.equal(await of('windows_open'), 0);
  after(eventOfType['window.opened']);
  before(eventOfType['window.closed']);
  assert.equal(await of('windows_open'), 1);
  after(eventOfType['window.closed']);
  assert.equal(await of('windows_open'), 0);
  assert.equal(await of('windows_opened_total'), 2);
});

test('changes of leadership are counted by kind; standing by is not one', async () => {
  const metrics = createMetrics();
  const report = countLeadership(metrics);
  const counted = async () =>
    scraped(await metrics.registry.metrics())
      .get('weeder_leadership_changes_total')
      ?.samples.map(({ labels, value }) => `${labels['change']} ${value}`);
  assert.deepEqual(await counted(), ['acquired 0', 'lost 0', 'released 0']);
  const lease = 'garden/weeder';
  report({ type: 'leadership.standsBy', lease, holder: 'them' });
  report({ type: 'leadership.acquired', lease, identity: 'us' });
  report({ type: 'leadership.lost', lease, reason: 'it could not be renewed in time' });
  report({ type: 'leadership.acquired', lease, identity: 'us' });
  report({ type: 'leadership.released', lease });
  assert.deepEqual(await counted(), ['acquired 2', 'lost 1', 'released 1']);
});

test('totals that controllers count themselves only grow, after any number of reads and a change of controller', async () => {
  const metrics = createMetrics();
  const take = countTotals(metrics);
  const controller = (bytes: number, lost: number) => ({
    streamTotals: () => new Map([['pods', { bytes, losses: { lost, silent: 0, expired: 0, rewound: 0 } }]]),
    eventLosses: () => ({ refused: lost }),
    notifications: () =>
      new Map([['ops', { sent: bytes, waiting: lost, lost: { queueFull: lost, rejected: 0, stopped: 0 } }]]),
  });
  const first = { ...controller(100, 1) };
  take(first);
  take(first);
  Object.assign(first, controller(150, 3));
  take(first);
  take({ streamTotals: () => new Map(), eventLosses: () => undefined, notifications: () => new Map() });
  take(controller(20, 1));
  const families = scraped(await metrics.registry.metrics());
  const of = (name: string, labels: object) => sampleValue(families, `weeder_${name}`, { ...labels });
  assert.equal(of('stream_received_bytes_total', { resource: 'pods' }), 170);
  assert.equal(of('notifications_sent_total', { receiver: 'ops' }), 170);
  assert.equal(of('notifications_lost_total', { receiver: 'ops', cause: 'queue_full' }), 4);
  assert.equal(of('notifications_waiting', { receiver: 'ops' }), 1);
  assert.equal(of('stream_restarts_total', { resource: 'pods', reason: 'lost' }), 4);
  assert.equal(of('stream_restarts_total', { resource: 'pods', reason: 'expired' }), 0);
  assert.equal(of('events_lost_total', { cause: 'refused' }), 4);
  assert.equal(of('events_lost_total', { cause: 'queue_full' }), 0);
});

test('10,000 namespaces make no more series than one, and 10,000 services no more than a hundred and one', async () => {
  const seriesOf = async (events: Iterable<WeederEvent>) => {
    const metrics = createMetrics();
    const report = countWeeder(metrics, virtualClock()).next();
    for (const event of events) report(event);
    const families = scraped(await metrics.registry.metrics());
    const own = [...families].filter(([name]) => name.startsWith('weeder_'));
    return own.reduce((sum, [, { samples }]) => sum + samples.length, 0);
  };
  const manyEvents = (change: (index: number) => object) =>
    Array.from({ length: 10_000 }, (_, index) => index).flatMap((index) =>
      everyEvent.map((event) => ('service' in event ? { ...event, ...change(index) } : event)),
    );
  const one = await seriesOf(everyEvent);
  assert.equal(await seriesOf(manyEvents((index) => ({ namespace: `shoot-${index}` }))), one);
  const perService = 2 + 6;
  const many = await seriesOf(manyEvents((index) => ({ service: `service-${index}` })));
  assert.equal(many, one + maxServices * perService);
});

test('the limit of a label preserves the first values, and calls all others "other"', () => {
  const label = limitedLabel(2);
  assert.deepEqual(['a', 'b', 'c', 'a', 'd', 'b'].map(label), ['a', 'b', 'other', 'a', 'other', 'b']);
});

test('requests are counted by the API’s own verb and resource, and by result', async () => {
  const metrics = createMetrics();
  const count = countRequests(metrics);
  const request = { method: 'GET', path: '/api/v1/pods', isStream: false, outcome: 200, durationMs: 20 } as const;
  const requests: RequestOutcome[] = [
    { ...request, path: '/api/v1' },
    { ...request, isStream: true },
    { ...request },
    { ...request, path: '/api/v1/namespaces/a/pods/b' },
    { ...request, method: 'DELETE', path: '/api/v1/namespaces/a/pods/b', outcome: 409, durationMs: 3 },
    { ...request, method: 'DELETE', path: '/api/v1/namespaces/a/pods/c', outcome: 'network' },
    { ...request, method: 'POST', path: '/api/v1/namespaces/a/pods/b/eviction', outcome: 429 },
    { ...request, isStream: true, path: '/apis/discovery.k8s.io/v1/namespaces/a/endpointslices' },
  ];
  for (const requestOutcome of requests) count(requestOutcome);
  const families = scraped(await metrics.registry.metrics());
  const counted = families.get('weeder_api_requests_total')?.samples.map(({ labels, value }) => {
    const { verb, resource, code } = labels;
    return `${verb} ${resource} ${code} ${value}`;
  });
  assert.deepEqual(counted, [
    'get discovery 200 1',
    'watch pods 200 1',
    'list pods 200 1',
    'get pods 200 1',
    'delete pods 409 1',
    'delete pods network 1',
    'create pods/eviction 429 1',
    'watch endpointslices 200 1',
  ]);
  const name = 'weeder_api_request_duration_seconds';
  const labels = { verb: 'delete', resource: 'pods' };
  assert.equal(sampleValue(families, `${name}_sum`, labels), 0.023);
  assert.equal(sampleValue(families, `${name}_bucket`, { ...labels, le: '0.005' }), 1);
  assert.deepEqual(partsOf('/api/v1/namespaces/a'), { resource: 'namespaces', name: 'a' });
  assert.deepEqual(partsOf('/apis/coordination.k8s.io/v1/namespaces/a/leases/weeder'), {
    resource: 'leases',
    name: 'weeder',
  });
});

test('a server that responds with every possible status does not create a series for each', async () => {
  const metrics = createMetrics();
  const count = countRequests(metrics);
  for (let status = 100; status < 600; status += 1)
    count({ method: 'GET', path: `/apis/g/v1/kind${status}`, isStream: false, outcome: status, durationMs: 1 });
  const families = scraped(await metrics.registry.metrics());
  const labels = families.get('weeder_api_requests_total')?.samples.map((sample) => sample.labels) ?? [];
  assert.equal(new Set(labels.map(({ code }) => code)).size, 41);
  assert.equal(new Set(labels.map(({ resource }) => resource)).size, 21);
});

const crashing = crashLoopingPod({ finishedAt: Date.UTC(2026, 0, 1) });
const window = { namespace: 'shop', service: 'db', window: 2 };
const about = { pod: crashing, ...window };
const owner = { kind: 'ReplicaSet', namespace: 'shop', name: 'web-1', uid: 'u' } as const;
const refused = { owner, webhook: 'policy.example.com', evidence: '1', ...window };

/** One of each kind. The compiler reports a missing one. */
const eventOfType: { readonly [T in WeederEvent['type']]: Extract<WeederEvent, { type: T }> } = {
  'service.ready': { type: 'service.ready', namespace: 'shop', service: 'db' },
  'service.notReady': { type: 'service.notReady', namespace: 'shop', service: 'db' },
  'window.opened': { type: 'window.opened', duration: 120_000, ...window },
  'window.withheld': {
    type: 'window.withheld',
    namespace: 'shop',
    service: 'db',
    because: 'Deployment shop/web runs again',
    limit: 6,
  },
  'window.closed': { type: 'window.closed', deleted: 1, skipped: 0, failed: [], ...window },
  'pod.logRead': { type: 'pod.logRead', lines: ['a line'], ...about },
  'pod.deleted': { type: 'pod.deleted', how: 'delete', sinceOpened: 12.4, isRepeated: false, ...about },
  'pod.skipped': { type: 'pod.skipped', pod: crashing, reason: 'barePod', ...window },
  'pod.recovered': { type: 'pod.recovered', ...about },
  'pod.removed': { type: 'pod.removed', ...about },
  'deletion.pending': { type: 'deletion.pending', reason: 'coolingDown', waitIn: 10_000, ...about },
  'deletion.expired': { type: 'deletion.expired', reason: 'tooLate', ...about },
  'deletion.refused': {
    type: 'deletion.refused',
    reason: 'no',
    failure: 'forbidden',
    attempt: 1,
    retryIn: 400,
    ...about,
  },
  'deletion.blocked': { type: 'deletion.blocked', ...about },
  'deletion.failed': { type: 'deletion.failed', reason: 'the window closed first', ...about },
  'creation.retried': { type: 'creation.retried', sinceOpened: 3, isDryRun: false, ...refused },
  'creation.unneeded': { type: 'creation.unneeded', ...refused },
  'creation.refused': {
    type: 'creation.refused',
    reason: 'no',
    failure: 'forbidden',
    attempt: 1,
    retryIn: 400,
    ...refused,
  },
  'creation.failed': { type: 'creation.failed', reason: 'the window closed first', ...refused },
  'creations.dropped': { type: 'creations.dropped', namespace: 'shop' },
  'declaration.problem': {
    type: 'declaration.problem',
    workload: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: undefined },
    problem: 'no service is named',
  },
  'actor.failed': { type: 'actor.failed', actor: 'endpoint shop/db', error: new Error('broke') },
};
const everyEvent: readonly WeederEvent[] = Object.values(eventOfType);

test('the back-off of the replacement of a deleted pod is not counted as saved', async () => {
  const startTime = Date.UTC(2026, 0, 1, 12);
  const at = world({ startTime });
  const count = counting(at);
  at.slice({ ready: [true] });
  const ended = (restarts: number) => ({ containers: [terminated(at.clock.now() - 3_000, restarts)] });
  at.put({ name: 'a', created: startTime - minute, ...ended(4) });
  await settled();
  await count();
  at.put({ name: 'a', uid: 'second', created: startTime + 1000, ...ended(4) });
  await at.clock.pass(10_000);
  const of = await count();
  assert.equal(of('pod_deletions_total', { service, result: 'deleted' }), 2);
  assert.equal(of('backoff_saved_seconds_total'), 77);
});

test('a pod that another client deletes has not recovered, and one whose window ends first is skipped', async () => {
  const at = recovery(
    { answer: () => ({ type: 'delete.failed', reason: 'busy' }) },
    { name: 'a', containers: [backOff(4)] },
  );
  await at.clock.pass(1000);
  at.remove('a');
  await at.clock.pass(2 * minute - 2000);
  at.put({ name: 'late', containers: [terminated(at.clock.now())] });
  await at.clock.pass(minute);
  const of = await counted(at);
  assert.equal(of('pod_deletions_total', { service, result: 'recovered' }), 0);
  assert.equal(of('pod_deletions_total', { service, result: 'not_found' }), 1);
  assert.equal(of('pod_deletions_total', { service, result: 'expired' }), 1);
  assert.equal(of('pod_deletions_total', { service, result: 'failed' }), 0);
});
