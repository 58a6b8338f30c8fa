import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { everythingAllowed } from '../../src/config/schema/allowedResources.ts';
import { defaultObserver } from '../../src/config/schema/observer.ts';
import { maxConcurrentRequests } from '../../src/observer/plan/resourceApi.ts';
import { configMap, type ObserverWorld, observerWorld } from '../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;

/** The clock of the test starts at midnight. */
const atOne = { cron: '0 1 * * *', timeZone: 'UTC', duration: 10 * minute };
const untilOne = 60 * minute;
const closed =
  'no maintenance window is open, the next opens at 2026-01-01T01:00:00Z and closes at 2026-01-01T01:10:00Z ("0 1 * * *" in UTC)';

/** The application `web` of two ConfigMaps, applied outside of maintenance windows. */
async function outside(spec: JsonObject = {}): Promise<ObserverWorld> {
  const world = await observerWorld({ maintenanceWindows: [atOne] });
  world.apply('web', { manifests: [configMap('one'), configMap('two')], ...spec });
  await world.pass(2 * second);
  return world;
}

function passUntilOpen(world: ObserverWorld): Promise<void> {
  return world.pass(Date.UTC(2026, 0, 1, 1) - world.clock.now() + second);
}

function limitTo(world: ObserverWorld, maintenanceWindows: (typeof atOne)[]): void {
  const observer = { ...defaultObserver, allow: everythingAllowed, maintenanceWindows };
  world.core.configure({ services: new Map(), restart: undefined, observer });
}

function keyOf(world: ObserverWorld, name: string): unknown {
  return objectOf(world.object(`ConfigMap/${name}`)?.['data'])['key'];
}

function inSync(world: ObserverWorld): string {
  const { conditions } = objectOf(world.application('web')?.['status']);
  const { status, reason, message } =
    arrayOf(conditions)
      .map(objectOf)
      .find(({ type }) => type === 'InSync') ?? {};
  return `${status} ${reason}: ${message}`;
}

test('outside of maintenance windows, drift and missing objects are reported, and restored when one opens', async () => {
  const world = await outside();
  const before = world.writes().length;
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  world.remove('ConfigMap/two');
  await world.pass(untilOne / 2);
  assert.deepEqual(world.writes().slice(before), []);
  assert.equal(
    inSync(world),
    `False DriftDetected: Not as applied: ConfigMap shop/one (.data.key), ConfigMap shop/two (missing). Corrections wait: ${closed}.`,
  );
  assert.deepEqual(
    world.eventsOf('resource.correctionPending').map(({ resource, reason }) => [resource.name, reason]),
    [
      ['one', closed],
      ['two', closed],
    ],
  );
  await passUntilOpen(world);
  assert.deepEqual(world.writes().slice(before).sort(), ['correct ConfigMap/one', 'create ConfigMap/two']);
  assert.equal(keyOf(world, 'one'), 'a');
  assert.equal(keyOf(world, 'two'), 'a');
  assert.match(inSync(world), /^True AsApplied/);
  world.stop();
});

test('within a maintenance window, drift is corrected at once; after its end, it waits for the next one', async () => {
  const world = await outside();
  await passUntilOpen(world);
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(1);
  assert.equal(keyOf(world, 'one'), 'a');
  await world.pass(atOne.duration);
  world.edit('ConfigMap/one', { data: { key: 'c' } });
  await world.pass(23 * 60 * minute);
  assert.equal(keyOf(world, 'one'), 'c');
  await world.pass(60 * minute);
  assert.equal(keyOf(world, 'one'), 'a');
  world.stop();
});

test('a changed Application is applied outside of maintenance windows, and what it leaves out is deleted', async () => {
  const world = await outside();
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  world.apply('web', { manifests: [configMap('one', 'new'), configMap('three')] });
  await world.pass(5 * second);
  assert.equal(keyOf(world, 'one'), 'new');
  assert.equal(keyOf(world, 'three'), 'a');
  assert.equal(world.object('ConfigMap/two'), undefined);
  world.stop();
});

test('a config with other maintenance windows is followed at once, also by a resource that waits', async () => {
  const world = await outside({ resyncPeriod: '24h' });
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(minute);
  assert.equal(keyOf(world, 'one'), 'b');
  limitTo(world, []);
  await world.pass(1);
  assert.equal(keyOf(world, 'one'), 'a');
  limitTo(world, [atOne]);
  world.edit('ConfigMap/one', { data: { key: 'c' } });
  await world.pass(minute);
  assert.equal(keyOf(world, 'one'), 'c');
  world.stop();
});

test('a correction that waits for its slot while the window closes is not sent', async () => {
  const names = Array.from({ length: maxConcurrentRequests + 5 }, (_, index) => `c${index}`);
  const world = await outside({ manifests: names.map((name) => configMap(name)) });
  await passUntilOpen(world);
  await world.pass(atOne.duration - 2 * second);
  const before = world.writes().length;
  for (const name of names) {
    world.slow.set(`correct ConfigMap/${name}`, 2 * second);
    world.edit(`ConfigMap/${name}`, { data: { key: 'b' } });
  }
  await world.pass(60 * minute);
  const sent = world.writes().length - before;
  assert.ok(sent > 0 && sent < names.length, `${sent} of ${names.length}`);
  assert.equal(names.filter((name) => keyOf(world, name) === 'b').length, names.length - sent);
  world.stop();
});

test('a resource that is changed back repeatedly waits for its back-off within a maintenance window', async () => {
  const world = await outside();
  await passUntilOpen(world);
  for (const value of ['b', 'c']) {
    world.edit('ConfigMap/one', { data: { key: value } });
    await world.pass(100);
  }
  assert.equal(keyOf(world, 'one'), 'c');
  assert.equal(world.eventsOf('resource.correctionBackOff').length, 1);
  await world.pass(3 * second);
  assert.equal(keyOf(world, 'one'), 'a');
  world.stop();
});

test('the last known good manifest is corrected in maintenance windows only, and the refused one is tried meanwhile', async () => {
  const world = await outside();
  world.refusals.set('update ConfigMap/one', { status: 422, message: 'no such key' });
  world.apply('web', { manifests: [configMap('one', 'new'), configMap('two')] });
  await world.pass(5 * second);
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(4 * minute);
  assert.equal(keyOf(world, 'one'), 'b');
  world.refusals.clear();
  await world.pass(2 * minute);
  assert.equal(keyOf(world, 'one'), 'new');
  world.stop();
});
