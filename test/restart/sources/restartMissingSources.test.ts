import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { configMap, type RestartWorld, restartWorld, withEnv } from '../../support/world/restartWorld.ts';

const second = 1_000;
const minute = 60 * second;
const [settings, other] = [configMap('settings'), configMap('other')];

async function adopted(): Promise<RestartWorld> {
  const world = await restartWorld();
  for (const source of [settings, other]) world.putSource(source, { a: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', {
    containers: [settings, other].flatMap(({ name }) =>
      arrayOf(withEnv(name, 'a')['containers']).map((each) => ({ ...objectOf(each), name })),
    ),
  });
  await world.pass(10 * second);
  return world;
}

/** The source is deleted, and created again with equal content after this time. */
async function recreate(world: RestartWorld, after: number): Promise<void> {
  world.deleteSource(settings);
  await world.pass(after);
  world.putSource(settings, { a: '1' });
  await world.pass(1);
}

const blocked = (world: RestartWorld) => world.eventsOf('workload.blocked').map(({ cause, reason }) => [cause, reason]);
const missing = ['sourceMissing', 'ConfigMap shop/settings is missing'];

test('a source that is recreated within a second is not reported, however often', async () => {
  const world = await adopted();
  for (let time = 0; time < 20; time += 1) {
    await recreate(world, 10);
    await world.pass(100);
  }
  await world.pass(minute);
  assert.deepEqual([blocked(world), world.control.counts().states], [[], { current: 1 }]);
});

test('a source that is missing for a second is reported then, and not before', async () => {
  const world = await adopted();
  world.deleteSource(settings);
  await world.pass(990);
  assert.deepEqual([blocked(world), world.control.counts().states], [[], { missing: 1 }]);
  await world.pass(20);
  assert.deepEqual(blocked(world), [missing]);
  await world.pass(30 * minute);
  assert.deepEqual(blocked(world), [missing]);
});

test('frequent changes of another source do not delay the report', async () => {
  const world = await adopted();
  world.deleteSource(settings);
  for (let time = 0; time < 6; time += 1) {
    world.putSource(other, { a: `${time + 2}` });
    await world.pass(200);
  }
  assert.deepEqual(blocked(world), [missing]);
});

test('a source that is missing again and again is reported once, and again when it was there for ten minutes', async () => {
  const world = await adopted();
  for (let time = 0; time < 5; time += 1) {
    await recreate(world, 3 * second);
    await world.pass(5 * minute);
  }
  assert.deepEqual(blocked(world), [missing]);
  await world.pass(6 * minute);
  await recreate(world, 3 * second);
  assert.deepEqual(blocked(world), [missing, missing]);
});

test('another missing source is another cause', async () => {
  const world = await adopted();
  await recreate(world, 3 * second);
  world.deleteSource(other);
  await world.pass(2 * second);
  assert.deepEqual(blocked(world), [missing, ['sourceMissing', 'ConfigMap shop/other is missing']]);
});
