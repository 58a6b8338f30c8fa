import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '../../../src/base/json.ts';
import { defaultObserver } from '../../../src/config/schema/observer.ts';
import { createSchedule } from '../../../src/queue/schedule.ts';
import {
  configMap,
  type ObserverWorld,
  type ObserverWorldOptions,
  observerWorld,
} from '../../support/world/observerWorld.ts';
import { virtualClock } from '../../support/world/virtualClock.ts';

const second = 1_000;
const minute = 60 * second;

/** The application `web`, applied and observed. */
async function observed(names: readonly string[], its: ObserverWorldOptions = {}, spec: object = {}) {
  const world = await observerWorld(its);
  world.apply('web', { manifests: names.map((name) => configMap(name)), ...spec });
  await world.pass(2 * second);
  return world;
}

/** Admission makes this of the data of each ConfigMap. */
function admitting(world: ObserverWorld, change: (data: JsonObject) => JsonObject): void {
  world.admit = (object) =>
    object['kind'] === 'ConfigMap' ? { ...object, data: change(objectOf(object['data'])) } : object;
}

const mirrored = (data: JsonObject) => ({ ...data, key: `mirror/${String(data['key']).replace('mirror/', '')}` });

function keyOf(world: ObserverWorld, name: string): unknown {
  return objectOf(world.object(`ConfigMap/${name}`)?.['data'])['key'];
}

/** How often each was tried out anew. */
function trialsOf(world: ObserverWorld): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { what, key } of world.requests) if (what === 'tryAnew') counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** When: milliseconds since the world began. */
function timesOf(world: ObserverWorld): number[] {
  return world.requests.filter(({ what }) => what === 'tryAnew').map(({ at }) => at);
}

test('each resource is tried out anew once in ten minutes, not all at once, and at rest nothing comes of it', async () => {
  const names = ['one', 'two', 'three', 'four'];
  const world = await observed(names);
  const told = world.facts.length;
  await world.pass(30 * minute);
  const expected = Object.fromEntries(names.map((name) => [`ConfigMap/${name}`, 3]));
  assert.deepEqual(trialsOf(world), expected);
  assert.equal(new Set(timesOf(world).map((at) => at % (10 * minute))).size, names.length, String(timesOf(world)));
  assert.deepEqual([world.facts.length, world.writes().length], [told, names.length]);
  world.stop();
});

test('when its turn is follows from its name: a weeder that comes after asks at the same times', async () => {
  const world = await observed(['one', 'two']);
  await world.pass(10 * minute);
  const before = timesOf(world);
  await world.restart();
  await world.pass(10 * minute);
  const places = (times: readonly number[]) => new Set(times.map((at) => at % (10 * minute)));
  assert.equal(before.length, 2);
  assert.deepEqual(places(timesOf(world).slice(2)), places(before));
  world.stop();
});

test('5,000 resources have one turn in two seconds, each of them once in three hours', () => {
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
  for (const each of leave) each();
  clock.advance(360 * minute);
  assert.deepEqual([new Set(taken.values()), clock.nextDue], [new Set([1]), undefined]);
});

test('a namespace with many resources has its turns less often, and the others have theirs as before', () => {
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

test('when admission has changed, what it makes of the manifest now is wanted, and what is there is corrected, once', async () => {
  const world = await observed(['one']);
  admitting(world, mirrored);
  await world.pass(10 * minute);
  assert.equal(keyOf(world, 'one'), 'mirror/a');
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'correct ConfigMap/one']);
  assert.deepEqual(
    world.factsOf('resource.desiredStateChanged').map(({ paths }) => paths),
    [['.data.key']],
  );
  await world.pass(30 * minute);
  assert.equal(world.writes().length, 2);
  assert.equal(world.factsOf('resource.desiredStateChanged').length, 1);
  assert.equal(world.condition('web', 'InSync'), 'True');
  admitting(world, (data) => data);
  await world.pass(10 * minute);
  assert.equal(keyOf(world, 'one'), 'a', 'and also when it is no more');
  world.stop();
});

