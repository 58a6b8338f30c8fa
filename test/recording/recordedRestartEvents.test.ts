import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import type { EventDraft } from '../../src/kube/events/event.ts';
import { workloadKinds } from '../../src/kube/objects/workloadKinds.ts';
import { countHashReads, countRestarts } from '../../src/metrics/countRestarts.ts';
import { snakeCase } from '../../src/metrics/labels.ts';
import { measureRestarts } from '../../src/metrics/measureRestarts.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { blockCauses, pendingCauses, type RestartEvent } from '../../src/restart/model/events.ts';
import { restartEventTable } from '../../src/restart/report/eventTable.ts';
import { recordRestartEvents } from '../../src/restart/report/kubernetesEvents.ts';
import { logRestarts } from '../../src/restart/report/logRestarts.ts';
import { sampleValue, scraped } from '../support/api/scraped.ts';
import { everyRestartFact, restartFactOf, settings } from '../support/objects/restartEvents.ts';

const { 'workload.changed': changed, 'workload.restarted': restarted, 'workload.pending': waiting } = restartFactOf;
const { 'workload.refused': refused, 'annotation.unreadable': unreadable } = restartFactOf;

/** What is told of these facts. */
function told(...facts: readonly RestartEvent[]): EventDraft[] {
  const events: EventDraft[] = [];
  const tell = recordRestartEvents((event) => events.push(event));
  for (const fact of facts) tell(fact);
  return events;
}

const notes = (...facts: readonly RestartEvent[]) => told(...facts).map(({ note }) => note);

test('a restart is told on the workload: how, and for which keys of which source', () => {
  assert.deepEqual(told(restarted), [
    {
      regarding: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'uid-of-web' },
      type: 'Normal',
      reason: 'Restarted',
      action: 'Rollout',
      note: 'Its pods are rolled out anew, because ConfigMap settings (keys a, b) and Secret vault/password changed.',
    },
  ]);
  const job = { kind: 'Job', namespace: 'shop', name: 'once' } as const;
  assert.equal(told({ ...restarted, workload: job, how: 'recreate' })[0]?.regarding.apiVersion, 'batch/v1');
});

test('of a CronJob it is the next run that has the new content, in Events and in the log', () => {
  const workload = { kind: 'CronJob', namespace: 'shop', name: 'report' } as const;
  const its = [
    { ...restarted, workload },
    { ...restartFactOf['workload.rolledOut'], workload, sinceChange: 5_000 },
  ];
  assert.deepEqual(notes(...its), [
    'Its next run has the new content, because ConfigMap settings (keys a, b) and Secret vault/password changed.',
    'The next run has the new content, 5s after the change.',
  ]);
  const lines: string[] = [];
  const log = logRestarts(pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) }));
  for (const fact of its) log(fact);
  assert.deepEqual(lines, [
    'workload restarted: its next run has the new content',
    'workload rolled out: its next run has the new content',
  ]);
});

test('a change says since when, and one key, many keys and many sources are told so that the sentence stays one', () => {
  const keysOf = (...keys: string[]) => ({ ...changed, sources: [{ source: settings, keys }] });
  const many = Array.from({ length: 8 }, (_, index) => `k${index}`);
  const sources = many.map((name) => ({ source: { ...settings, name }, keys: [] }));
  assert.deepEqual(notes(keysOf('a'), keysOf(...many), { ...changed, sources }), [
    'ConfigMap settings (key a) changed since 2026-11-21T10:00:00Z.',
    'ConfigMap settings (keys k0, k1, k2, k3, k4 and 3 more) changed since 2026-11-21T10:00:00Z.',
    'ConfigMap k0, ConfigMap k1, ConfigMap k2, ConfigMap k3, ConfigMap k4 and 3 more changed since 2026-11-21T10:00:00Z.',
  ]);
});

test('a dry run never says that something was restarted', () => {
  const [event] = told({ ...restarted, how: 'dryRun' });
  assert.deepEqual([event?.reason, event?.action], ['RestartDryRun', 'DryRun']);
  assert.match(event?.note ?? '', /^It would be restarted \(dry run\), because /);
});

test('what waits and what is held says for what, and until when where that is known', () => {
  assert.deepEqual(notes(waiting, { ...waiting, until: undefined }, restartFactOf['workload.blocked']), [
    'The restart is pending: no maintenance window is open, until 2026-11-21T11:00:00Z.',
    'The restart is pending: no maintenance window is open.',
    'It is not restarted: ConfigMap settings is missing.',
  ]);
});

test('what passes by itself, or is nobody’s but weeder’s, is no Event', () => {
  const quiet: RestartEvent[] = [
    { ...waiting, cause: 'interval' },
    { ...waiting, cause: 'pace' },
    { ...refused, failure: 'network' },
    { ...refused, failure: 'unavailable' },
    ...(
      ['workload.adopted', 'workload.released', 'state.foreign', 'key.changed', 'key.missing', 'actor.failed'] as const
    ).map((type) => restartFactOf[type]),
  ];
  assert.deepEqual(told(...quiet), []);
});

