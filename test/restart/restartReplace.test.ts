import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberOf, objectOf } from '../../src/base/json.ts';
import { restartConfig, settings } from '../support/objects/restartSettings.ts';
import { configMap, type RestartWorld, restartWorld, stateOn, withEnv } from '../support/world/restartWorld.ts';

const second = 1_000;
const minute = 60 * second;
const source = configMap('settings');
const replace = restartConfig({ rule: { immutableRecreated: 'replace' } });

async function adopted(config = replace, options: Parameters<typeof restartWorld>[1] = {}): Promise<RestartWorld> {
  const world = await restartWorld(config, options);
  world.putSource(source, { a: '1' }, { immutable: true });
  await world.pass(10 * second);
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * second);
  return world;
}

function makeAnew(world: RestartWorld): void {
  world.deleteSource(source);
  world.putSource(source, { a: '2' }, { immutable: true });
}

function replicasOf(world: RestartWorld): number | undefined {
  return numberOf(objectOf(world.workload('web')['spec'])['replicas']);
}

function emptiedOf(world: RestartWorld): unknown {
  return objectOf(objectOf(world.workload('web')['metadata'])['annotations'])['weeder.dev/emptied'];
}

/** The workload has its pods back, they are newer than the write, and the stored state says so. */
function assertReplaced(world: RestartWorld): void {
  assert.deepEqual([replicasOf(world), emptiedOf(world), world.pods('web').length], [1, undefined, 1]);
  assert.doesNotMatch(String(stateOn(world.workload('web'))), /"target":/);
  assert.deepEqual(world.control.counts().states, { current: 1 });
}

test('all pods end, their node rests for a moment, and then the workload gets as many back, once', async () => {
  const world = await adopted();
  makeAnew(world);
  await world.pass(settings.quietPeriod + second);
  assert.equal(replicasOf(world), 0);
  assert.match(String(emptiedOf(world)), /^uid-web\/1\/\S{8}\/\S{22}$/);
  await world.pass(2 * second);
  assert.deepEqual(world.pods('web'), []);
  const emptyAt = world.clock.monotonic();
  while (world.pods('web').length === 0) await world.pass(100);
  assert.ok(world.clock.monotonic() - emptyAt >= 2 * second + world.rolloutTime - 100);
  await world.pass(5 * minute);
  assertReplaced(world);
  assert.deepEqual(
    world.factsOf('workload.restarted').map(({ how, attempt }) => [how, attempt]),
    [['replace', 1]],
  );
  assert.equal(world.factsOf('workload.rolledOut').length, 1);
});

test('a change of a source that is not immutable is a rollout like any other', async () => {
  const world = await restartWorld(replace);
  world.putSource(source, { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * second);
  world.putSource(source, { a: '2' });
  await world.pass(minute);
  assert.deepEqual(
    world.factsOf('workload.restarted').map(({ how }) => how),
    ['rollout'],
  );
  assert.deepEqual(
    world.rollouts.map(({ workload }) => workload),
    ['web'],
  );
});

test('weeder ends at whatever moment: another one gives the pods back, and the restart is recorded', async () => {
  for (let after = 0; after < 25 * second; after += 500) {
    const world = await adopted();
    makeAnew(world);
    await world.pass(after);
    world.stop();
    await world.pass(3 * second);
    await world.restart();
    await world.pass(5 * minute);
    assertReplaced(world);
    assert.equal(world.factsOf('workload.restarted').length, 1);
  }
});

test('as long as pods of others refer to the source it is held, and asked again', async () => {
  const world = await adopted();
  const owner = { apiVersion: 'v1', kind: 'ReplicaSet', name: 'other', uid: 'u-other', controller: true };
  const metadata = { name: 'other-1', namespace: 'shop', uid: 'u', resourceVersion: '1', ownerReferences: [owner] };
  world.foreignPods = [{ metadata, status: { phase: 'Running' } }];
  makeAnew(world);
  await world.pass(2 * minute);
  assert.equal(replicasOf(world), 1);
  const held = world.factsOf('workload.blocked').filter(({ cause }) => cause === 'immutable');
  assert.match(held[0]?.reason ?? '', /pods that are not its own refer to it too: other-1/);
  world.foreignPods = [{ metadata, status: { phase: 'Succeeded' } }];
  await world.pass(2 * minute);
  assertReplaced(world);
});

test('a workload whose volumes would go with its pods is held', async () => {
  const world = await adopted();
  world.patchSpec('web', { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } });
  makeAnew(world);
  await world.pass(2 * minute);
  assert.equal(replicasOf(world), 1);
  assert.match(world.factsOf('workload.blocked').at(-1)?.reason ?? '', /volumes/);
});

