import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventDraft } from '@weeder/kube-runtime/events';
import { workloadKinds } from '@weeder/kube-runtime/objects';
import { pino } from 'pino';
import { snakeCase } from '../../src/metrics/labels.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { countHashReads, countRestart } from '../../src/restart/contribution/countRestart.ts';
import { measureRestart } from '../../src/restart/contribution/measureRestart.ts';
import { blockCauses, pendingCauses, type RestartEvent } from '../../src/restart/references/events.ts';
import { restartReasons } from '../../src/restart/report/reasons.ts';
import { logRestart, recordRestartEvents } from '../../src/restart/report/reportRestart.ts';
import { sampleValue, scraped } from '../support/api/scraped.ts';
import { everyRestartEvent, restartEventOf, settings } from '../support/objects/restartEvents.ts';

const { 'workload.changed': changed, 'workload.restarted': restarted, 'workload.pending': waiting } = restartEventOf;
const { 'workload.refused': refused, 'annotation.unreadable': unreadable } = restartEventOf;

/** The Kubernetes Events of these events. */
function eventsOf(...occurrences: readonly RestartEvent[]): EventDraft[] {
  const events: EventDraft[] = [];
  const tell = recordRestartEvents((event) => events.push(event));
  for (const event of occurrences) tell(event);
  return events;
}

const notes = (...events: readonly RestartEvent[]) => eventsOf(...events).map(({ note }) => note);

test('the Event of a restart is about the workload, with the way of the restart and the changed keys of each source', () => {
  assert.deepEqual(eventsOf(restarted), [
    {
      regarding: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'uid-of-web' },
      type: 'Normal',
      reason: 'Restarted',
      action: 'Rollout',
      note: 'Its pods are replaced by a rollout, because ConfigMap settings (keys a, b) and Secret vault/password changed.',
    },
  ]);
  const job = { kind: 'Job', namespace: 'shop', name: 'once' } as const;
  assert.equal(eventsOf({ ...restarted, workload: job, how: 'recreate' })[0]?.regarding.apiVersion, 'batch/v1');
});

test('for a CronJob the Event and the log name the next run as the first one with the new content', () => {
  const workload = { kind: 'CronJob', namespace: 'shop', name: 'report' } as const;
  const events = [
    { ...restarted, workload },
    // With the strategy evict, too, no pod of a CronJob is evicted.
    { ...restarted, workload, how: 'evict' },
    { ...restartEventOf['workload.rolledOut'], workload, sinceChange: 5_000 },
  ] as const;
  const next =
    'Its next run has the new content, because ConfigMap settings (keys a, b) and Secret vault/password changed.';
  assert.deepEqual(
    eventsOf(...events).map(({ action, note }) => [action, note]),
    [
      ['Rollout', next],
      ['Rollout', next],
      ['Finish', 'The next run has the new content, 5s after the change.'],
    ],
  );
  const lines: string[] = [];
  const log = logRestart(pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) }));
  for (const event of events) log(event);
  assert.deepEqual(lines, [
    'workload restarted: its next run has the new content',
    'workload restarted: its next run has the new content',
    'workload rolled out: its next run has the new content',
  ]);
});

test('a change has its time, and one key, many keys and many sources are described in one sentence', () => {
  const keysOf = (...keys: string[]) => ({ ...changed, sources: [{ source: settings, keys }] });
  const many = Array.from({ length: 8 }, (_, index) => `k${index}`);
  const sources = many.map((name) => ({ source: { ...settings, name }, keys: [] }));
  assert.deepEqual(notes(keysOf('a'), keysOf(...many), { ...changed, sources }), [
    'ConfigMap settings (key a) changed since 2026-11-21T10:00:00Z.',
    'ConfigMap settings (keys k0, k1, k2, k3, k4 and 3 more) changed since 2026-11-21T10:00:00Z.',
    'ConfigMap k0, ConfigMap k1, ConfigMap k2, ConfigMap k3, ConfigMap k4 and 3 more changed since 2026-11-21T10:00:00Z.',
  ]);
});

test('a dry run never reports that something was restarted', () => {
  const [event] = eventsOf({ ...restarted, how: 'dryRun' });
  assert.deepEqual([event?.reason, event?.action], ['RestartDryRun', 'DryRun']);
  assert.match(event?.note ?? '', /^It would be restarted \(dry run\), because /);
});

test('a pending or blocked restart has its reason, and its end if that is known', () => {
  assert.deepEqual(notes(waiting, { ...waiting, until: undefined }, restartEventOf['workload.blocked']), [
    'The restart is pending: no maintenance window is open, until 2026-11-21T11:00:00Z.',
    'The restart is pending: no maintenance window is open.',
    'It is not restarted: ConfigMap settings is missing.',
  ]);
});

