import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { defaultObserver } from '../../../src/config/schema/observer.ts';
import { withoutTimes } from '../../support/observer/refusals.ts';
import {
  configMap,
  deployment,
  type ObserverWorld,
  observerWorld,
  refusal,
} from '../../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;

/** The application `web`, applied and observed. */
async function observed(names: readonly string[], spec: object = {}): Promise<ObserverWorld> {
  const world = await observerWorld();
  world.apply('web', { manifests: names.map((name) => configMap(name)), ...spec });
  await world.pass(2 * second);
  return world;
}

function keyOf(world: ObserverWorld, name: string): unknown {
  return objectOf(world.object(`ConfigMap/${name}`)?.['data'])['key'];
}

function labelOf(world: ObserverWorld, name: string): unknown {
  return objectOf(objectOf(world.object(`ConfigMap/${name}`)?.['metadata'])['labels'])['weeder.dev/application'];
}

function count(world: ObserverWorld, what: string): number {
  return world.writes().filter((each) => each === what).length;
}

test('a drift is corrected at once, and reported with what was desired and found', async () => {
  const world = await observed(['one']);
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(1);
  assert.equal(keyOf(world, 'one'), 'a');
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'correct ConfigMap/one']);
  const [drifted] = world.eventsOf('resource.drifted');
  assert.deepEqual(drifted?.drifts, [{ path: '.data.key', desired: 'a', found: 'b', type: 'changed' }]);
  assert.equal(world.eventsOf('resource.corrected').length, 1);
  world.stop();
});

for (const what of ['create', 'update', 'correct'] as const)
  test(`an edit that the stream delivers before the response to '${what}' is corrected after the response`, async () => {
    const world = await observerWorld();
    if (what !== 'create') {
      world.apply('web', { manifests: [configMap('one')] });
      await world.pass(2 * second);
    }
    world.lateReplies.set(`${what} ConfigMap/one`, second);
    if (what === 'correct') world.edit('ConfigMap/one', { data: { key: 'b' } });
    else world.apply('web', { manifests: [configMap('one', 'new')] });
    await world.pass(second / 2);
    world.edit('ConfigMap/one', { data: { key: 'theirs' } });
    world.lateReplies.clear();
    await world.pass(5 * second);
    assert.equal(keyOf(world, 'one'), what === 'correct' ? 'a' : 'new');
    assert.equal(world.condition('web', 'InSync'), 'True');
    world.stop();
  });

test('an unobserved field retains its edited value, and nothing is written', async () => {
  const observerSchema = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { key: 'observed' } },
  ];
  const world = await observerWorld();
  world.apply('web', { manifests: [{ ...configMap('one'), data: { key: 'a', other: 'a' } }], observerSchema });
  await world.pass(2 * second);
  world.edit('ConfigMap/one', { data: { other: 'b' }, metadata: { labels: { team: 'x' } } });
  await world.pass(minute);
  assert.deepEqual(world.writes(), ['create ConfigMap/one']);
  assert.deepEqual(objectOf(world.object('ConfigMap/one'))['data'], { key: 'a', other: 'b' });
  world.stop();
});

test('watch events with versions before weeder’s own write are not drift', async () => {
  const world = await observed(['one']);
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  const old = world.object('ConfigMap/one') ?? {};
  await world.pass(second);
  world.redeliver(old);
  await world.pass(minute);
  assert.deepEqual([count(world, 'correct ConfigMap/one'), world.eventsOf('resource.drifted').length], [1, 1]);
  world.stop();
});

test('a removed label looks like a deletion in the watch, and is restored on the existing object', async () => {
  const world = await observed(['one']);
  const { uid } = objectOf(world.object('ConfigMap/one')?.['metadata']);
  world.edit('ConfigMap/one', { metadata: { labels: { 'weeder.dev/application': null } } });
  await world.pass(second);
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'correct ConfigMap/one']);
  assert.equal(objectOf(world.object('ConfigMap/one')?.['metadata'])['uid'], uid);
  assert.ok(labelOf(world, 'one'));
  world.stop();
});

test('a deleted resource is recreated', async () => {
  const world = await observed(['one']);
  world.remove('ConfigMap/one');
  await world.pass(second);
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'create ConfigMap/one']);
  assert.equal(keyOf(world, 'one'), 'a');
  assert.deepEqual(
    world.eventsOf('resource.applied').map(({ how }) => how),
    ['created', 'recreated'],
  );
  world.stop();
});

