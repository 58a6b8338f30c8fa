import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lateWorld, withVolumes } from '../../support/world/lateWorld.ts';
import { configMap } from '../../support/world/restartWorld.ts';

const second = 1_000;
const settings = configMap('settings');

test('a pod that has waited for long is evicted once when its source appears, and its replacement never', async () => {
  const world = await lateWorld();
  world.putWorkload('web', withVolumes([settings]));
  await world.pass(90 * second);
  assert.deepEqual(world.evicted, []);
  world.putSource(settings, { a: '1' });
  await world.pass(1_900);
  assert.deepEqual(world.evicted, []);
  await world.pass(200);
  console.log(
    JSON.stringify(world.events),
    JSON.stringify(world.podsOf('web')),
    world.control().counts(),
    world.listed,
  );
  assert.equal(world.evicted.length, 1);
  await world.pass(600 * second);
  assert.equal(world.evicted.length, 1);
  assert.equal(world.podsOf('web').length, 1);
  console.log(world.kubelet.started);
});
