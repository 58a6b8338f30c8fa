import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restartConfig } from '../../support/objects/restartSettings.ts';
import { configMap, type RestartWorld, restartWorld, stateOn, withEnv } from '../../support/world/restartWorld.ts';

const second = 1_000;
const source = configMap('settings');
const stateAnnotation = 'weeder.dev/dependencies';

async function adopted(config = restartConfig()): Promise<RestartWorld> {
  const world = await restartWorld(config);
  world.putSource(source, { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(60 * second);
  return world;
}

/** Another client writes the whole object, without the annotation. */
function removeState(world: RestartWorld): void {
  world.annotate('web', { [stateAnnotation]: null });
}

test('a removed state is written again, and nothing restarts', async () => {
  const world = await adopted();
  const before = stateOn(world.workload('web'));
  removeState(world);
  await world.pass(120 * second);
  assert.equal(stateOn(world.workload('web')), before);
  assert.deepEqual([world.rollouts, world.control.counts().states], [[], { current: 1 }]);
});

for (const [what, said] of [
  ['removed', null],
  ['damaged', 'no state'],
] as const) {
  test(`a state that is ${what} while a change is pending: the change is still one rollout`, async () => {
    const world = await adopted();
    world.putSource(source, { a: '2' });
    await world.pass(second);
    world.annotate('web', { [stateAnnotation]: said });
    await world.pass(120 * second);
    assert.deepEqual([world.rollouts.length, world.control.counts().states], [1, { current: 1 }]);
  });
}

test('a change at the same moment as the removal of the state is detected', async () => {
  const world = await adopted();
  world.putSource(source, { a: '2' });
  removeState(world);
  await world.pass(120 * second);
  assert.deepEqual([world.rollouts.length, world.control.counts().states], [1, { current: 1 }]);
});

test('a state that is removed while a source is missing is not lost', async () => {
  const world = await adopted();
  world.deleteSource(source);
  await world.pass(10 * second);
  removeState(world);
  await world.pass(10 * second);
  world.putSource(source, { a: '2' });
  await world.pass(120 * second);
  assert.equal(world.rollouts.length, 1);
});

test('removing the state does not reset the number of restarts', async () => {
  const world = await adopted(restartConfig({ rule: { minInterval: 0 } }));
  for (let value = 2; value < 20; value += 1) {
    world.putSource(source, { a: String(value) });
    await world.pass(20 * second);
    removeState(world);
    await world.pass(10 * second);
  }
  assert.equal(world.rollouts.length, 5);
  assert.equal(world.eventsOf('workload.blocked').at(-1)?.cause, 'breaker');
});

test('a recreated workload of the same name is adopted, and so is one that was not managed in the meantime', async () => {
  const world = await adopted();
  world.putSource(source, { a: '2' });
  await world.pass(second);
  world.deleteWorkload('web');
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(60 * second);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  world.putSource(source, { a: '3' });
  await world.pass(second);
  world.annotate('web', { 'weeder.dev/restart-on-change': 'false' });
  await world.pass(60 * second);
  assert.equal(stateOn(world.workload('web')), undefined);
  world.annotate('web', { 'weeder.dev/restart-on-change': 'true' });
  await world.pass(60 * second);
  assert.deepEqual([world.rollouts, world.control.counts().states], [[], { current: 1 }]);
});

/** Another client writes the whole object repeatedly for this time. */
async function removeRepeatedly(world: RestartWorld, duration: number): Promise<number> {
  let writes = 0;
  const end = world.clock.monotonic() + duration;
  while (world.clock.monotonic() < end) {
    if (stateOn(world.workload('web')) !== undefined) {
      writes += 1;
      removeState(world);
    }
    await world.pass(200);
  }
  return writes;
}

test('a state that an operator removes repeatedly is written after growing pauses, which is reported once', async () => {
  const world = await adopted();
  const adoptions = world.eventsOf('workload.adopted').length;
  // The first state, three immediate rewrites, and those after 10, 20, 40, 80 and 160 s.
  assert.equal(await removeRepeatedly(world, 600 * second), 9);
  assert.equal(world.eventsOf('state.contested').length, 1);
  assert.equal(world.eventsOf('workload.adopted').length - adoptions, 8);
  assert.deepEqual([world.rollouts, world.control.counts().states], [[], { current: 1 }]);
});

test('slow rollouts do not make the removals of an operator look like new ones: they are reported once', async () => {
  const world = await adopted(restartConfig({ rule: { minInterval: 0 } }));
  world.rolloutTime = 150 * second;
  await removeRepeatedly(world, 60 * second);
  for (const value of ['2', '3', '4']) {
    world.putSource(source, { a: value });
    await removeRepeatedly(world, 300 * second);
  }
  assert.equal(world.rollouts.length, 3);
  assert.equal(world.eventsOf('state.contested').length, 1);
});

test('a change restarts a workload whose state is only in memory, and another weeder restarts nothing', async () => {
  const world = await adopted();
  await removeRepeatedly(world, 60 * second);
  world.putSource(source, { a: '2' });
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 1);
  removeState(world);
  await removeRepeatedly(world, 60 * second);
  await world.restart();
  await removeRepeatedly(world, 60 * second);
  assert.deepEqual([world.rollouts.length, world.control.counts().states], [1, { current: 1 }]);
});

test('a state that is removed only occasionally is written again immediately each time', async () => {
  const world = await adopted();
  for (let time = 0; time < 8; time += 1) {
    removeState(world);
    await world.pass(second);
    assert.notEqual(stateOn(world.workload('web')), undefined);
    await world.pass(120 * second);
  }
  assert.deepEqual(world.eventsOf('state.contested'), []);
});