test('nothing is applied to a terminating resource; once it is deleted, it is recreated', async () => {
  const world = await observed(['one']);
  world.terminate('ConfigMap/one');
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(minute);
  assert.deepEqual([world.writes(), world.eventsOf('resource.terminating').length], [['create ConfigMap/one'], 1]);
  world.remove('ConfigMap/one');
  await world.pass(second);
  assert.equal(keyOf(world, 'one'), 'a');
  world.stop();
});

test('nothing is created in a terminating namespace, and no failure is reported', async () => {
  const world = await observed(['one']);
  world.refusals.set('create', refusal('namespaceTerminating'));
  world.remove('ConfigMap/one');
  await world.pass(minute);
  assert.deepEqual([world.eventsOf('resource.failed'), world.eventsOf('resource.terminating').length], [[], 1]);
  assert.ok(count(world, 'create ConfigMap/one') < 20);
  world.stop();
});

test('repeated drift is corrected with growing delays, which reset after ten quiet minutes', async () => {
  const world = await observed(['one', 'two']);
  let edits = 0;
  for (let tick = 0; tick < 600; tick += 1) {
    if (keyOf(world, 'one') === 'a') {
      world.edit('ConfigMap/one', { data: { key: `b${edits}` } });
      edits += 1;
    }
    await world.pass(100);
  }
  // After 0, 2, 4, 8, 16 s: the next correction would be after 62 s.
  assert.equal(count(world, 'correct ConfigMap/one'), 5);
  assert.ok(world.eventsOf('resource.correctionBackOff').length >= 4);
  world.edit('ConfigMap/two', { data: { key: 'b' } });
  await world.pass(1);
  assert.equal(keyOf(world, 'two'), 'a', 'repeated drift of one resource delays no other');
  await world.pass(12 * minute);
  assert.equal(keyOf(world, 'one'), 'a');
  world.edit('ConfigMap/one', { data: { key: 'c' } });
  await world.pass(1);
  assert.equal(keyOf(world, 'one'), 'a');
  world.stop();
});

test('a failed correction is retried as long as the drift lasts, and delays no other resource', async () => {
  const world = await observed(['one', 'two']);
  world.refusals.set('correct ConfigMap/one', refusal('transient'));
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  world.edit('ConfigMap/two', { data: { key: 'b' } });
  await world.pass(1);
  assert.equal(keyOf(world, 'two'), 'a');
  await world.pass(30 * minute);
  assert.ok(count(world, 'correct ConfigMap/one') > 10);
  assert.equal(world.condition('web', 'Degraded'), 'True');
  world.refusals.clear();
  await world.pass(5 * minute);
  assert.equal(keyOf(world, 'one'), 'a');
  world.stop();
});

test('a permanent refusal is reported once, retried every five minutes, and at once when the spec changes', async () => {
  const world = await observed(['one']);
  world.refusals.set('correct', refusal('permanent'));
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(11 * minute);
  assert.deepEqual([count(world, 'correct ConfigMap/one'), world.eventsOf('resource.refused').length], [3, 1]);
  world.refusals.clear();
  world.apply('web', { manifests: [configMap('one', 'c')] });
  await world.pass(second);
  assert.equal(keyOf(world, 'one'), 'c');
  world.stop();
});

test('drift that another client fixes while corrections are refused is noticed', async () => {
  const world = await observed(['one']);
  world.refusals.set('correct', refusal('permanent'));
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(minute);
  world.edit('ConfigMap/one', { data: { key: 'a' } });
  await world.pass(2 * second);
  assert.deepEqual([world.condition('web', 'InSync'), world.condition('web', 'Degraded')], ['True', 'False']);
  world.stop();
});

test('a refusal before the first apply is in the status, which changes only with each retry', async () => {
  const world = await observerWorld();
  world.put({ ...configMap('one'), metadata: { name: 'one', namespace: 'shop' } });
  world.refusals.set('create ConfigMap/one', refusal('permanent'));
  world.apply('web', { manifests: [configMap('one'), configMap('two')] });
  await world.pass(minute);
  const said = world.statuses.length;
  const uid = objectOf(objectOf(world.object('ConfigMap/one'))['metadata'])['uid'];
  assert(
    !JSON.stringify(world.application('web')).includes(String(uid)),
    'a resource that was only found is not listed as applied',
  );
  const before = withoutTimes(world.application('web')?.['status']);
  await world.pass(60 * minute);
  const retries = world.requests.filter(({ what, key }) => what === 'create' && key === 'ConfigMap/one').length;
  assert.ok(world.statuses.length - said <= retries, `${world.statuses.length - said} statuses, ${retries} attempts`);
  assert.equal(withoutTimes(world.application('web')?.['status']), before);
  world.stop();
});

