import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { restartConfig } from '../support/objects/restartSettings.ts';
import { configMap, type RestartWorld, restartWorld, withEnv } from '../support/world/restartWorld.ts';

const second = 1_000;
const source = configMap('settings');
const release = { metadata: { annotations: { release: '2' } } };

const withVolume: JsonObject = {
  containers: [{ name: 'app', image: 'app:1', volumeMounts: [{ name: 'settings', mountPath: '/settings' }] }],
  volumes: [{ name: 'settings', configMap: { name: 'settings' } }],
};

async function adopted(spec: JsonObject = withEnv('settings', 'a'), config = restartConfig()): Promise<RestartWorld> {
  const world = await restartWorld(config);
  world.putSource(source, { a: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', spec);
  await world.pass(10 * second);
  world.rolloutTime = 100;
  return world;
}

/** The source has other content for three seconds, and `happen` runs in the middle of them. */
async function awayAndBack(world: RestartWorld, happen: (world: RestartWorld) => void): Promise<void> {
  world.putSource(source, { a: '2' });
  await world.pass(1.5 * second);
  happen(world);
  await world.pass(1.5 * second);
  world.putSource(source, { a: '1' });
  await world.pass(180 * second);
}

/** A release while the source has other content, and one shortly after the recorded content is back. */
async function releasedThenAndAfter(world: RestartWorld): Promise<void> {
  world.putSource(source, { a: '2' });
  await world.pass(1.5 * second);
  world.patchTemplate('web', release);
  await world.pass(1.5 * second);
  world.putSource(source, { a: '1' });
  await world.pass(3 * second);
  world.patchTemplate('web', { metadata: { annotations: { release: '3' } } });
}

/** The restarts by weeder, and the number of all rollouts. */
function restartsOf(world: RestartWorld): { readonly restarts: number; readonly rollouts: number } {
  assert.deepEqual(world.control.counts().states, { current: 1 });
  return { restarts: world.factsOf('workload.restarted').length, rollouts: world.rollouts.length };
}

for (const [what, spec] of Object.entries({ variable: withEnv('settings', 'a'), volume: withVolume })) {
  test(`pods that a release made while a source said something else are restarted once: ${what}`, async () => {
    const world = await adopted(spec);
    await awayAndBack(world, ({ patchTemplate }) => patchTemplate('web', release));
    assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 2 });
    await world.restart();
    await world.pass(180 * second);
    assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 2 });
  });

  test(`a pod that a scaling added while a source said something else is restarted once: ${what}`, async () => {
    const world = await adopted(spec);
    await awayAndBack(world, ({ scaleUp }) => scaleUp('web'));
    assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 1 });
  });

  test(`a container that came back while a source said something else is restarted once: ${what}`, async () => {
    const world = await adopted(spec);
    await awayAndBack(world, ({ crash }) => crash('web'));
    assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 1 });
  });

  test(`a source that went and came back restarts nothing where no pod was started in between: ${what}`, async () => {
    const world = await adopted(spec);
    await awayAndBack(world, () => {});
    await awayAndBack(world, () => {});
    assert.deepEqual(restartsOf(world), { restarts: 0, rollouts: 0 });
    assert.equal(world.factsOf('workload.adopted').length, 1);
  });

  test(`pods that were made before a source went, or after it came back, are left alone: ${what}`, async () => {
    const world = await adopted(spec);
    world.patchTemplate('web', release);
    await world.pass(5 * second);
    await awayAndBack(world, () => {});
    world.patchTemplate('web', { metadata: { annotations: { release: '3' } } });
    world.crash('web');
    await world.pass(180 * second);
    assert.deepEqual(restartsOf(world), { restarts: 0, rollouts: 2 });
  });
}

test('pods that a release replaces after the source came back need no restart', async () => {
  const world = await adopted();
  await releasedThenAndAfter(world);
  await world.pass(180 * second);
  assert.deepEqual(restartsOf(world), { restarts: 0, rollouts: 2 });
  assert.equal(world.factsOf('workload.skipped').length, 1);
});

test('what a source said in between is restarted for though it went and came back during a rollout', async () => {
  const world = await adopted();
  world.rolloutTime = 20 * second;
  world.putSource(source, { a: '2' });
  await world.pass(10 * second);
  assert.equal(world.rollouts.length, 1);
  world.putSource(source, { a: '3' });
  await world.pass(10 * second);
  world.crash('web');
  await world.pass(10 * second);
  world.putSource(source, { a: '2' });
  await world.pass(180 * second);
  assert.deepEqual(restartsOf(world), { restarts: 2, rollouts: 2 });
});

test('a source that goes and comes back during a rollout, before its pods are made, restarts nothing', async () => {
  const world = await adopted();
  world.rolloutTime = 20 * second;
  world.putSource(source, { a: '2' });
  await world.pass(10 * second);
  world.putSource(source, { a: '3' });
  await world.pass(3 * second);
  world.putSource(source, { a: '2' });
  await world.pass(180 * second);
  assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 1 });
});

test('what pods may run with is not forgotten when another weeder takes over before the restart', async () => {
  const world = await adopted();
  world.putSource(source, { a: '2' });
  await world.pass(1.5 * second);
  world.patchTemplate('web', release);
  await world.pass(1.5 * second);
  world.putSource(source, { a: '1' });
  await world.pass(second);
  await world.restart();
  await world.pass(180 * second);
  assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 2 });
});

test('pods of which an optional source was gone when they were made are restarted when it is back', async () => {
  const world = await adopted(withEnv('settings', 'a', true));
  world.deleteSource(source);
  await world.pass(1.5 * second);
  world.patchTemplate('web', release);
  await world.pass(1.5 * second);
  world.putSource(source, { a: '1' });
  await world.pass(180 * second);
  assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 2 });
});

test('with evictions only the pods are replaced', async () => {
  const world = await adopted(withVolume, restartConfig({ rule: { strategy: 'evict' } }));
  await awayAndBack(world, ({ patchTemplate }) => patchTemplate('web', release));
  assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 1 });
  assert.equal(world.evicted.length, 1);
});

test('content that was there before is restarted for though its hash is still in the template', async () => {
  const world = await adopted();
  world.putSource(source, { a: '2' });
  await world.pass(180 * second);
  world.putSource(source, { a: '3' });
  await world.pass(2 * second);
  world.patchTemplate('web', release);
  await world.pass(180 * second);
  assert.equal(world.factsOf('workload.skipped').length, 1);
  world.putSource(source, { a: '2' });
  await world.pass(180 * second);
  assert.deepEqual(restartsOf(world), { restarts: 2, rollouts: 3 });
});

test('another weeder does not restart what a release has replaced since: when the source came back is known', async () => {
  const world = await adopted();
  await releasedThenAndAfter(world);
  await world.pass(second);
  await world.restart();
  await world.pass(180 * second);
  assert.deepEqual(restartsOf(world), { restarts: 0, rollouts: 2 });
});
