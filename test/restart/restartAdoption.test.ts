import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashKeyOf, hashKeysOf } from '../../src/restart/digest/hashKeys.ts';
import { restartConfig } from '../support/objects/restartSettings.ts';
import { configMap, namespace, restartWorld, stateOn, withEnv } from '../support/world/restartWorld.ts';

const second = 1_000;
const source = configMap('settings');
const foreign = { kind: 'ConfigMap', namespace: 'infra', name: 'ca' } as const;
const oneAMinute = restartConfig({ maxAdoptionsPerMinute: 1 });

/** One workload that is adopted at once, and another one that has to wait a minute for its slot. */
async function oneWaits() {
  const world = await restartWorld(oneAMinute);
  world.putSource(source, { a: '1' });
  world.putWorkload('first', { containers: [{ name: 'app', image: 'app:1' }] });
  await world.pass(10 * second);
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * second);
  assert.equal(stateOn(world.workload('web')), undefined);
  return world;
}

test('a change while a workload waits to be adopted is detected as a change', async () => {
  const world = await oneWaits();
  world.putSource(source, { a: '2' });
  await world.pass(10 * second);
  world.putSource(source, { a: '3' });
  await world.pass(180 * second);
  assert.deepEqual(
    world.rollouts.map(({ workload }) => workload),
    ['web'],
  );
  assert.deepEqual(world.control.counts().states, { current: 2 });
});

test('a change that is reverted while a workload waits to be adopted restarts nothing', async () => {
  const world = await oneWaits();
  world.putSource(source, { a: '2' });
  await world.pass(10 * second);
  world.putSource(source, { a: '1' });
  await world.pass(180 * second);
  assert.deepEqual([world.rollouts, world.control.counts().states], [[], { current: 2 }]);
});

test('a required source that is missing at first is adopted with the content with which it appears', async () => {
  const world = await restartWorld();
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(60 * second);
  assert.deepEqual(world.control.counts().states, { blocked: 1 });
  world.putSource(source, { a: '1' });
  await world.pass(60 * second);
  assert.deepEqual([world.rollouts, world.control.counts().states], [[], { current: 1 }]);
});

test('a source of another namespace counts while it allows the reference', async () => {
  const world = await restartWorld();
  const allowReferencesFrom = (namespaces: string) => ({
    metadata: { annotations: { 'weeder.dev/allow-references-from': namespaces } },
  });
  const put = async (value: string, namespaces: string) => {
    world.putSource(foreign, { a: value }, allowReferencesFrom(namespaces));
    await world.pass(90 * second);
  };
  world.putSource(foreign, { a: '1' });
  const annotations = { 'weeder.dev/also-depends-on': 'configmap/infra/ca' };
  world.putWorkload('web', { containers: [{ name: 'app', image: 'app:1' }] }, { annotations });
  await world.pass(60 * second);
  assert.equal(world.eventsOf('dependency.notAllowed').length, 1);
  await put('2', '');
  await put('3', namespace);
  assert.equal(world.rollouts.length, 0, 'adopted with the content at the time of the permission');
  await put('4', namespace);
  assert.equal(world.rollouts.length, 1);
  await put('5', 'elsewhere');
  await put('6', '');
  assert.equal(world.rollouts.length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('a source of an unwatched namespace is reported, and does not count as missing', async () => {
  const world = await restartWorld(restartConfig(), { namespaces: [namespace] });
  const annotations = { 'weeder.dev/also-depends-on': 'configmap/infra/ca' };
  world.putWorkload('web', { containers: [{ name: 'app', image: 'app:1' }] }, { annotations });
  await world.pass(60 * second);
  assert.match(world.eventsOf('annotation.unreadable')[0]?.reason ?? '', /does not watch the namespace infra/);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('a Secret that no stream delivers is requested from the API server, and is missing only if it does not exist there', async () => {
  const world = await restartWorld();
  const secretKeyRef = { name: 'token', key: 'token' };
  const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef } }];
  world.putSource({ kind: 'Secret', namespace, name: 'token' }, { token: 'x' });
  world.putWorkload('web', { containers: [{ name: 'app', image: 'app:1', env }] });
  await world.pass(60 * second);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  const other = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { ...secretKeyRef, name: 'none' } } }];
  world.putWorkload('api', { containers: [{ name: 'app', image: 'app:1', env: other }] });
  await world.pass(60 * second);
  assert.deepEqual(world.control.counts().states, { current: 1, blocked: 1 });
});

test('under a new key, with the old one still present, all states are rewritten; restarts and changes are not lost', async () => {
  const world = await restartWorld();
  world.putSource(source, { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(60 * second);
  world.putSource(source, { a: '2' });
  await world.pass(20 * second);
  const [before, current] = [hashKeyOf(Buffer.alloc(32, 7)), hashKeyOf(Buffer.alloc(32, 8))];
  world.control.useKeys(hashKeysOf(current, [before, current]));
  await world.pass(5 * second);
  assert.ok(stateOn(world.workload('web'))?.includes(current.id));
  world.putSource(source, { a: '3' });
  await world.pass(20 * second);
  assert.equal(world.eventsOf('workload.pending').at(-1)?.cause, 'interval');
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 2);
});

test('the key is lost during a rollout: the rollout continues, and nothing restarts again', async () => {
  const world = await restartWorld();
  world.rolloutTime = 30 * second;
  world.putSource(source, { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(60 * second);
  world.putSource(source, { a: '2' });
  await world.pass(20 * second);
  const current = hashKeyOf(Buffer.alloc(32, 8));
  world.control.useKeys(hashKeysOf(current, [current]));
  await world.pass(180 * second);
  assert.deepEqual([world.rollouts.length, world.control.counts().states], [1, { current: 1 }]);
  assert.ok(stateOn(world.workload('web'))?.includes(current.id));
});

test('a workload that a new config does not manage loses its state, and is adopted when it is managed again', async () => {
  const world = await restartWorld();
  world.putSource(source, { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(60 * second);
  world.control.configure(restartConfig({ rules: [] }));
  await world.pass(10 * second);
  assert.deepEqual([stateOn(world.workload('web')), world.control.counts().workloads], [undefined, 0]);
  assert.equal(world.eventsOf('workload.released').length, 1);
  world.putSource(source, { a: '2' });
  await world.pass(60 * second);
  world.control.configure(restartConfig());
  await world.pass(60 * second);
  assert.ok(stateOn(world.workload('web')));
  assert.deepEqual([world.rollouts, world.control.counts().states], [[], { current: 1 }]);
});

test('a dry run leaves existing states, and reports no workload that is not managed', async () => {
  const world = await restartWorld(restartConfig({ rules: [] }), { isDryRun: true });
  world.putWorkload('web', withEnv('settings', 'a'), { annotations: { 'weeder.dev/dependencies': 'theirs' } });
  await world.pass(60 * second);
  assert.deepEqual(
    [world.events.filter(({ type }) => type === 'workload.released'), world.control.counts().workloads],
    [[], 0],
  );
  assert.equal(stateOn(world.workload('web')), 'theirs');
});