test('a resource whose first apply fails is retried, and the others are applied', async () => {
  const world = await observerWorld();
  world.refusals.set('create ConfigMap/one', refusal('forbidden'));
  world.apply('web', { manifests: [configMap('one'), configMap('two')] });
  await world.pass(10 * second);
  assert.deepEqual([keyOf(world, 'one'), keyOf(world, 'two')], [undefined, 'a']);
  assert.equal(world.condition('web', 'Applied'), 'False');
  world.refusals.clear();
  await world.pass(minute);
  assert.deepEqual([keyOf(world, 'one'), world.condition('web', 'Applied')], ['a', 'True']);
  world.stop();
});

test('a kind that is not installed yet is waited for, and delays no other resource', async () => {
  const world = await observerWorld();
  const widget = { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'one' }, spec: { size: 1 } };
  world.apply('web', { manifests: [widget, configMap('two')] });
  await world.pass(minute);
  assert.deepEqual([keyOf(world, 'two'), world.object('Widget/one')], ['a', undefined]);
  assert.equal(world.eventsOf('resource.noKindMatch').length, 1);
  world.serve({
    group: 'example.org',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    isNamespaced: true,
  });
  await world.pass(5 * second);
  assert.deepEqual(objectOf(world.object('Widget/one'))['spec'], { size: 1 });
  assert.deepEqual([world.condition('web', 'Applied'), count(world, 'create ConfigMap/two')], ['True', 1]);
  world.stop();
});

test('a resource of another application is refused with both names, and not changed', async () => {
  const world = await observed(['one']);
  world.apply('api', { manifests: [configMap('one', 'mine'), configMap('two')] });
  await world.pass(2 * minute);
  assert.deepEqual([keyOf(world, 'one'), keyOf(world, 'two')], ['a', 'a']);
  const [claimed] = world.eventsOf('resource.ownershipConflict');
  assert.ok(claimed?.application.name === 'api' && claimed.reason.includes('shop/api'), String(claimed?.reason));
  assert.equal(world.condition('api', 'Degraded'), 'True');
  world.deleteApplication('web');
  await world.pass(2 * minute);
  assert.equal(keyOf(world, 'one'), 'mine', 'its owner is deleted by now');
  world.stop();
});

test('the owner of a resource receives its changes at once, even if another application claims it', async () => {
  const world = await observed(['one']);
  world.apply('api', { manifests: [configMap('one', 'mine')] });
  await world.pass(10_000);
  world.edit('ConfigMap/one', { data: { key: 'by hand' } });
  await world.pass(10);
  assert.equal(keyOf(world, 'one'), 'a');
  world.deleteApplication('api');
  await world.pass(5_000);
  world.edit('ConfigMap/one', { data: { key: 'again' } });
  await world.pass(10);
  assert.equal(keyOf(world, 'one'), 'a', 'also after the other application is deleted');
  world.stop();
});

test('a change that admission makes each time is accepted, reported once, and written once', async () => {
  const world = await observed(['one']);
  world.admit = (object) =>
    object['kind'] === 'ConfigMap' ? { ...object, data: { ...objectOf(object['data']), key: 'mirrored' } } : object;
  world.edit('ConfigMap/one', { data: { more: 'x' } });
  await world.pass(30 * minute);
  assert.ok(count(world, 'correct ConfigMap/one') <= 2, String(count(world, 'correct ConfigMap/one')));
  assert.equal(world.eventsOf('resource.mutatedByAdmission').length, 1);
  assert.equal(world.condition('web', 'InSync'), 'True');
  world.stop();
});

