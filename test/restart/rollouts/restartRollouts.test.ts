import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podDisruptionBudgets } from '@weeder/embedded-cluster/resources';
import { objectOf } from '@weeder/kube-runtime/base';
import { restartConfig, settings } from '../../support/objects/restartSettings.ts';
import { made } from '../../support/world/embedded.ts';
import {
  configMap,
  namespace,
  type RestartWorld,
  restartWorld,
  stateOn,
  withEnv,
} from '../../support/world/restartWorld.ts';

const second = 1_000;
const source = configMap('settings');

async function adopted(config = restartConfig()): Promise<RestartWorld> {
  const world = await restartWorld(config);
  world.putSource(source, { a: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(60 * second);
  return world;
}

async function change(world: RestartWorld, value: string, wait: number): Promise<void> {
  world.putSource(source, { a: value });
  await world.pass(wait);
}

test('a restart is recorded as done only after the pods have been verified', async () => {
  const world = await adopted();
  world.rolloutTime = 30 * second;
  const before = stateOn(world.workload('web'));
  await change(world, '2', 20 * second);
  assert.deepEqual(world.control.counts().states, { rolling: 1 });
  assert.match(String(stateOn(world.workload('web'))), /"target":/);
  await world.pass(40 * second);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  assert.doesNotMatch(String(stateOn(world.workload('web'))), /"target":/);
  assert.notEqual(stateOn(world.workload('web')), before);
});

test('pods are listed to verify that a restart is needed and that it is done, but not before the controller has observed the template', async () => {
  const world = await adopted();
  world.isUnobserved = true;
  await change(world, '2', 30 * second);
  assert.deepEqual([world.rollouts.length, world.listed], [1, ['app=web', 'app=web']]);
  world.isUnobserved = false;
  await world.pass(40 * second);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  assert.ok(world.listed.length > 2);
});

test('a newer change waits for the rollout in progress, whose last pods were created after it', async () => {
  const world = await adopted();
  world.rolloutTime = 30 * second;
  await change(world, '2', 10 * second);
  await change(world, '3', 10 * second);
  await world.pass(300 * second);
  assert.equal(world.rollouts.length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('a restart does not wait for a new generation alone, which each annotation of a Deployment causes', async () => {
  const world = await adopted();
  world.change('web', { spec: { template: { metadata: { annotations: { release: '1' } } } } });
  await world.pass(20 * second);
  world.isUnobserved = true;
  world.change('web', { metadata: { annotations: { note: 'mine' } } });
  await change(world, '2', 10 * second);
  assert.match(String(stateOn(world.workload('web'))), /"target":/);
});

test('a restart waits for a template that its controller has not observed yet', async () => {
  const world = await adopted();
  world.change('web', { spec: { template: { metadata: { annotations: { release: '1' } } } } });
  await world.pass(20 * second);
  world.isUnobserved = true;
  world.change('web', { spec: { template: { metadata: { annotations: { release: '2' } } } } });
  await change(world, '2', 10 * second);
  assert.doesNotMatch(String(stateOn(world.workload('web'))), /"target":/);
});

test('a stalled rollout is reported, and does not block a newer change, which may fix it', async () => {
  const world = await adopted();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  await change(world, '2', 10 * second);
  await world.pass(settings.stallAfter + 10 * second);
  assert.deepEqual(world.control.counts().states, { stalled: 1 });
  assert.equal(world.eventsOf('workload.stalled').length, 1);
  world.rolloutTime = 3 * second;
  await change(world, '3', 60 * second);
  assert.equal(world.rollouts.length, 2);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('a rollout whose pods cannot start stalls immediately', async () => {
  const world = await adopted();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  await change(world, '2', 6 * second);
  world.breakPods('web');
  await world.pass(10 * second);
  const [stalled] = world.eventsOf('workload.stalled');
  assert.match(stalled?.reason ?? '', /ImagePullBackOff/);
});

test('a stalled rollout that completes after all is recorded as done', async () => {
  const world = await adopted();
  world.rolloutTime = settings.stallAfter * 2;
  await change(world, '2', settings.stallAfter + 20 * second);
  assert.deepEqual(world.control.counts().states, { stalled: 1 });
  await world.pass(settings.stallAfter * 2);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  assert.equal(world.rollouts.length, 1);
});

test('weeder is replaced during a rollout: the next one follows it to its end, and restarts nothing', async () => {
  const world = await adopted();
  world.rolloutTime = 30 * second;
  await change(world, '2', 10 * second);
  await world.restart();
  await world.pass(120 * second);
  assert.equal(world.rollouts.length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  assert.doesNotMatch(String(stateOn(world.workload('web'))), /"target":/);
});

test('weeder is replaced in the quiet period: the change is found again', async () => {
  const world = await adopted();
  await change(world, '2', 2 * second);
  await world.restart();
  await world.pass(120 * second);
  assert.equal(world.rollouts.length, 1);
});

test('after two reverts of the restart the pods are evicted instead', async () => {
  const world = await adopted();
  world.rolloutTime = 10 * second;
  await change(world, '2', 6 * second);
  assert.equal(world.rollouts.length, 1);
  world.restoreTemplate('web');
  await world.pass(settings.minInterval + 2 * second);
  assert.equal(world.rollouts.length, 3, 'ours, theirs, ours');
  world.restoreTemplate('web');
  await world.pass(settings.minInterval * 4);
  assert.equal(world.rollouts.length, 4);
  assert.equal(world.evicted.length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  await world.pass(settings.minInterval * 20);
  assert.deepEqual([world.rollouts.length, world.evicted.length], [4, 1]);
});

test('with strategy evict the template does not change, and the pods are evicted', async () => {
  const world = await adopted(restartConfig({ rule: { strategy: 'evict' } }));
  await change(world, '2', 60 * second);
  assert.deepEqual([world.rollouts.length, world.evicted.length], [0, 1]);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('of two changes within minInterval, the second restart is pending and reported', async () => {
  const world = await adopted();
  await change(world, '2', 20 * second);
  await change(world, '3', 20 * second);
  assert.equal(world.rollouts.length, 1);
  assert.equal(world.eventsOf('workload.pending').at(-1)?.cause, 'interval');
  assert.deepEqual(world.control.counts().pending, { interval: 1 });
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 2);
});

test('a workload that was restarted five times in ten minutes is blocked, with the reason', async () => {
  const world = await adopted();
  for (let value = 2; value < 8; value += 1) await change(world, String(value), 70 * second);
  assert.equal(world.rollouts.length, 5);
  assert.equal(world.eventsOf('workload.blocked').at(-1)?.cause, 'breaker');
  assert.deepEqual(world.control.counts().blocked, { breaker: 1 });
  await world.pass(600 * second);
  assert.equal(world.rollouts.length, 6);
});

test('with too many sources for individual tags, another weeder still recognises the restart during the rollout', async () => {
  const world = await restartWorld(restartConfig({ rule: { quietPeriod: 0 } }));
  const names = Array.from({ length: 190 }, (_, index) => `${'n'.repeat(240)}-${index}`);
  const put = (value: string) => {
    for (const name of names) world.putSource(configMap(name), { a: value });
  };
  put('1');
  const envFrom = names.map((name) => ({ configMapRef: { name } }));
  world.putWorkload('web', { containers: [{ name: 'app', image: 'app:1', envFrom }] });
  await world.pass(60 * second);
  assert.doesNotMatch(String(stateOn(world.workload('web'))), /"[*]":/);
  world.rolloutTime = 500;
  put('2');
  await world.pass(100);
  assert.match(String(stateOn(world.workload('web'))), /"[*]":/);
  assert.equal(world.rollouts.length, 1);
  await world.restart();
  await world.pass(180 * second);
  assert.deepEqual([world.rollouts.length, world.eventsOf('workload.reverted')], [1, []]);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('a change at an unknown time restarts even pods that may have been created after it', async () => {
  const world = await adopted();
  world.control.stop();
  world.putSource(source, { a: '2' }, { metadata: { managedFields: [] } });
  await world.pass(10 * second);
  world.patchTemplate('web', { spec: { terminationGracePeriodSeconds: 5 } });
  await world.pass(10 * second);
  await world.restart();
  await world.pass(120 * second);
  assert.deepEqual([world.rollouts.length, world.control.counts().states], [2, { current: 1 }]);
});

test('the duration of a rollout counts from the change that caused it, not from one during it', async () => {
  const world = await adopted();
  world.rolloutTime = 30 * second;
  await change(world, '2', 15 * second);
  await change(world, '3', 60 * second);
  const [done] = world.eventsOf('workload.rolledOut');
  assert.ok((done?.took ?? 0) >= 30 * second && (done?.sinceChange ?? 0) >= 35 * second, JSON.stringify(done));
  const [first, next] = world.eventsOf('workload.changed');
  assert.equal((next?.since ?? 0) - (first?.since ?? 0), 15 * second);
});

test('of several changes within the quiet period one is reported, with the time of the first', async () => {
  const world = await adopted();
  const began = world.clock.now();
  await change(world, '2', 4 * second);
  await change(world, '3', 30 * second);
  assert.deepEqual(
    world.eventsOf('workload.changed').map(({ since }) => since - began),
    [0],
  );
});

test('a version of a workload older than the response to the restart is ignored', async () => {
  const world = await adopted();
  world.rolloutTime = 30 * second;
  const older = world.workload('web');
  await change(world, '2', 10 * second);
  const sink = world.control.createWorkloadSink('Deployment');
  sink.apply('MODIFIED', older);
  await world.pass(60 * second);
  assert.deepEqual([world.rollouts.length, world.eventsOf('workload.reverted')], [1, []]);
  assert.equal(world.eventsOf('workload.refused').length, 0);
});

test('a repeatedly refused eviction is reported as the reason of the stall', async () => {
  const world = await adopted(restartConfig({ rule: { strategy: 'evict' } }));
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
  made(world.store.create(podDisruptionBudgets, { metadata: { name: 'web', namespace }, spec }));
  await change(world, '2', settings.stallAfter + 20 * second);
  assert.match(
    world.eventsOf('workload.stalled')[0]?.reason ?? '',
    /^pod web-\S+ cannot be evicted: .*: Cannot evict pod .*\. The disruption budget web needs 1 healthy pods/,
  );
  assert.equal(world.evicted.length, 0);
  made(world.store.delete(podDisruptionBudgets, namespace, 'web'));
  await world.pass(30 * second);
  assert.deepEqual([world.evicted.length, world.control.counts().states], [1, { current: 1 }]);
});

for (const after of [0, 5_000, 5_001, 9_000]) {
  test(`weeder is stopped ${after} ms after a change: pending requests end, and nothing is written later`, async () => {
    const world = await adopted();
    world.putSource(source, { a: '2' });
    await world.pass(Math.max(0, after - 1));
    world.clock.advance(after === 0 ? 0 : 1);
    world.control.stop();
    await world.control.drained();
    assert.equal(world.control.counts().inFlight, 0);
    const { resourceVersion } = objectOf(world.workload('web')['metadata']);
    const rollouts = world.rollouts.length;
    world.rolloutTime = Number.POSITIVE_INFINITY;
    world.putSource(source, { a: '3' });
    await world.pass(1);
    const settledVersion = objectOf(world.workload('web')['metadata'])['resourceVersion'];
    await world.pass(600 * second);
    assert.equal(world.rollouts.length, rollouts);
    assert.ok(resourceVersion === settledVersion || rollouts > 0);
  });
}