test('in detect a change of admission is told as a drift, and nothing is written', async () => {
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

test('a trial that fails leaves what is wanted as it is, and the next one is believed', async () => {
  const world = await observed(['one']);
  const told = world.facts.length;
  admitting(world, mirrored);
  world.refusals.set('tryAnew', { is: 'transient', reason: 'no.', retryAfter: 0, fields: [] });
  await world.pass(20 * minute);
  assert.equal(timesOf(world).length, 2);
  assert.deepEqual([keyOf(world, 'one'), world.facts.length, world.condition('web', 'InSync')], ['a', told, 'True']);
  world.refusals.clear();
  await world.pass(10 * minute);
  assert.equal(keyOf(world, 'one'), 'mirror/a');
  world.stop();
});

test('what admission makes otherwise each time is no reason to want anything else', async () => {
  const world = await observed(['one']);
  let random = 0;
  admitting(world, (data) => {
    random += 1;
    return { ...data, key: `random-${random}` };
  });
  await world.pass(40 * minute);
  assert.deepEqual([keyOf(world, 'one'), world.writes()], ['a', ['create ConfigMap/one']]);
  assert.equal(world.factsOf('resource.desiredStateChanged').length, 0);
  world.stop();
});

test('what was taken as admission leaves it is not wanted otherwise by a trial', async () => {
  const world = await observed(['one']);
  // Whatever is there keeps its key; only of a new object it would be another one.
  world.admit = (object) => {
    const isThere = objectOf(object['metadata'])['uid'] !== undefined;
    const data = objectOf(object['data']);
    return object['kind'] === 'ConfigMap' && isThere ? { ...object, data: { ...data, key: 'kept' } } : object;
  };
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(40 * minute);
  assert.equal(world.factsOf('resource.mutatedByAdmission').length, 1);
  assert.equal(world.factsOf('resource.desiredStateChanged').length, 0);
  assert.equal(world.condition('web', 'InSync'), 'True');
  world.stop();
});

test('where only a trial on what is there is taken, the values of the manifest are believed, and nothing else', async () => {
  const observerSchema = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { key: 'observed', evil: 'observed' } },
  ];
  const world = await observed(['one'], {}, { observerSchema });
  await world.pass(10 * minute);
  const [first = 0] = timesOf(world);
  await world.pass(first + 10 * minute - second - (10 * minute + 2 * second));
  world.isProbeTaken = false;
  world.isTold = false;
  world.edit('ConfigMap/one', { data: { evil: 'x' } });
  admitting(world, mirrored);
  await world.pass(5 * second);
  assert.deepEqual(
    world.factsOf('resource.desiredStateChanged').map(({ paths }) => paths),
    [['.data.key']],
  );
  assert.equal(keyOf(world, 'one'), 'mirror/a');
  const drifts = world
    .factsOf('resource.drifted')
    .flatMap((fact) => fact.drifts.map(({ path, is }) => `${is} ${path}`));
  assert.deepEqual(drifts.slice(0, 2), ['excess .data.evil', 'changed .data.key']);
  world.stop();
});

test('nothing is tried out anew while it is drifted, paused, being applied or deleted', async () => {
  const world = await observed(['one']);
  world.refusals.set('correct', { is: 'forbidden', reason: 'no.', retryAfter: 0, fields: [] });
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(20 * minute);
  assert.deepEqual(timesOf(world), [], 'drifted');
  world.refusals.clear();
  const pausedUntil = new Date(world.clock.now() + 20 * minute).toISOString();
  world.apply('web', { manifests: [configMap('one')], pausedUntil });
  await world.pass(19 * minute);
  assert.deepEqual(timesOf(world), [], 'paused');
  world.refusals.set('create', { is: 'transient', reason: 'no.', retryAfter: 0, fields: [] });
  world.apply('web', { manifests: [configMap('one'), configMap('two')] });
  await world.pass(20 * minute);
  assert.deepEqual(Object.keys(trialsOf(world)), ['ConfigMap/one'], 'one that was never applied');
  world.refusals.set('delete', { is: 'transient', reason: 'no.', retryAfter: 0, fields: [] });
  const before = timesOf(world).length;
  world.deleteApplication('web');
  await world.pass(20 * minute);
  assert.equal(timesOf(world).length, before, 'deleted');
  world.stop();
});

test('with a period of 0s nothing is tried out anew, until the config says otherwise', async () => {
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

test('a drift that comes while a trial is under way is corrected to what was wanted before it', async () => {
  const world = await observed(['one']);
  world.requestTime = 5 * second;
  admitting(world, mirrored);
  const begun = () => timesOf(world).length;
  while (begun() === 0) await world.pass(second);
  world.edit('ConfigMap/one', { data: { key: 'by hand' } });
  await world.pass(30 * second);
  assert.equal(world.factsOf('resource.desiredStateChanged').length, 0);
  world.stop();
});
