import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settings } from '../../support/objects/restartSettings.ts';
import { configMap, type RestartWorld, restartWorld, stateOn } from '../../support/world/restartWorld.ts';

const second = 1_000;
/** The names are so long that the state of these sources has one tag for all of them. */
const names = Array.from({ length: 300 }, (_, index) => `${'settings-'.repeat(22)}${index}`);
const [immutable = '', other = ''] = names;

async function deployed(): Promise<RestartWorld> {
  const world = await restartWorld();
  for (const name of names) world.putSource(configMap(name), { a: '1' }, { immutable: name === immutable });
  await world.pass(10 * second);
  const envFrom = names.map((name) => ({ configMapRef: { name } }));
  world.putWorkload('web', { containers: [{ name: 'app', image: 'app:1', envFrom }] });
  await world.pass(10 * second);
  assert.match(stateOn(world.workload('web')) ?? '', /"rolledOut":\{"\*"/);
  return world;
}

test('among very many sources, a recreated immutable one is detected and blocks the restart', async () => {
  const world = await deployed();
  world.deleteSource(configMap(immutable));
  await world.pass(second);
  world.putSource(configMap(immutable), { a: '2' }, { immutable: true });
  await world.pass(4 * settings.quietPeriod);
  assert.equal(world.rollouts.length, 0);
  const [blocked] = world.eventsOf('workload.blocked').slice(-1);
  assert.equal(blocked?.cause, 'immutable');
  assert.ok(blocked.reason.startsWith(`ConfigMap shop/${immutable} is immutable and was recreated`));
});

test('among very many sources, a change of one that is not immutable restarts the workload', async () => {
  const world = await deployed();
  world.putSource(configMap(other), { a: '2' });
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});