test('without pods nothing is to be ended, and that is written down', async () => {
  const world = await adopted();
  world.patchSpec('web', { replicas: 0 });
  await world.pass(10 * second);
  makeAnew(world);
  await world.pass(minute);
  assert.deepEqual([replicasOf(world), emptiedOf(world)], [0, undefined]);
  assert.equal(world.factsOf('workload.skipped').length, 1);
});

test('who scales it while it is empty gets what he wants, and the restart is not taken for done', async () => {
  const world = await adopted();
  world.rolloutTime = 20 * second;
  makeAnew(world);
  await world.pass(settings.quietPeriod + 2 * second);
  assert.equal(replicasOf(world), 0);
  world.patchSpec('web', { replicas: 2 });
  await world.pass(30 * second);
  assert.deepEqual([replicasOf(world), emptiedOf(world)], [2, undefined]);
  assert.equal(world.factsOf('workload.rolledOut').length, 0);
  await world.pass(5 * minute);
  assert.equal(world.factsOf('workload.restarted').length, 2);
  assert.deepEqual([replicasOf(world), world.control.counts().states], [2, { current: 1 }]);
});

test('it gets its pods back even where it is no longer managed, or its source is missing', async () => {
  for (const what of ['opted out', 'no rule', 'source missing'] as const) {
    const world = await adopted();
    makeAnew(world);
    await world.pass(settings.quietPeriod + second);
    assert.equal(replicasOf(world), 0);
    if (what === 'opted out') world.annotate('web', { 'weeder.dev/restart-on-change': 'false' });
    else if (what === 'no rule') world.configure({ ...replace, rules: [] });
    else world.deleteSource(source);
    await world.pass(2 * minute);
    assert.deepEqual([replicasOf(world), emptiedOf(world)], [1, undefined], what);
    if (what !== 'source missing') assert.equal(stateOn(world.workload('web')), undefined, what);
  }
});

test('a state that is taken away while it is empty does not keep the pods away', async () => {
  const world = await adopted();
  makeAnew(world);
  await world.pass(settings.quietPeriod + second);
  world.stop();
  world.annotate('web', { 'weeder.dev/dependencies': null });
  await world.restart();
  await world.pass(minute);
  assertReplaced(world);
});

test('refused, the pods are given back as soon as it is allowed', async () => {
  const world = await adopted();
  makeAnew(world);
  await world.pass(settings.quietPeriod + second);
  world.refuseWrites = 'unavailable';
  await world.pass(5 * minute);
  assert.equal(replicasOf(world), 0);
  assert.ok(world.factsOf('workload.refused').length > 1);
  world.refuseWrites = undefined;
  await world.pass(3 * minute);
  assertReplaced(world);
});

test('pods that do not end are told, and the others come back when they have', async () => {
  const world = await adopted();
  world.rolloutTime = 3 * minute;
  makeAnew(world);
  await world.pass(2 * minute);
  assert.match(world.factsOf('workload.stalled')[0]?.reason ?? '', /^these pods do not end: web-/);
  await world.pass(10 * minute);
  assertReplaced(world);
});

test('a copy of an emptied workload is given nothing', async () => {
  const world = await adopted();
  world.putWorkload('copy', withEnv('settings', 'a'), { annotations: { 'weeder.dev/emptied': 'uid-web/3' } });
  await world.pass(minute);
  assert.equal(numberOf(objectOf(world.workload('copy')['spec'])['replicas']), 1);
  assert.deepEqual(world.control.counts().states, { current: 2 });
});

test('a dry run tells, and empties nothing', async () => {
  const world = await adopted(replace, { isDryRun: true });
  makeAnew(world);
  await world.pass(2 * minute);
  assert.deepEqual([replicasOf(world), emptiedOf(world)], [1, undefined]);
  assert.equal(world.factsOf('workload.restarted')[0]?.how, 'dryRun');
});
