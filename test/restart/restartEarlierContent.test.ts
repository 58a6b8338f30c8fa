import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
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

/** The source has other content for three seconds; `during` runs in the middle of that time. */
async function changeAndRevert(world: RestartWorld, during: (world: RestartWorld) => void): Promise<void> {
  world.putSource(source, { a: '2' });
  await world.pass(1.5 * second);
  during(world);
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
  return { restarts: world.eventsOf('workload.restarted').length, rollouts: world.rollouts.length };
}

for (const [what, spec] of Object.entries({ variable: withEnv('settings', 'a'), volume: withVolume })) {
  test(`pods that a release created while a source had other content are restarted once: ${what}`, async () => {
    const world = await adopted(spec);
    await changeAndRevert(world, ({ patchTemplate }) => patchTemplate('web', release));
    assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 2 });
    await world.restart();
    await world.pass(180 * second);
    assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 2 });
  });

  test(`a pod that was added by scaling while a source had other content is restarted once: ${what}`, async () => {
    const world = await adopted(spec);
    await changeAndRevert(world, ({ change }) => change('web', { spec: { replicas: 2 } }));
    assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 1 });
  });

  test(`a container that restarted while a source had other content is restarted once: ${what}`, async () => {
    const world = await adopted(spec);
    await changeAndRevert(world, ({ crash }) => crash('web'));
    assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 1 });
  });

  test(`a source whose content changes and changes back restarts nothing if no pod started in between: ${what}`, async () => {
    const world = await adopted(spec);
    await changeAndRevert(world, () => {});
    await changeAndRevert(world, () => {});
    assert.deepEqual(restartsOf(world), { restarts: 0, rollouts: 0 });
    assert.equal(world.eventsOf('workload.adopted').length, 1);
  });

  test(`pods created before a source changed, or after it changed back, are not restarted: ${what}`, async () => {
    const world = await adopted(spec);
    world.patchTemplate('web', release);
    await world.pass(5 * second);
    await changeAndRevert(world, () => {});
    world.patchTemplate('web', { metadata: { annotations: { release: '3' } } });
    world.crash('web');
    await world.pass(180 * second);
    assert.deepEqual(restartsOf(world), { restarts: 0, rollouts: 2 });
  });
}

test('pods that a release replaces after the source changed back need no restart', async () => {
  const world = await adopted();
  await releasedThenAndAfter(world);
  await world.pass(180 * second);
  assert.deepEqual(restartsOf(world), { restarts: 0, rollouts: 2 });
  assert.equal(world.eventsOf('workload.skipped').length, 1);
});

test('intermediate content of a source during a rollout causes a restart', async () => {
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

test('a source that changes and changes back during a rollout, before its pods are created, restarts nothing', async () => {
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

test('uncertain content of pods is not forgotten when another weeder takes over before the restart', async () => {
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

test('pods that were created while an optional source was absent are restarted when it is back', async () => {
  const world = await adopted(withEnv('settings', 'a', true));
  world.deleteSource(source);
  await world.pass(1.5 * second);
  world.patchTemplate('web', release);
  await world.pass(1.5 * second);
  world.putSource(source, { a: '1' });
  await world.pass(180 * second);
  assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 2 });
});

test('with strategy evict only the pods are replaced', async () => {
  const world = await adopted(withVolume, restartConfig({ rule: { strategy: 'evict' } }));
  await changeAndRevert(world, ({ patchTemplate }) => patchTemplate('web', release));
  assert.deepEqual(restartsOf(world), { restarts: 1, rollouts: 1 });
  assert.equal(world.evicted.length, 1);
});

test('a return to earlier content causes a restart, although its hash is still in the template', async () => {
  const world = await adopted();
  world.putSource(source, { a: '2' });
  await world.pass(180 * second);
  world.putSource(source, { a: '3' });
  await world.pass(2 * second);
  world.patchTemplate('web', release);
  await world.pass(180 * second);
  assert.equal(world.eventsOf('workload.skipped').length, 1);
  world.putSource(source, { a: '2' });
  await world.pass(180 * second);
  assert.deepEqual(restartsOf(world), { restarts: 2, rollouts: 3 });
});

test('another weeder does not restart pods that a release has replaced since the source changed back', async () => {
  const world = await adopted();
  await releasedThenAndAfter(world);
  await world.pass(second);
  await world.restart();
  await world.pass(180 * second);
  assert.deepEqual(restartsOf(world), { restarts: 0, rollouts: 2 });
});
