import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { settings } from '../../support/objects/restartSettings.ts';
import { configMap, type RestartWorld, restartWorld, withEnv } from '../../support/world/restartWorld.ts';

const second = 1_000;
const source = configMap('settings');

/** A workload with this spec and pod spec, adopted. */
async function adopted(spec: JsonObject = {}, podSpec: JsonObject = {}): Promise<RestartWorld> {
  const world = await restartWorld();
  world.putSource(source, { a: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', { ...withEnv('settings', 'a'), ...podSpec });
  world.change('web', { spec });
  await world.pass(60 * second);
  return world;
}

const container = withEnv('settings', 'a')['containers'] as readonly JsonObject[];
const slowStart = { startupProbe: { periodSeconds: 10, failureThreshold: 12 } };
const slow: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
  'minReadySeconds of two minutes': [{ minReadySeconds: 120 }, {}],
  'a startup probe of two minutes': [{}, { containers: container.map((each) => ({ ...each, ...slowStart })) }],
  'a grace period of two and a half minutes': [{}, { terminationGracePeriodSeconds: 150 }],
};

for (const [what, [spec, podSpec]] of Object.entries(slow)) {
  test(`${what}: a healthy rollout does not stall, and a newer change waits for its end`, async () => {
    const world = await adopted(spec, podSpec);
    world.rolloutTime = settings.stallAfter + 100 * second;
    world.putSource(source, { a: '2' });
    await world.pass(settings.stallAfter + 30 * second);
    world.putSource(source, { a: '3' });
    await world.pass(60 * second);
    assert.deepEqual([world.control.counts().states, world.rollouts.length], [{ rolling: 1 }, 1]);
    await world.pass(10 * 60 * second);
    assert.deepEqual([world.control.counts().states, world.eventsOf('workload.stalled')], [{ current: 1 }, []]);
  });

  test(`${what}: a rollout that makes no progress for longer stalls`, async () => {
    const world = await adopted(spec, podSpec);
    world.rolloutTime = Number.POSITIVE_INFINITY;
    world.putSource(source, { a: '2' });
    await world.pass(settings.stallAfter + 110 * second);
    assert.deepEqual(world.control.counts().states, { rolling: 1 });
    await world.pass(40 * second);
    assert.deepEqual(world.control.counts().states, { stalled: 1 });
  });

  test(`${what}: a restart waits for a rollout of the user that takes this long`, async () => {
    const world = await adopted(spec, podSpec);
    world.rolloutTime = settings.stallAfter + 100 * second;
    world.change('web', { spec: { template: { metadata: { annotations: { release: '2' } } } } });
    await world.pass(5 * second);
    world.putSource(source, { a: '2' });
    await world.pass(10 * 60 * second);
    assert.deepEqual([world.control.counts().states, world.rollouts.length], [{ current: 1 }, 1]);
    assert.equal(world.eventsOf('workload.skipped').length, 1);
  });
}

test('the grace period that Kubernetes sets by default does not delay a stall', async () => {
  const world = await adopted({}, { terminationGracePeriodSeconds: 30 });
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.putSource(source, { a: '2' });
  await world.pass(settings.stallAfter + 15 * second);
  assert.deepEqual(world.control.counts().states, { stalled: 1 });
});

test('a new pod that starts to run is progress of a restart, once', async () => {
  const world = await adopted();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.putSource(source, { a: '2' });
  await world.pass(10 * second);
  world.createPod('web');
  await world.pass(settings.stallAfter - 10 * second);
  world.startPod('web');
  await world.pass(settings.stallAfter - 10 * second);
  assert.deepEqual(world.control.counts().states, { rolling: 1 });
  await world.pass(25 * second);
  assert.deepEqual(world.control.counts().states, { stalled: 1 });
});

test('a new pod that starts to run is progress of a rollout of the user, once', async () => {
  const world = await adopted();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.change('web', { spec: { template: { metadata: { annotations: { release: '2' } } } } });
  world.createPod('web');
  world.putSource(source, { a: '2' });
  await world.pass(settings.stallAfter - 10 * second);
  world.startPod('web');
  await world.pass(settings.stallAfter - 10 * second);
  assert.deepEqual([world.control.counts().states, world.rollouts.length], [{ waiting: 1 }, 1]);
  await world.pass(25 * second);
  assert.equal(world.rollouts.length, 2);
});

test('a new pod that fails is no progress: the rollout stalls immediately', async () => {
  const world = await adopted({ minReadySeconds: 600 });
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.putSource(source, { a: '2' });
  await world.pass(10 * second);
  world.breakPods('web');
  await world.pass(10 * second);
  assert.deepEqual(world.control.counts().states, { stalled: 1 });
});

test('a spec that allows any time without progress ends at progressDeadline', async () => {
  const world = await adopted({ minReadySeconds: 2_147_483_647 });
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.putSource(source, { a: '2' });
  await world.pass(settings.progressDeadline + 10 * second);
  assert.deepEqual(world.control.counts().states, { stalled: 1 });
});
