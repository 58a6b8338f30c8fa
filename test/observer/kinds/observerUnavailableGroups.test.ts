import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { deployment, type ObserverWorld, observerWorld, refusal } from '../../support/world/observerWorld.ts';

const second = 1_000;
const widgets = { group: 'example.org', version: 'v1', kind: 'Widget', plural: 'widgets', isNamespaced: true };
const away = refusal('transient', 'The API group is away.');

const settings = (a: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a } });
const widget = { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'one' }, spec: { size: 1 } };
const globe = { apiVersion: 'example.org/v1', kind: 'Globe', metadata: { name: 'world' }, spec: { size: 1 } };

/** A world with a kind of an aggregated API server. */
async function worldOf(): Promise<ObserverWorld> {
  const world = await observerWorld({ trialPeriod: 0 });
  world.serve(widgets);
  return world;
}

function goAway(world: ObserverWorld): void {
  world.unavailable.add(widgets.group);
}

function comeBack(world: ObserverWorld): void {
  world.unavailable.clear();
}

const dataOf = (world: ObserverWorld) => world.object('ConfigMap/settings')?.['data'];

function conditionOf(world: ObserverWorld, type: string): JsonObject {
  const { conditions } = objectOf(world.application('web')?.['status']);
  return (
    arrayOf(conditions)
      .map(objectOf)
      .find((each) => each['type'] === type) ?? assert.fail(type)
  );
}

/** Asserts that everything except the widget is managed, and that the status reports the widget and the reason. */
async function assertOthersGoOn(world: ObserverWorld, data: JsonObject): Promise<void> {
  assert.deepEqual(dataOf(world), data);
  world.edit('ConfigMap/settings', { data: { a: 'theirs' } });
  await world.pass(2 * second);
  assert.deepEqual(dataOf(world), data);
  assert.equal(conditionOf(world, 'Degraded')['status'], 'True');
  assert.equal(conditionOf(world, 'Degraded')['reason'], 'Retrying');
  assert.match(
    textOf(conditionOf(world, 'Degraded')['message']) ?? '',
    /Widget\.example\.org shop\/one \(The API server .*(what it serves of example\.org\/v1: its APIService is not available|The API group is away)\)/,
  );
  assert.notEqual(conditionOf(world, 'Applied')['status'], 'True');
}

test('at the first apply, an unavailable API group delays only the resources of its kinds', async () => {
  const world = await worldOf();
  goAway(world);
  world.apply('web', { manifests: [widget, settings('1')] });
  await world.pass(5 * second);
  await assertOthersGoOn(world, { a: '1' });
  comeBack(world);
  await world.pass(60 * second);
  assert.ok(world.object('Widget/one'));
  assert.equal(world.condition('web', 'InSync'), 'True');
  assert.equal(world.condition('web', 'Degraded'), 'False');
});

test('an update is applied to all resources except those of an unavailable API group', async () => {
  const world = await worldOf();
  world.apply('web', { manifests: [widget, settings('1')] });
  await world.pass(5 * second);
  goAway(world);
  world.apply('web', { manifests: [{ ...widget, spec: { size: 2 } }, settings('2')] });
  await world.pass(5 * second);
  await assertOthersGoOn(world, { a: '2' });
});

test('after a restart of weeder, all resources except those of an unavailable API group are managed', async () => {
  const world = await worldOf();
  world.apply('web', { manifests: [widget, settings('1')] });
  await world.pass(5 * second);
  goAway(world);
  await world.restart();
  await world.pass(5 * second);
  await assertOthersGoOn(world, { a: '1' });
  comeBack(world);
  await world.pass(60 * second);
  assert.equal(world.condition('web', 'InSync'), 'True');
  assert.deepEqual(
    world.writes().filter((each) => each.startsWith('delete')),
    [],
  );
});

test('a cluster-scoped resource whose API group is unavailable at a restart is not pruned', async () => {
  const world = await worldOf();
  world.apply('web', { manifests: [globe, settings('1')] });
  await world.pass(5 * second);
  const uid = objectOf(world.object('Globe/world')?.['metadata'])['uid'];
  assert.ok(uid);
  // Planning fails, and pruning would succeed.
  goAway(world);
  await world.restart();
  comeBack(world);
  await world.pass(120 * second);
  assert.equal(objectOf(world.object('Globe/world')?.['metadata'])['uid'], uid);
  assert.deepEqual(
    world.writes().filter((each) => each.startsWith('delete')),
    [],
  );
  assert.equal(world.condition('web', 'InSync'), 'True');
});

