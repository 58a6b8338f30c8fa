import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '../src/json.ts';
import { configMap, observerWorld } from './support/observerWorld.ts';

const second = 1_000;

/** The application, applied and observed. */
async function observed(...names: string[]) {
  const world = await observerWorld();
  world.apply('web', { manifests: names.map((name) => configMap(name)) });
  await world.pass(2 * second);
  return world;
}

test('a drift is corrected at once, and told with what was wanted and found', async () => {
  const world = await observed('one');
  const before = world.clock.now();
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(1);
  assert.deepEqual(objectOf(world.object('ConfigMap/one'))['data'], { key: 'a' });
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'correct ConfigMap/one']);
  const [drifted] = world.factsOf('resource.drifted');
  assert.deepEqual(drifted?.drifts, [{ path: '.data.key', wanted: 'a', found: 'b', is: 'changed' }]);
  assert.ok((world.factsOf('resource.corrected')[0]?.took ?? 999) <= world.clock.now() - before);
  world.stop();
});
