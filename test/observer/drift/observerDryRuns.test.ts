import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { createSchedule } from '@weeder/kube-runtime/queue';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { defaultObserver } from '../../../src/config/schema/observer.ts';
import {
  configMap,
  type ObserverWorld,
  type ObserverWorldOptions,
  observerWorld,
  refusal,
} from '../../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;

/** The application `web`, applied and observed. */
async function observed(names: readonly string[], options: ObserverWorldOptions = {}, spec: object = {}) {
  const world = await observerWorld(options);
  world.apply('web', { manifests: names.map((name) => configMap(name)), ...spec });
  await world.pass(2 * second);
  return world;
}

/** Admission makes this change to the data of each ConfigMap. */
function admitting(world: ObserverWorld, change: (data: JsonObject) => JsonObject): void {
  world.admit = (object) =>
    object['kind'] === 'ConfigMap' ? { ...object, data: change(objectOf(object['data'])) } : object;
}

const mirrored = (data: JsonObject) => ({ ...data, key: `mirror/${String(data['key']).replace('mirror/', '')}` });

function keyOf(world: ObserverWorld, name: string): unknown {
  return objectOf(world.object(`ConfigMap/${name}`)?.['data'])['key'];
}

/** The number of rebaselines of each resource. */
function rebaselinesOf(world: ObserverWorld): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { what, key } of world.requests) if (what === 'dryRunAgain') counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** The times of all rebaselines; milliseconds since the start of the world. */
function timesOf(world: ObserverWorld): number[] {
  return world.requests.filter(({ what }) => what === 'dryRunAgain').map(({ at }) => at);
}

test('each resource is rebaselined once in ten minutes, at different times, without effect if nothing has changed', async () => {
  const names = ['one', 'two', 'three', 'four'];
  const world = await observed(names);
  const before = world.events.length;
  await world.pass(30 * minute);
  const expected = Object.fromEntries(names.map((name) => [`ConfigMap/${name}`, 3]));
  assert.deepEqual(rebaselinesOf(world), expected);
  assert.equal(new Set(timesOf(world).map((at) => at % (10 * minute))).size, names.length, String(timesOf(world)));
  assert.deepEqual([world.events.length, world.writes().length], [before, names.length]);
  world.stop();
});

test('the time of a rebaseline follows from the resource’s name: another weeder uses the same times', async () => {
  const world = await observed(['one', 'two']);
  await world.pass(10 * minute);
  const before = timesOf(world);
  await world.restart();
  await world.pass(10 * minute);
  const offsets = (times: readonly number[]) => new Set(times.map((at) => at % (10 * minute)));
  assert.equal(before.length, 2);
  assert.deepEqual(offsets(timesOf(world).slice(2)), offsets(before));
  world.stop();
});

test('5,000 resources are rebaselined every two seconds, each of them once in three hours', () => {
  const clock = virtualClock();
  const turns = createSchedule(clock, 10 * minute);
  const names = Array.from({ length: 5_000 }, (_, index) => `shop/web-${index}`);
  const taken = new Map<string, number>();
  const leave = [0, 1, 2, 3, 4].map((part) =>
    turns.join(
      'shop',
      names.slice(part * 1_000, part * 1_000 + 1_000),
      (name) => name,
      (name) => taken.set(name, (taken.get(name) ?? 0) + 1),
    ),
  );
  clock.advance(10 * minute);
  assert.ok(taken.size > 240 && taken.size < 340, String(taken.size));
  clock.advance(160 * minute);
  assert.deepEqual([taken.size, new Set(taken.values())], [5_000, new Set([1])]);
  for (const leaveTurn of leave) leaveTurn();
  clock.advance(360 * minute);
  assert.deepEqual([new Set(taken.values()), clock.nextDue], [new Set([1]), undefined]);
});

test('a namespace with many resources is rebaselined less often, without an effect on other namespaces', () => {
  const clock = virtualClock();
  const turns = createSchedule(clock, 10 * minute);
  const taken = new Map<string, number>();
  const join = (namespace: string, size: number) =>
    turns.join(
      namespace,
      Array.from({ length: size }, (_, index) => index),
      (index) => `${namespace}/${index}`,
      () => taken.set(namespace, (taken.get(namespace) ?? 0) + 1),
    );
  join('small', 10);
  const leave = join('large', 5_000);
  clock.advance(180 * minute);
  assert.equal(taken.get('small'), 18 * 10);
  assert.equal(taken.get('large'), 5_000);
  leave();
  clock.advance(10 * minute);
  assert.deepEqual([taken.get('small'), taken.get('large')], [19 * 10, 5_000]);
});

test('when admission changes, its new result is desired, and the resource is corrected once', async () => {
  const world = await observed(['one']);
  admitting(world, mirrored);
  await world.pass(10 * minute);
  assert.equal(keyOf(world, 'one'), 'mirror/a');
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'correct ConfigMap/one']);
  assert.deepEqual(
    world.eventsOf('resource.desiredStateChanged').map(({ paths }) => paths),
    [['.data.key']],
  );
  await world.pass(30 * minute);
  assert.equal(world.writes().length, 2);
  assert.equal(world.eventsOf('resource.desiredStateChanged').length, 1);
  assert.equal(world.condition('web', 'InSync'), 'True');
  admitting(world, (data) => data);
  await world.pass(10 * minute);
  assert.equal(keyOf(world, 'one'), 'a', 'and also when admission changes back');
  world.stop();
});

