import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, type ObserverWorld, observerWorld } from '../support/world/observerWorld.ts';

const dataOf = (world: ObserverWorld) => world.object('ConfigMap/settings')?.['data'];

/** An application in sync, and the backup of that state. Afterwards weeder writes and sees many later versions. */
async function writtenSince() {
  const world = await observerWorld();
  const apply = (value: string) => world.apply('web', { manifests: [configMap('settings', value)] });
  apply('first');
  await world.pass(10_000);
  const restore = world.backUp();
  for (const value of ['b', 'c', 'd', 'second']) {
    apply(value);
    await world.pass(10_000);
  }
  assert.deepEqual(dataOf(world), configMap('settings', 'second')['data']);
  return { world, apply, restore };
}

test('after a restore the earlier manifest counts, and drift in versions below the last write is corrected', async () => {
  const { world, restore } = await writtenSince();
  restore();
  await world.pass(10_000);
  assert.deepEqual(dataOf(world), configMap('settings', 'first')['data']);
  assert.equal(world.condition('web', 'InSync'), 'True');
  world.edit('ConfigMap/settings', { data: configMap('settings', 'theirs')['data'] ?? {} });
  await world.pass(2_000);
  assert.deepEqual(dataOf(world), configMap('settings', 'first')['data']);
});

test('after a restore an object that is gone is created again', async () => {
  const { world, restore } = await writtenSince();
  restore(() => world.remove('ConfigMap/settings'));
  await world.pass(10_000);
  assert.deepEqual(dataOf(world), configMap('settings', 'first')['data']);
});

test('a generation of after a restore is not taken for the one of the same number before', async () => {
  const { world, apply, restore } = await writtenSince();
  restore(() => {
    for (const value of ['x', 'y', 'z', 'third']) apply(value);
  });
  await world.pass(10_000);
  assert.deepEqual(dataOf(world), configMap('settings', 'third')['data']);
  assert.equal(world.condition('web', 'InSync'), 'True');
});
