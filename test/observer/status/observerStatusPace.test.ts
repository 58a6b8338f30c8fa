import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { configMap, type ObserverWorld, observerWorld } from '../../support/world/observerWorld.ts';

const second = 1_000;

/** So many applications of one ConfigMap each, applied and observed. */
async function observed(applications: number, spec: object = {}): Promise<ObserverWorld> {
  const world = await observerWorld({ limits: { applicationsPerNamespace: 1_000 } });
  for (const name of names(applications)) world.apply(name, { manifests: [configMap(name)], ...spec });
  for (let passed = 0; passed < 10; passed += 1) await world.pass(second);
  world.statuses.length = 0;
  return world;
}

function names(applications: number): readonly string[] {
  return Array.from({ length: applications }, (_, index) => `app-${index}`);
}

function editAll(world: ObserverWorld, applications: number): void {
  for (const name of names(applications)) world.edit(`ConfigMap/${name}`, { data: { key: 'b' } });
}

/** The states of the resources in a status. */
function saidBy(status: object): readonly (string | undefined)[] {
  return arrayOf(objectOf(status)['resources']).map((row) => textOf(objectOf(row)['state']));
}

test('a drift that is corrected within a second is not in a status, a lasting one is', async () => {
  const world = await observed(1);
  world.requestTime = 900;
  editAll(world, 1);
  await world.pass(10 * second);
  assert.equal(world.eventsOf('resource.corrected').length, 1);
  assert.deepEqual(world.statuses, []);
  world.stop();

  const detecting = await observed(1);
  detecting.apply('app-0', { manifests: [configMap('app-0')], mode: 'detect' });
  await detecting.pass(5 * second);
  detecting.statuses.length = 0;
  editAll(detecting, 1);
  await detecting.pass(900);
  assert.deepEqual(detecting.statuses, []);
  await detecting.pass(200);
  assert.deepEqual(detecting.statuses.map(saidBy), [['Drifted']]);
  detecting.stop();
});

test('while corrections are queued no status is written, for at most thirty seconds', async () => {
  const world = await observed(160);
  world.requestTime = 448;
  editAll(world, 160);
  // Sixteen at a time: four and a half seconds for all of them. None is in flight when statuses are due.
  await world.pass(6 * second);
  assert.equal(world.eventsOf('resource.corrected').length, 160);
  assert.deepEqual(world.statuses, []);
  world.stop();

  const slow = await observed(200);
  slow.requestTime = 2.9 * second;
  editAll(slow, 200);
  await slow.pass(29 * second);
  assert.deepEqual(slow.statuses, []);
  await slow.pass(3 * second);
  assert.ok(slow.statuses.length >= 15, `${slow.statuses.length} were written`);
  assert.ok(slow.statuses.every((status) => saidBy(status).includes('Drifted')));
  slow.stop();
});

test('an invalid application is reported within a second, an applied one within five, whatever else is queued', async () => {
  const world = await observed(160);
  world.requestTime = 2.5 * second;
  editAll(world, 160);
  world.apply('late', { manifests: [configMap('late')], mode: 'detect' });
  world.apply('broken', { manifests: [configMap('one'), configMap('one')] });
  await world.pass(1.5 * second);
  assert.equal(world.statuses.length, 1);
  assert.ok(world.condition('broken', 'Invalid') !== undefined);
  await world.pass(3 * second);
  assert.equal(world.statuses.length, 1);
  await world.pass(2 * second);
  assert.ok(world.statuses.length > 1);
  assert.ok(world.condition('late', 'InSync') !== undefined);
  assert.ok(world.eventsOf('resource.corrected').length < 160);
  world.stop();
});

test('at most four statuses are written at a time, and eventually all', async () => {
  const world = await observed(0);
  world.slow.set('status', 100);
  for (const name of names(40)) world.apply(name, { manifests: [configMap(name)], mode: 'detect' });
  await world.pass(10 * second);
  assert.equal(world.maxStatusesInFlight, 4);
  assert.ok(names(40).every((name) => world.condition(name, 'InSync') !== undefined));
  world.stop();
});

test('one application has one status write at a time, and what changes meanwhile is in the next one', async () => {
  const world = await observed(1);
  world.apply('app-0', { manifests: [configMap('app-0')], mode: 'detect' });
  await world.pass(10 * second);
  world.statuses.length = 0;
  world.maxStatusesInFlight = 0;
  world.slow.set('status', 5 * second);
  for (const key of ['b', 'a', 'c']) {
    world.edit('ConfigMap/app-0', { data: { key } });
    await world.pass(2 * second);
  }
  await world.pass(10 * second);
  assert.deepEqual([world.maxStatusesInFlight, world.statuses.length], [1, 2]);
  assert.deepEqual(world.statuses.map(saidBy), [['Drifted'], ['Drifted']]);
  world.stop();
});