test('an element or field that each reply has, and that was not applied, is never accepted', async () => {
  const globe = { apiVersion: 'example.org/v1', kind: 'Globe', metadata: { name: 'one' } };
  for (const [applied, replied] of [
    [{ list: ['a'] }, { list: ['a', 'theirs'] }],
    [{ list: [{ name: 'a' }] }, { list: [{ name: 'a', theirs: true }] }],
    [{ list: ['a'] }, { list: [{ theirs: true }] }],
  ]) {
    const world = await observerWorld();
    world.apply('web', { manifests: [{ ...globe, spec: applied }] });
    await world.pass(2 * second);
    assert.equal(world.condition('web', 'InSync'), 'True');
    world.admit = (object) => (object['kind'] === 'Globe' ? { ...object, spec: replied } : object);
    world.edit('Globe/one', { spec: replied });
    await world.pass(minute);
    assert.equal(world.condition('web', 'InSync'), 'False');
    assert.deepEqual(world.eventsOf('resource.mutatedByAdmission'), []);
    world.admit = (object) => object;
    await world.pass(10 * minute);
    assert.deepEqual(world.object('Globe/one')?.['spec'], applied);
    assert.equal(world.condition('web', 'InSync'), 'True');
    world.stop();
  }
});

test('at most sixteen applies run at once, and no application blocks another one', async () => {
  const world = await observerWorld();
  world.requestTime = 100;
  const many = Array.from({ length: 40 }, (_, index) => `many-${index}`);
  for (const name of many) world.apply(name, { manifests: [configMap(name)] });
  world.apply('last', { manifests: [configMap('last')] });
  await world.pass(minute);
  assert.ok(world.maxInFlight >= 8 && world.maxInFlight <= 16, String(world.maxInFlight));
  assert.equal(keyOf(world, 'last'), 'a');
  world.stop();
});

test('an observed application without changes sends no request for minutes', async () => {
  const world = await observed(['one', 'two']);
  const before = world.requests.length;
  await world.pass(4 * minute);
  assert.deepEqual([world.requests.length, world.statuses.length <= 3], [before, true]);
  world.stop();
});

test('a change without a watch event is found within twenty minutes', async () => {
  const world = await observed(['one']);
  world.sendsEvents = false;
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(20 * minute);
  assert.equal(keyOf(world, 'one'), 'a');
  world.stop();
});

test('there is one stream per kind in use, however many applications use it', async () => {
  const world = await observed(['one']);
  for (const name of ['b', 'c', 'd']) world.apply(name, { manifests: [configMap(`of-${name}`)] });
  await world.pass(2 * second);
  assert.deepEqual([...world.core.needs.keys()], ['applications', 'applied v1/configmaps']);
  for (const name of ['web', 'b', 'c', 'd']) world.deleteApplication(name);
  await world.pass(2 * second);
  assert.deepEqual([...world.core.needs.keys()], ['applications']);
  world.stop();
});

/** As an autoscaler or `kubectl scale` does. */
function scale(world: ObserverWorld, replicas: number): void {
  world.edit('Deployment/web', { spec: { replicas } }, { manager: 'kube-controller-manager', subresource: 'scale' });
}

const web = deployment('web', 'app:1', { replicas: 2, minReadySeconds: 1 });

test('scaled replicas are not corrected, and other drift still is', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [web] });
  await world.pass(2 * second);
  scale(world, 7);
  await world.pass(minute);
  assert.equal(objectOf(world.object('Deployment/web')?.['spec'])['replicas'], 7);
  assert.deepEqual([world.eventsOf('resource.drifted'), world.condition('web', 'InSync')], [[], 'True']);
  world.edit('Deployment/web', { spec: { minReadySeconds: 9 } });
  await world.pass(second);
  const { replicas, minReadySeconds } = objectOf(world.object('Deployment/web')?.['spec']);
  assert.deepEqual([replicas, minReadySeconds], [7, 1]);
  world.stop();
});

test('replicas that the schema lists are corrected, whichever client scales', async () => {
  const observerSchema = [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 'observed' } },
  ];
  const world = await observerWorld();
  world.apply('web', { manifests: [web], observerSchema });
  await world.pass(2 * second);
  scale(world, 7);
  await world.pass(second);
  assert.equal(objectOf(world.object('Deployment/web')?.['spec'])['replicas'], 2);
  world.stop();
});

test('without the section observer nothing is managed, and with it again everything is', async () => {
  const world = await observed(['one']);
  world.core.configure({ services: new Map(), restart: undefined });
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(minute);
  assert.deepEqual([keyOf(world, 'one'), [...world.core.needs.keys()], [...world.core.actors()]], ['b', [], []]);
  world.core.configure({ services: new Map(), restart: undefined, observer: { ...defaultObserver, trialPeriod: 0 } });
  await world.pass(5 * second);
  assert.equal(keyOf(world, 'one'), 'a');
  world.stop();
});
