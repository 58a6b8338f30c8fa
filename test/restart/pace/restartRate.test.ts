import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restartConfig } from '../../support/objects/restartSettings.ts';
import { configMap, type RestartWorld, restartWorld, withEnv } from '../../support/world/restartWorld.ts';

const second = 1_000;

/** Two workloads that may not be restarted within the same minute. */
async function twoWorkloads(options?: Parameters<typeof restartWorld>[1]): Promise<RestartWorld> {
  const world = await restartWorld(restartConfig({ maxRestartsPerMinute: 1, burst: 1 }), options);
  for (const name of ['one', 'two']) {
    world.putSource(configMap(name), { a: '1' });
    world.putWorkload(name, withEnv(name, 'a'));
  }
  await world.pass(60 * second);
  return world;
}

async function change(world: RestartWorld, name: string, wait: number): Promise<void> {
  world.putSource(configMap(name), { a: '2' });
  await world.pass(wait);
}

function restarted(world: RestartWorld): readonly string[] {
  return world.eventsOf('workload.restarted').map(({ workload }) => workload.name);
}

test('a restart takes a turn of the rate, also after its rollout is done', async () => {
  const world = await twoWorkloads();
  await change(world, 'one', 2 * second);
  await change(world, 'two', 20 * second);
  assert.deepEqual([restarted(world), world.control.counts().states], [['one'], { current: 1, waiting: 1 }]);
  await world.pass(60 * second);
  assert.deepEqual(restarted(world), ['one', 'two']);
});

test('a restart that turns out not to be needed takes no turn', async () => {
  const world = await twoWorkloads();
  world.rolloutTime = 100;
  await change(world, 'one', 50);
  world.patchTemplate('one', { metadata: { annotations: { release: '2' } } });
  await change(world, 'two', 20 * second);
  assert.deepEqual([world.eventsOf('workload.skipped').length, restarted(world)], [1, ['two']]);
});

test('a dry run takes no turn', async () => {
  const world = await twoWorkloads({ isDryRun: true });
  await change(world, 'one', 2 * second);
  await change(world, 'two', 20 * second);
  assert.deepEqual(restarted(world), ['one', 'two']);
});
