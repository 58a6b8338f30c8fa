import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import type { Span } from '../../src/controller/report/span.ts';
import { traceRestart } from '../../src/restart/contribution/traceRestart.ts';
import type { RestartEvent } from '../../src/restart/references/events.ts';
import { restartEventOf, web } from '../support/objects/restartEvents.ts';
import { restartConfig, settings } from '../support/objects/restartSettings.ts';
import { spanLines } from '../support/otlp/spanLines.ts';
import { configMap, restartWorld, withEnv } from '../support/world/restartWorld.ts';

const second = 1_000;
const source = configMap('settings');

/** A Deployment that runs with the content of its source, and the traces of what happens to it. */
async function traced(isDryRun = false) {
  const clock = virtualClock();
  const trace = traceRestart();
  const traces: Span[] = [];
  const onEvent = (event: RestartEvent) => {
    const ended = trace(event, clock.now());
    if (ended !== undefined) traces.push(ended);
  };
  const world = await restartWorld(restartConfig(), { clock, onEvent, isDryRun });
  world.putSource(source, { a: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(60 * second);
  const began = clock.now();
  return { world, began, traces, lines: () => traces.flatMap((each) => spanLines(each, began)) };
}

test('a restart is one trace: the quiet period, the patch and the rollout', async () => {
  const { world, traces, lines } = await traced();
  world.rolloutTime = 30 * second;
  world.putSource(source, { a: '2' });
  await world.pass(120 * second);
  assert.deepEqual(lines(), ['restart 0..35 rolled_out', '  quiet period 0..5', '  patch 5..5', '  rollout 5..35']);
  const { attributes } = traces[0] ?? assert.fail();
  assert.deepEqual(
    [attributes['k8s.namespace.name'], attributes['k8s.deployment.name'], attributes['weeder.sources']],
    ['shop', 'web', ['configmap/shop/settings']],
  );
});

test('a change that leads to no restart has no trace', async () => {
  const { world, lines } = await traced();
  world.putSource(source, { a: '2' });
  await world.pass(2 * second);
  world.putSource(source, { a: '1' });
  await world.pass(120 * second);
  assert.deepEqual(lines(), []);
  assert.equal(world.rollouts.length, 0);
});

test('a restart that waits says why, and how long for each reason', async () => {
  const { world, began, lines } = await traced();
  world.change('web', {
    metadata: { annotations: { 'weeder.dev/paused-until': new Date(began + 60 * second).toISOString() } },
  });
  world.putSource(source, { a: '2' });
  await world.pass(180 * second);
  assert.deepEqual(lines(), [
    'restart 0..63 rolled_out',
    '  quiet period 0..5',
    '  wait 5..60 pausedUntil',
    '  patch 60..60',
    '  rollout 60..63',
  ]);
});

test('a rollout that stalls ends with the change that replaces it, as an error', async () => {
  const { world, lines } = await traced();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.putSource(source, { a: '2' });
  await world.pass(settings.stallAfter + 10 * second);
  world.rolloutTime = 3 * second;
  world.putSource(source, { a: '3' });
  await world.pass(60 * second);
  assert.deepEqual(lines(), [
    'restart 0..70 superseded (superseded)',
    '  @65 workload.stalled',
    '  quiet period 0..5',
    '  rollout 5..70 (superseded)',
    'restart 70..78 rolled_out',
    '  quiet period 70..75',
    '  patch 75..75',
    '  rollout 75..78',
  ]);
});

test('a dry run ends with the decision', async () => {
  const { world, lines } = await traced(true);
  world.putSource(source, { a: '2' });
  await world.pass(60 * second);
  assert.deepEqual(lines(), ['restart 0..5 dry_run', '  quiet period 0..5']);
});

/** The traces of these events, each at its time in seconds. */
function tracesOf(
  events: readonly (readonly [t: number, type: keyof typeof restartEventOf, change?: object])[],
  maxKept?: number,
) {
  const trace = traceRestart(maxKept);
  return events.flatMap(([t, type, change = {}]) => {
    const ended = trace({ ...restartEventOf[type], ...change }, t * second);
    return ended === undefined ? [] : spanLines(ended);
  });
}

test('a rollout that an earlier process began has a trace, and a Job ends with the new one', () => {
  assert.deepEqual(tracesOf([[100, 'workload.rolledOut', { took: 20 * second, sinceChange: 20 * second }]]), [
    'restart 80..100 rolled_out',
    '  rollout 80..100',
  ]);
  const workload = { ...web, kind: 'Job' };
  const job = tracesOf([
    [0, 'workload.changed', { workload, since: 0 }],
    [5, 'workload.restarted', { workload, how: 'recreate' }],
    [6, 'workload.recreated', { workload }],
    [9, 'workload.rolledOut', { workload }],
  ]);
  assert.deepEqual(job, ['restart 0..6 recreated', '  quiet period 0..5', '  rollout 5..6']);
});

test('a refused request is an event of the restart, and a reverted one is an error', () => {
  const lines = tracesOf([
    [0, 'workload.changed', { since: 0 }],
    [5, 'workload.refused'],
    [6, 'workload.restarted'],
    [9, 'workload.reverted'],
  ]);
  assert.deepEqual(lines, [
    'restart 0..9 reverted (reverted)',
    '  @5 workload.refused',
    '  quiet period 0..6',
    '  rollout 6..9 (reverted)',
  ]);
});

test('the newest restarts are kept, because nothing says that a workload is gone', () => {
  const lost = { workload: { ...web, name: 'lost' } };
  const events = [
    [0, 'workload.changed', { ...lost, since: 0 }],
    [1, 'workload.changed', { since: 1_000 }],
    [2, 'workload.restarted'],
    [3, 'workload.restarted', lost],
    [4, 'workload.rolledOut', { ...lost, took: 1_000, sinceChange: 1_000 }],
  ] as const;
  assert.equal(tracesOf(events, 2)[0], 'restart 0..4 rolled_out');
  assert.equal(tracesOf(events, 1)[0], 'restart 3..4 rolled_out');
});