test('no Event reports what resolves without action, or concerns only weeder', () => {
  const unreported: RestartEvent[] = [
    { ...waiting, cause: 'interval' },
    { ...waiting, cause: 'pace' },
    { ...refused, failure: 'network' },
    { ...refused, failure: 'unavailable' },
    ...(
      [
        'workload.adopted',
        'workload.released',
        'state.foreign',
        'key.changed',
        'key.created',
        'key.missing',
        'actor.failed',
      ] as const
    ).map((type) => restartEventOf[type]),
  ];
  assert.deepEqual(eventsOf(...unreported), []);
});

test('a refusal that the owner can resolve, a revert and unreadable annotations are Events with their consequence', () => {
  const reverted = restartEventOf['workload.reverted'];
  assert.deepEqual(
    notes(refused, reverted, { ...reverted, isEvicting: true }, unreadable, { ...unreadable, on: settings }),
    [
      'Not restarted: https://api refused (403): no. Grant it.',
      'Another client restored the pod template, and the old pods remained.',
      'Another client restored the pod template, and the old pods remained. From now on its pods are evicted instead.',
      'The annotation weeder.dev/paused-until cannot be read: "soon" is not a time.',
      'The annotation weeder.dev/paused-until of ConfigMap settings cannot be read: "soon" is not a time.',
    ],
  );
});

test('an evicted pod is an Event on its workload, with what it waited for, and so is one of a dry run', () => {
  const evicted = restartEventOf['pod.evicted'];
  assert.deepEqual(notes(evicted, { ...evicted, isDryRun: true }), [
    'Pod web-5d4f8-abcde had never started and was evicted: its volumes waited for ConfigMap settings, and would have waited longer.',
    'Pod web-5d4f8-abcde had never started and would be evicted (dry run): its volumes waited for ConfigMap settings, and would have waited longer.',
  ]);
});

test('the table lists the types and actions of each reason, and no others', () => {
  const hows = (['evict', 'recreate', 'replace', 'dryRun'] as const).map((how) => ({ ...restarted, how }));
  const events = eventsOf(
    ...everyRestartEvent,
    ...hows,
    { ...restartEventOf['workload.reverted'], isEvicting: true },
    { ...restartEventOf['pod.evicted'], isDryRun: true },
  );
  const seen = events.map(({ type, reason, action }) => `${reason} ${type} ${action}`);
  const listed = Object.entries(restartReasons).flatMap(([reason, { types, actions }]) =>
    types.flatMap((type) => actions.map((action) => `${reason} ${type} ${action}`)),
  );
  assert.deepEqual([...new Set(seen)].sort(), [...listed].sort());
  assert(events.every(({ regarding }) => regarding.kind in workloadKinds));
});

/** What the log has of these events, without what pino adds. */
function logged(...events: readonly RestartEvent[]): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { base: null, timestamp: false, level: 'debug' },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const log = logRestart(logger);
  for (const event of events) log(event);
  return lines;
}

test('each event is one line of the log that names the workload, and the keys of what changed', () => {
  const [line] = logged(restarted);
  assert.deepEqual(line, {
    level: 30,
    namespace: 'shop',
    workload: 'deployment/web',
    uid: 'uid-of-web',
    sources: [
      { source: 'configmap/shop/settings', keys: ['a', 'b'] },
      { source: 'secret/vault/password', keys: [] },
    ],
    attempt: 1,
    msg: 'workload restarted: its pods are replaced by a rollout',
  });
  const lines = logged(...everyRestartEvent);
  assert.equal(lines.length, everyRestartEvent.length);
  assert.equal(new Set(lines.map(({ msg }) => msg)).size, everyRestartEvent.length);
  for (const [index, event] of everyRestartEvent.entries())
    assert.equal(lines[index]?.['workload'], 'workload' in event ? 'deployment/web' : undefined, event.type);
});

test('what needs a person’s action is a warning or an error, and nothing else is', () => {
  const warned = everyRestartEvent.filter((event) => Number(logged(event)[0]?.['level']) > 30).map(({ type }) => type);
  assert.deepEqual(warned, [
    'workload.blocked',
    'workload.stalled',
    'workload.reverted',
    'workload.refused',
    'history.filled',
    'annotation.unreadable',
    'state.contested',
    'dependency.notAllowed',
    'dependency.notFollowed',
    'state.foreign',
    'key.missing',
    'actor.failed',
  ]);
});

test('a first hash key is not reported as a change of the key', () => {
  const key = restartEventOf['key.changed'];
  assert.deepEqual(
    logged(key, { ...key, before: 'zyxwvuts' }).map(({ msg }) => msg),
    ['hash key read', 'hash key changed: all workloads are adopted again'],
  );
});