for (const what of ['/apis', '/openapi/v3/apis/example.org/v1'])
  test(`a very slow response to “${what}” delays only the resources of that kind`, async () => {
    const world = await worldOf();
    world.slow.set(what, 30 * second);
    world.refusals.set(what, away);
    world.apply('web', { manifests: [widget, settings('1')] });
    await world.pass(5 * second);
    assert.deepEqual(dataOf(world), { a: '1' });
    assert.equal(conditionOf(world, 'Degraded')['status'], 'True');
    assert.match(
      textOf(conditionOf(world, 'Degraded')['message']) ?? '',
      /Widget\.example\.org shop\/one \(The API server does not say/,
    );
    world.edit('ConfigMap/settings', { data: { a: 'theirs' } });
    await world.pass(2 * second);
    assert.deepEqual(dataOf(world), { a: '1' });
    world.slow.clear();
    world.refusals.clear();
    await world.pass(120 * second);
    assert.ok(world.object('Widget/one'));
    assert.equal(world.condition('web', 'InSync'), 'True');
  });

test('a very slow write delays no other resource, is waited for before the next one, and is reported', async () => {
  const world = await worldOf();
  const others = Array.from({ length: 30 }, (_, index) => ({ ...settings('1'), metadata: { name: `other-${index}` } }));
  const many = Array.from({ length: 12 }, (_, index) => ({ ...widget, metadata: { name: `slow-${index}` } }));
  for (const { metadata } of many) world.slow.set(`create Widget/${metadata.name}`, 60 * second);
  world.apply('web', { manifests: [...many, ...others] });
  await world.pass(8 * second);
  assert.ok(others.every(({ metadata: { name } }) => world.object(`ConfigMap/${name}`) !== undefined));
  world.edit('ConfigMap/other-29', { data: { a: 'theirs' } });
  await world.pass(2 * second);
  assert.deepEqual(world.object('ConfigMap/other-29')?.['data'], { a: '1' });
  assert.equal(conditionOf(world, 'Degraded')['status'], 'True');
  world.slow.clear();
  await world.pass(300 * second);
  assert.equal(world.condition('web', 'InSync'), 'True');
  assert.equal(world.writes().filter((each) => each === 'create Widget/slow-0').length, 1);
});

test('slow resources of one application do not delay another application', async () => {
  const world = await worldOf();
  const many = Array.from({ length: 40 }, (_, index) => ({ ...widget, metadata: { name: `slow-${index}` } }));
  for (const { metadata } of many) world.slow.set(`create Widget/${metadata.name}`, 60 * second);
  world.apply('hostile', { manifests: many });
  await world.pass(5 * second);
  const others = Array.from({ length: 100 }, (_, index) => ({
    ...settings('1'),
    metadata: { name: `other-${index}` },
  }));
  world.apply('web', { manifests: others });
  await world.pass(1 * second);
  assert.ok(others.every(({ metadata: { name } }) => world.object(`ConfigMap/${name}`) !== undefined));
});

test('an update follows a slow write, and applies the newest manifest', async () => {
  const world = await worldOf();
  world.slow.set('create Widget/one', 20 * second);
  world.apply('web', { manifests: [widget, settings('1')] });
  await world.pass(1 * second);
  world.apply('web', { manifests: [settings('2')] });
  await world.pass(60 * second);
  assert.deepEqual(dataOf(world), { a: '2' });
  assert.equal(world.object('Widget/one'), undefined);
});

test('a restored API group is found within a minute after any downtime, and causes few requests until then', async () => {
  const world = await worldOf();
  goAway(world);
  world.apply('web', { manifests: [widget, settings('1')] });
  await world.pass(3_600 * second);
  assert.ok(
    world.eventsOf('resource.failed').length <= 3,
    `${world.eventsOf('resource.failed').length} failures reported`,
  );
  assert.equal(conditionOf(world, 'Degraded')['reason'], 'Retrying');
  comeBack(world);
  await world.pass(61 * second);
  assert.ok(world.object('Widget/one'));
  assert.equal(world.condition('web', 'InSync'), 'True');
});

test('a very slow deletion delays no other one of its stage, is requested once, and ends the application', async () => {
  const world = await worldOf();
  const many = Array.from({ length: 12 }, (_, index) => deployment(`slow-${index}`));
  const others = Array.from({ length: 20 }, (_, index) => ({ ...settings('1'), metadata: { name: `other-${index}` } }));
  world.apply('web', { manifests: [...others, ...many] });
  await world.pass(10 * second);
  for (const index of many.keys()) world.slow.set(`delete Deployment/slow-${index}`, 9 * second);
  world.deleteApplication('web');
  await world.pass(8 * second);
  assert.ok(others.every(({ metadata: { name } }) => world.object(`ConfigMap/${name}`) === undefined));
  assert.equal(conditionOf(world, 'Degraded')['reason'], 'DeletionBlocked');
  assert.match(textOf(conditionOf(world, 'Degraded')['message']) ?? '', /takes more than 3 s to answer/);
  await world.pass(120 * second);
  assert.equal(world.application('web'), undefined);
  assert.equal(world.writes().filter((each) => each === 'delete Deployment/slow-0').length, 1);
  assert.deepEqual(world.eventsOf('resource.deletionSkipped'), []);
});

test('with a kind unavailable, deleting an application with a wiped status deletes its other resources', async () => {
  const world = await worldOf();
  world.apply('web', { manifests: [widget, settings('1')] });
  await world.pass(5 * second);
  const named = () => world.application('web') ?? assert.fail();
  goAway(world);
  world.stop();
  world.replaceStatus('web', {});
  world.start();
  world.deleteApplication('web');
  await world.pass(30 * second);
  assert.equal(dataOf(world), undefined);
  assert.ok(named());
  comeBack(world);
  await world.pass(120 * second);
  assert.equal(world.object('Widget/one'), undefined);
  assert.equal(world.application('web'), undefined);
});
