import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  configMap,
  type RestartWorld,
  restartConfig,
  restartWorld,
  settings,
  stateOn,
  withEnv,
} from './support/restartWorld.ts';

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

test('a restart is recorded as done only when the pods prove it', async () => {
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

test('pods are listed to prove that a restart is needed and done, not while the controller has not seen the template', async () => {
  const world = await adopted();
  world.rolloutTime = 30 * second;
  await change(world, '2', 30 * second);
  assert.deepEqual([world.rollouts.length, world.listed], [1, ['web']]);
  await world.pass(40 * second);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  assert.ok(world.listed.length > 1);
});

test('a newer change waits for the rollout under way, whose last pods were made after it', async () => {
  const world = await adopted();
  world.rolloutTime = 30 * second;
  await change(world, '2', 10 * second);
  await change(world, '3', 10 * second);
  await world.pass(300 * second);
  assert.equal(world.rollouts.length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('a rollout that stands still is told, and does not block a newer change, which may be its cure', async () => {
  const world = await adopted();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  await change(world, '2', 10 * second);
  await world.pass(settings.stallAfter + 10 * second);
  assert.deepEqual(world.control.counts().states, { stalled: 1 });
  assert.equal(world.factsOf('workload.stalled').length, 1);
  world.rolloutTime = 3 * second;
  await change(world, '3', 60 * second);
  assert.equal(world.rollouts.length, 2);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('a rollout whose pods cannot start has stalled at once', async () => {
  const world = await adopted();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  await change(world, '2', 6 * second);
  world.breakPods('web');
  await world.pass(10 * second);
  const [stalled] = world.factsOf('workload.stalled');
  assert.match(stalled?.reason ?? '', /ImagePullBackOff/);
});

test('a rollout that stood still and ends after all is recorded as done', async () => {
  const world = await adopted();
  world.rolloutTime = settings.stallAfter * 2;
  await change(world, '2', settings.stallAfter + 20 * second);
  assert.deepEqual(world.control.counts().states, { stalled: 1 });
  await world.pass(settings.stallAfter * 2);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  assert.equal(world.rollouts.length, 1);
});

test('weeder is replaced in the middle of a rollout: the next one follows it to its end, and restarts nothing', async () => {
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

test('who takes the restart back twice gets evictions in place of it', async () => {
  const world = await adopted();
  world.rolloutTime = 10 * second;
  await change(world, '2', 6 * second);
  assert.equal(world.rollouts.length, 1);
  world.takeBack('web');
  await world.pass(settings.minInterval + 2 * second);
  assert.equal(world.rollouts.length, 3, 'ours, theirs, ours');
  world.takeBack('web');
  await world.pass(settings.minInterval * 4);
  assert.equal(world.rollouts.length, 4);
  assert.equal(world.evicted.length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  await world.pass(settings.minInterval * 20);
  assert.deepEqual([world.rollouts.length, world.evicted.length], [4, 1]);
});

test('with strategy evict the template stays as it is, and the pods are evicted', async () => {
  const world = await adopted(restartConfig({ rule: { strategy: 'evict' } }));
  await change(world, '2', 60 * second);
  assert.deepEqual([world.rollouts.length, world.evicted.length], [0, 1]);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('two changes within the shortest interval: the second restart waits for it, and says so', async () => {
  const world = await adopted();
  await change(world, '2', 20 * second);
  await change(world, '3', 20 * second);
  assert.equal(world.rollouts.length, 1);
  assert.equal(world.factsOf('workload.waiting').at(-1)?.cause, 'interval');
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 2);
});

test('a workload that was restarted five times in ten minutes is held, and tells why', async () => {
  const world = await adopted();
  for (let value = 2; value < 8; value += 1) await change(world, String(value), 70 * second);
  assert.equal(world.rollouts.length, 5);
  assert.equal(world.factsOf('workload.held').at(-1)?.cause, 'breaker');
  await world.pass(600 * second);
  assert.equal(world.rollouts.length, 6);
});