test('in detect mode a change of admission is reported as drift, and nothing is written', async () => {
  const world = await observerWorld();
  world.put({ ...configMap('one'), metadata: { name: 'one', namespace: 'shop' } });
  world.apply('web', { manifests: [configMap('one')], mode: 'detect' });
  await world.pass(40 * second);
  assert.equal(world.condition('web', 'InSync'), 'True');
  admitting(world, mirrored);
  await world.pass(12 * minute);
  assert.deepEqual([world.condition('web', 'InSync'), world.writes()], ['False', []]);
  world.stop();
});

test('a failed dry run does not change the desired state, and the next one does', async () => {
  const world = await observed(['one']);
  const before = world.events.length;
  admitting(world, mirrored);
  world.refusals.set('dryRunAgain', refusal('transient', 'no.'));
  await world.pass(20 * minute);
  assert.equal(timesOf(world).length, 2);
  assert.deepEqual([keyOf(world, 'one'), world.events.length, world.condition('web', 'InSync')], ['a', before, 'True']);
  world.refusals.clear();
  await world.pass(10 * minute);
  assert.equal(keyOf(world, 'one'), 'mirror/a');
  world.stop();
});

test('an admission result that differs each time does not change the desired state', async () => {
  const world = await observed(['one']);
  let random = 0;
  admitting(world, (data) => {
    random += 1;
    return { ...data, key: `random-${random}` };
  });
  await world.pass(40 * minute);
  assert.deepEqual([keyOf(world, 'one'), world.writes()], ['a', ['create ConfigMap/one']]);
  assert.equal(world.eventsOf('resource.desiredStateChanged').length, 0);
  world.stop();
});

test('a value that was accepted from admission does not change with a rebaseline', async () => {
  const world = await observed(['one']);
  // Existing objects retain their key; only a new object would get another one.
  world.admit = (object, old) => {
    const data = objectOf(object['data']);
    return object['kind'] === 'ConfigMap' && old !== undefined
      ? { ...object, data: { ...data, key: 'existing' } }
      : object;
  };
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(40 * minute);
  assert.equal(world.eventsOf('resource.mutatedByAdmission').length, 1);
  assert.equal(world.eventsOf('resource.desiredStateChanged').length, 0);
  assert.equal(world.condition('web', 'InSync'), 'True');
  world.stop();
});

test('if only a dry run on the existing object succeeds, only the values of the manifest are used', async () => {
  const observerSchema = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { key: 'observed', evil: 'observed' } },
  ];
  const world = await observed(['one'], {}, { observerSchema });
  await world.pass(10 * minute);
  const [first = 0] = timesOf(world);
  await world.pass(first + 10 * minute - second - (10 * minute + 2 * second));
  world.refusals.set('probe', refusal('permanent'));
  world.sendsEvents = false;
  world.edit('ConfigMap/one', { data: { evil: 'x' } });
  admitting(world, mirrored);
  await world.pass(5 * second);
  assert.deepEqual(
    world.eventsOf('resource.desiredStateChanged').map(({ paths }) => paths),
    [['.data.key']],
  );
  assert.equal(keyOf(world, 'one'), 'mirror/a');
  const drifts = world
    .eventsOf('resource.drifted')
    .flatMap((event) => event.drifts.map(({ path, type }) => `${type} ${path}`));
  assert.deepEqual(drifts.slice(0, 2), ['excess .data.evil', 'changed .data.key']);
  world.stop();
});

test('nothing is rebaselined while it is drifted, paused, being applied or deleted', async () => {
  const world = await observed(['one']);
  world.refusals.set('correct', refusal('forbidden', 'no.'));
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(20 * minute);
  assert.deepEqual(timesOf(world), [], 'drifted');
  world.refusals.clear();
  const pausedUntil = new Date(world.clock.now() + 20 * minute).toISOString();
  world.apply('web', { manifests: [configMap('one')], pausedUntil });
  await world.pass(19 * minute);
  assert.deepEqual(timesOf(world), [], 'paused');
  world.refusals.set('create', refusal('transient', 'no.'));
  world.apply('web', { manifests: [configMap('one'), configMap('two')] });
  await world.pass(20 * minute);
  assert.deepEqual(Object.keys(rebaselinesOf(world)), ['ConfigMap/one'], 'one that was never applied');
  world.refusals.set('delete', refusal('transient', 'no.'));
  const before = timesOf(world).length;
  world.deleteApplication('web');
  await world.pass(20 * minute);
  assert.equal(timesOf(world).length, before, 'deleted');
  world.stop();
});

test('with trialPeriod 0s nothing is rebaselined until the config changes', async () => {
  const world = await observed(['one'], { trialPeriod: 0 });
  await world.pass(60 * minute);
  assert.deepEqual(timesOf(world), []);
  world.core.configure({
    services: new Map(),
    restart: undefined,
    observer: { ...defaultObserver, trialPeriod: minute },
  });
  await world.pass(10 * minute);
  assert.equal(timesOf(world).length, 10);
  world.core.configure({ services: new Map(), restart: undefined, observer: { ...defaultObserver, trialPeriod: 0 } });
  await world.pass(10 * minute);
  assert.equal(timesOf(world).length, 10);
  world.stop();
});

test('drift during a dry run is corrected to the previous desired state', async () => {
  const world = await observed(['one']);
  world.requestTime = 5 * second;
  admitting(world, mirrored);
  const begun = () => timesOf(world).length;
  while (begun() === 0) await world.pass(second);
  world.edit('ConfigMap/one', { data: { key: 'by hand' } });
  await world.pass(30 * second);
  assert.equal(world.eventsOf('resource.desiredStateChanged').length, 0);
  world.stop();
});