test('a refusal that its owner can do something about, a revert and what cannot be read are told with what comes of it', () => {
  const reverted = restartFactOf['workload.reverted'];
  assert.deepEqual(
    notes(refused, reverted, { ...reverted, isEvicting: true }, unreadable, { ...unreadable, on: settings }),
    [
      'Not restarted: https://api refused (403): no. Grant it.',
      'Another client restored the pod template, and the old pods stayed.',
      'Another client restored the pod template, and the old pods stayed. From now on its pods are evicted instead.',
      'The annotation weeder.dev/paused-until cannot be read: "soon" is no time.',
      'The annotation weeder.dev/paused-until of ConfigMap settings cannot be read: "soon" is no time.',
    ],
  );
});

test('the table says of each reason what is told, and of nothing else', () => {
  const hows = (['evict', 'recreate', 'replace', 'dryRun'] as const).map((how) => ({ ...restarted, how }));
  const events = told(...everyRestartFact, ...hows, { ...restartFactOf['workload.reverted'], isEvicting: true });
  const seen = events.map(({ type, reason, action }) => `${reason} ${type} ${action}`);
  const listed = Object.entries(restartEventTable).flatMap(([reason, { types, actions }]) =>
    types.flatMap((type) => actions.map((action) => `${reason} ${type} ${action}`)),
  );
  assert.deepEqual([...new Set(seen)].sort(), [...listed].sort());
  assert(events.every(({ regarding }) => regarding.kind in workloadKinds));
});

/** What the log says of these facts, without what pino adds. */
function logged(...facts: readonly RestartEvent[]): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { base: null, timestamp: false, level: 'debug' },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const log = logRestarts(logger);
  for (const fact of facts) log(fact);
  return lines;
}

test('each fact is one line of the log that names the workload, and the keys of what changed', () => {
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
    msg: 'workload restarted: its pods are rolled out anew',
  });
  const lines = logged(...everyRestartFact);
  assert.equal(lines.length, everyRestartFact.length);
  assert.equal(new Set(lines.map(({ msg }) => msg)).size, everyRestartFact.length);
  for (const [index, fact] of everyRestartFact.entries())
    assert.equal(lines[index]?.['workload'], 'workload' in fact ? 'deployment/web' : undefined, fact.type);
});

test('what somebody has to see to is a warning or an error, and nothing else is', () => {
  const loud = everyRestartFact.filter((fact) => Number(logged(fact)[0]?.['level']) > 30).map(({ type }) => type);
  assert.deepEqual(loud, [
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

test('a first key is no change of it', () => {
  const key = restartFactOf['key.changed'];
  assert.deepEqual(
    logged(key, { ...key, before: 'zyxwvuts' }).map(({ msg }) => msg),
    ['hash key read', 'hash key changed: all workloads are adopted anew'],
  );
});

/** Metrics after these facts. */
async function counted(...facts: readonly RestartEvent[]) {
  const metrics = createMetrics();
  const report = countRestarts(metrics);
  for (const fact of facts) report(fact);
  const families = scraped(await metrics.registry.metrics());
  return (name: string, labels = {}) => sampleValue(families, `weeder_${name}`, labels);
}

test('restarts are counted by kind and by what became of them, and begin at 0', async () => {
  const job = { kind: 'Job', namespace: 'shop', name: 'once' } as const;
  const of = await counted(
    restarted,
    { ...restarted, how: 'evict' },
    { ...restarted, how: 'dryRun' },
    { ...restarted, workload: job, how: 'recreate' },
    restartFactOf['workload.rolledOut'],
    restartFactOf['workload.adopted'],
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
    const report = countRestarts(metrics);
    for (let index = 0; index < count; index += 1) {
      const workload = { kind: 'Deployment', namespace: `n${index}`, name: `w${index}` } as const;
      for (const fact of everyRestartFact) report('workload' in fact ? { ...fact, workload } : fact);
    }
    const text = await metrics.registry.metrics();
    return [...text.matchAll(/^weeder_/gm)].length;
  };
  assert.equal(await seriesAfter(10_000), await seriesAfter(1));
});

test('how restart control stands is measured at a scrape: states, and the causes of pending and blocked restarts', async () => {
  const metrics = createMetrics();
  const measured = async (...given: Parameters<typeof measureRestarts> extends [unknown, infer M] ? [M] : never) => {
    measureRestarts(metrics, ...given);
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

test('readings to hash are counted by what came of them', async () => {
  const metrics = createMetrics();
  const count = countHashReads(metrics);
  for (const result of ['ok', 'ok', 'refused'] as const) count('Secret', result);
  const families = scraped(await metrics.registry.metrics());
  assert.equal(sampleValue(families, 'weeder_hash_reads_total', { kind: 'Secret', result: 'ok' }), 2);
  assert.equal(sampleValue(families, 'weeder_hash_reads_total', { kind: 'Secret', result: 'refused' }), 1);
  assert.equal(sampleValue(families, 'weeder_hash_reads_total', { kind: 'ConfigMap', result: 'ok' }), 0);
});
