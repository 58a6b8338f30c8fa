import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restartConfig, settings } from '../support/objects/restartSettings.ts';
import { configMap, restartWorld, withEnv } from '../support/world/restartWorld.ts';

const second = 1_000;
const source = configMap('settings');
const release = { metadata: { annotations: { release: '2' } } };

async function adopted() {
  const world = await restartWorld(restartConfig());
  world.putSource(source, { a: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * second);
  return world;
}

test('a release whose pods are created within the same second as the write is one rollout', async () => {
  const world = await adopted();
  world.rolloutTime = 100;
  world.putSource(source, { a: '2' });
  await world.pass(50);
  world.patchTemplate('web', release);
  await world.pass(180 * second);
  assert.equal(world.rollouts.length, 1);
  assert.equal(world.eventsOf('workload.skipped').length, 1);
});

for (const after of [300, 400, 600]) {
  test(`a release by PUT of the whole object ${after} ms after its source is one rollout`, async () => {
    const world = await adopted();
    // Pods of the release exist before the removed state is written again, and within a second of the source's write.
    world.rolloutTime = 20;
    world.answerTime = 100;
    world.putSource(source, { a: '2' });
    await world.pass(after);
    const annotations = { 'weeder.dev/dependencies': null };
    world.change('web', { metadata: { annotations }, spec: { template: release } });
    await world.pass(180 * second);
    assert.equal(world.rollouts.length, 1);
    assert.deepEqual(world.control.counts().states, { current: 1 });
  });
}

test('pods that exist when the change is seen are restarted, however new they are', async () => {
  const world = await adopted();
  world.rolloutTime = 100;
  world.patchTemplate('web', release);
  await world.pass(200);
  world.putSource(source, { a: '2' });
  await world.pass(180 * second);
  assert.equal(world.rollouts.length, 2);
});

test('a restart waits for a user’s rollout that takes longer than the quiet period, and this is reported', async () => {
  const world = await adopted();
  world.rolloutTime = 8 * settings.quietPeriod;
  world.putSource(source, { a: '2' });
  await world.pass(50);
  world.patchTemplate('web', release);
  await world.pass(4 * settings.quietPeriod);
  assert.deepEqual(
    world.eventsOf('workload.pending').map(({ cause }) => cause),
    ['rollout'],
  );
  await world.pass(180 * second);
  assert.equal(world.rollouts.length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('a restart does not wait for a stalled rollout of the user', async () => {
  const world = await adopted();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.patchTemplate('web', release);
  world.putSource(source, { a: '2' });
  await world.pass(settings.stallAfter - second);
  assert.equal(world.rollouts.length, 1);
  await world.pass(3 * settings.quietPeriod);
  assert.equal(world.rollouts.length, 2);
});

test('a restart does not wait for a user’s rollout whose newest pod cannot start, because the change may fix it', async () => {
  const world = await adopted();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.patchTemplate('web', release);
  world.breakPods('web');
  await world.pass(second);
  world.putSource(source, { a: '2' });
  await world.pass(2 * settings.quietPeriod);
  assert.equal(world.rollouts.length, 2);
});

test('a release that changes the template before the source, with pods created after it, is one rollout, also for a volume', async () => {
  const volume = { name: 'settings', configMap: { name: 'settings' } };
  const volumeMounts = [{ name: 'settings', mountPath: '/settings' }];
  const world = await adopted();
  world.putWorkload('files', { containers: [{ name: 'app', image: 'app:1', volumeMounts }], volumes: [volume] });
  await world.pass(10 * second);
  world.rolloutTime = 100;
  for (const name of ['web', 'files']) world.patchTemplate(name, release);
  await world.pass(50);
  world.putSource(source, { a: '2' });
  await world.pass(180 * second);
  assert.deepEqual(
    world.rollouts.map(({ workload }) => workload),
    ['web', 'files'],
  );
  assert.equal(world.eventsOf('workload.skipped').length, 2);
});