/** Metrics after these events. */
async function counted(...events: readonly RestartEvent[]) {
  const metrics = createMetrics();
  const report = countRestart(metrics);
  for (const event of events) report(event);
  const families = scraped(await metrics.registry.metrics());
  return (name: string, labels = {}) => sampleValue(families, `weeder_${name}`, labels);
}

test('restarts are counted by kind and by result, and begin at 0', async () => {
  const job = { kind: 'Job', namespace: 'shop', name: 'once' } as const;
  const of = await counted(
    restarted,
    { ...restarted, how: 'evict' },
    { ...restarted, how: 'dryRun' },
    { ...restarted, workload: job, how: 'recreate' },
    restartEventOf['workload.rolledOut'],
    restartEventOf['workload.adopted'],
    refused,
  );
  const restarts = (kind: string, result: string) => of('workload_restarts_total', { kind, result });
  assert.equal(restarts('Deployment', 'restarted'), 2);
  assert.equal(restarts('Deployment', 'dry_run'), 1);
  assert.equal(restarts('Deployment', 'rolled_out'), 1);
  assert.equal(restarts('Deployment', 'reverted'), 0);
  assert.equal(restarts('Job', 'restarted'), 1);
  assert.equal(restarts('CronJob', 'restarted'), 0);
  assert.equal(of('workloads_adopted_total', { kind: 'Deployment' }), 1);
  assert.equal(of('restart_retries_total', { error: 'forbidden' }), 1);
  assert.equal(of('change_to_rollout_seconds_sum'), 25.4);
  assert.equal(of('change_to_rollout_seconds_bucket', { le: '30' }), 1);
  assert.equal(of('change_to_rollout_seconds_bucket', { le: '20' }), 0);
});

test('ten thousand workloads and sources make no more series than one', async () => {
  const seriesAfter = async (count: number) => {
    const metrics = createMetrics();
    const report = countRestart(metrics);
    for (let index = 0; index < count; index += 1) {
      const workload = { kind: 'Deployment', namespace: `n${index}`, name: `w${index}` } as const;
      for (const event of everyRestartEvent) report('workload' in event ? { ...event, workload } : event);
    }
    const text = await metrics.registry.metrics();
    return [...text.matchAll(/^weeder_/gm)].length;
  };
  assert.equal(await seriesAfter(10_000), await seriesAfter(1));
});

test('the state of restart control is measured at a scrape: states, and the causes of pending and blocked restarts', async () => {
  const metrics = createMetrics();
  const measured = async (...given: Parameters<typeof measureRestart> extends [unknown, infer M] ? [M] : never) => {
    measureRestart(metrics, ...given);
    const families = scraped(await metrics.registry.metrics());
    return (name: string, labels = {}) => sampleValue(families, `weeder_${name}`, labels);
  };
  const states = { current: 5, waiting: 2, blocked: 1, assessing: 3, writingState: 1, suspended: 2 };
  const of = await measured({ states, pending: { window: 2 }, blocked: { breaker: 1 }, sources: 7 });
  assert.equal(of('managed_workloads', { state: 'current' }), 5);
  assert.equal(of('managed_workloads', { state: 'passing' }), 4);
  assert.equal(of('managed_workloads', { state: 'suspended' }), 2);
  assert.equal(of('managed_workloads', { state: 'rolling' }), 0);
  assert.equal(of('restarts_pending', { reason: 'window' }), 2);
  assert.equal(of('restarts_pending', { reason: 'pace' }), 0);
  assert.equal(of('restarts_blocked', { reason: 'breaker' }), 1);
  assert.equal(of('restart_sources'), 7);
  const after = await measured(undefined);
  for (const cause of pendingCauses) assert.equal(after('restarts_pending', { reason: snakeCase(cause) }), 0);
  for (const cause of blockCauses) assert.equal(after('restarts_blocked', { reason: snakeCase(cause) }), 0);
  assert.equal(after('managed_workloads', { state: 'current' }), 0);
});

test('the reads for hashes are counted by result', async () => {
  const metrics = createMetrics();
  const count = countHashReads(metrics);
  for (const result of ['ok', 'ok', 'refused'] as const) count('Secret', result);
  const families = scraped(await metrics.registry.metrics());
  assert.equal(sampleValue(families, 'weeder_hash_reads_total', { kind: 'Secret', result: 'ok' }), 2);
  assert.equal(sampleValue(families, 'weeder_hash_reads_total', { kind: 'Secret', result: 'refused' }), 1);
  assert.equal(sampleValue(families, 'weeder_hash_reads_total', { kind: 'ConfigMap', result: 'ok' }), 0);
});
