import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { labelName, ownerOf } from '../../../src/observer/objects/fieldManagers.ts';
import { conditionOf } from '../../support/story/storyApplications.ts';
import { isApply, isTakeOver, labelOf } from '../../support/story/storyCalls.ts';
import { type StoryWorld, storyWorld } from '../../support/story/storyWorld.ts';
import type { RequestListener } from '../../support/world/simulatedServer.ts';

/** Cases that the property test of the observer found. */
const minute = 60_000;
const bounds = (min: number, max: number) => ({
  observer_schema_list_min_length: min,
  observer_schema_list_max_length: max,
});

function quietWorld(listener: Partial<RequestListener> = {}): StoryWorld {
  const nothing = () => undefined;
  const fullListener = { sent: nothing, done: nothing, refusedPermanently: nothing, answered: nothing, ...listener };
  return storyWorld({ random: () => 0.5, listener: fullListener, report: () => undefined, onOthers: () => undefined });
}

/** Acts after each apply of observed fields, before the next request. */
function afterObserved(act: () => void): Pick<RequestListener, 'done'> {
  return {
    done(call) {
      if (isApply(call) && textOf(call.request.query?.['fieldManager'])?.startsWith('weeder:') === true) act();
    },
  };
}

function say(world: StoryWorld, manifest: JsonObject, entry: JsonObject, name = 'web'): void {
  const { apiVersion, kind, metadata } = manifest;
  const spec = { manifests: [manifest], observerSchema: [{ apiVersion, kind, metadata, ...entry }] };
  const live = world.get(`Application/${name}`) ?? { metadata: { name, namespace: 'shop' } };
  const application = { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', ...live, spec };
  assert(world.put(`Application/${name}`, application, 'owner'));
}

function service(selector: string, targetPort: number): JsonObject {
  const ports = [
    { name: 'p80', port: 80, targetPort },
    { name: 'p90', port: 90, targetPort },
  ];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { selector: { app: selector }, ports } };
}

/** Another client changes the spec of the Service. */
function edit(world: StoryWorld, change: JsonObject): void {
  const live = objectOf(world.get('Service/web'));
  assert(world.put('Service/web', { ...live, spec: { ...objectOf(live['spec']), ...change } }, 'kubectl-edit'));
}

/** Another client changes one port. */
function editPort(world: StoryWorld, number: number, change: JsonObject): void {
  const ports = arrayOf(specOf(world)['ports']).map(objectOf);
  edit(world, { ports: ports.map((port) => (port['port'] === number ? { ...port, ...change } : port)) });
}

/** Another client changes the number of a port, but not its name. */
function rename(world: StoryWorld, number = 80): void {
  editPort(world, number, { port: 300 });
}

function specOf(world: StoryWorld): JsonObject {
  return objectOf(objectOf(world.get('Service/web'))['spec']);
}

function deployment(names: readonly string[], image: string, more: JsonObject = {}): JsonObject {
  const labels = { app: 'web' };
  const containers = names.map((name) => ({ name, image }));
  const spec = { ...more, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
}

function portsOf(world: StoryWorld): unknown[] {
  return arrayOf(specOf(world)['ports']).map((each) => objectOf(each)['port']);
}

function containersOf(world: StoryWorld): unknown[] {
  const { template } = objectOf(objectOf(world.get('Deployment/web'))['spec']);
  return arrayOf(objectOf(objectOf(template)['spec'])['containers']).map((each) => objectOf(each)['name']);
}

test('a restored port replaces the foreign one with its name, and no port of the manifest', async () => {
  const world = quietWorld();
  say(world, service('a', 8080), { spec: { ports: ['observed', bounds(1, 0)] } });
  world.start();
  await world.pass(minute);
  rename(world);
  await world.pass(minute);
  assert.deepEqual(portsOf(world).toSorted(), [80, 90]);
  assert.equal(conditionOf(world.get('Application/web'), 'InSync'), 'True');
  await world.stop();
});

test('an unobserved element that was renamed while weeder was down does not block an update', async () => {
  const world = quietWorld();
  const entry = { spec: { selector: 'observed' } };
  say(world, service('a', 8080), entry);
  world.start();
  await world.pass(minute);
  await world.stop();
  rename(world);
  say(world, service('b', 8080), entry);
  world.start();
  await world.pass(minute);
  assert.deepEqual(specOf(world)['selector'], { app: 'b' });
  assert.deepEqual(portsOf(world).toSorted(), [300, 90]);
  assert.equal(conditionOf(world.get('Application/web'), 'Applied'), 'True');
  await world.stop();
});

test('a container that left the manifest is removed, even if another manager has applied it too', async () => {
  const world = quietWorld();
  const entry = { spec: { template: { spec: { containers: [{ image: 'observed' }, bounds(1, 0)] } } } };
  const both = { spec: { template: { spec: { containers: 'observed' } } } };
  say(world, deployment(['one', 'two'], 'web:1'), both);
  world.start();
  await world.pass(minute);
  const theirs = { ...deployment(['one', 'two'], 'web:evil'), metadata: { name: 'web', namespace: 'shop' } };
  assert(world.apply('Deployment/web', theirs, 'helm'));
  await world.pass(minute);
  say(world, deployment(['one'], 'web:2'), entry);
  await world.pass(minute);
  assert.deepEqual(containersOf(world), ['one']);
  assert.equal(conditionOf(world.get('Application/web'), 'Applied'), 'True');
  await world.stop();
});

test('a resource that is no longer observed is not deleted if its label was removed at the same time', async () => {
  const world = quietWorld();
  say(world, service('a', 8080), { spec: { selector: 'observed', ports: 'observed' } });
  world.start();
  await world.pass(minute);
  await world.stop();
  const live = objectOf(world.get('Service/web'));
  assert(
    world.put('Service/web', { ...live, metadata: { ...objectOf(live['metadata']), labels: {} } }, 'kubectl-edit'),
  );
  say(world, service('b', 9090), { spec: { ports: 'observed' } });
  world.start();
  await world.pass(minute);
  assert.deepEqual(specOf(world)['selector'], { app: 'b' });
  await world.stop();
});

const firstPort = { ports: [{ targetPort: 'observed' }, bounds(0, 0)] };
const firstTargetPort = (world: StoryWorld) => objectOf(arrayOf(specOf(world)['ports'])[0])['targetPort'];

test('a correction while an update is refused does not delete a field that only that update observes', async () => {
  let isUpdating = false;
  const listener = afterObserved(() => {
    // The last apply of the update, of the unobserved fields, is refused: it has the name of port 300 too.
    if (isUpdating) rename(world, 90);
    isUpdating = false;
  });
  const world = quietWorld(listener);
  say(world, service('a', 8080), { spec: firstPort });
  world.start();
  await world.pass(minute);
  // So only the apply of the observed fields has the selector.
  edit(world, { selector: { app: 'theirs' } });
  isUpdating = true;
  say(world, service('b', 8081), { spec: { ...firstPort, selector: 'observed' } });
  await world.pass(minute);
  assert.deepEqual([portsOf(world), specOf(world)['selector']], [[80, 300], { app: 'b' }]);
  assert.equal(conditionOf(world.get('Application/web'), 'Applied'), 'False');
  editPort(world, 80, { targetPort: 9999 });
  await world.pass(minute);
  assert.deepEqual([firstTargetPort(world), specOf(world)['selector']], [8080, { app: 'b' }]);
  editPort(world, 300, { port: 90 });
  await world.pass(6 * minute);
  assert.deepEqual([firstTargetPort(world), specOf(world)['selector']], [8081, { app: 'b' }]);
  assert.equal(conditionOf(world.get('Application/web'), 'Applied'), 'True');
  await world.stop();
});

test('an update sets a field that an update in between had set and observed before it failed', async () => {
  let isFailing = false;
  const listener = afterObserved(() => {
    if (isFailing) world.server.failures = { kind: 503, probability: 1 };
  });
  const world = quietWorld(listener);
  say(world, service('a', 8080), { spec: firstPort });
  world.start();
  await world.pass(minute);
  isFailing = true;
  say(world, service('b', 8081), { spec: { ...firstPort, selector: 'observed' } });
  await world.pass(1_000);
  assert.deepEqual([firstTargetPort(world), specOf(world)['selector']], [8081, { app: 'b' }]);
  say(world, service('a', 8082), { spec: firstPort });
  isFailing = false;
  world.server.failures = undefined;
  await world.pass(minute);
  assert.deepEqual([firstTargetPort(world), specOf(world)['selector']], [8082, { app: 'a' }]);
  assert.equal(conditionOf(world.get('Application/web'), 'Applied'), 'True');
  await world.stop();
});

test('an atomic map is not deleted when the part of it that was observed is no longer observed', async () => {
  const world = quietWorld();
  const manifest = service('a', 8080);
  const spec = { ...objectOf(manifest['spec']), selector: { app: 'a', tier: 'web' } };
  say(world, { ...manifest, spec }, { spec: { ...firstPort, selector: { app: 'observed' } } });
  world.start();
  await world.pass(minute);
  edit(world, { selector: { app: 'theirs', tier: 'theirs' } });
  await world.pass(minute);
  assert.deepEqual(specOf(world)['selector'], { app: 'a', tier: 'theirs' });
  say(world, { ...manifest, spec }, { spec: firstPort });
  await world.pass(minute);
  assert.deepEqual(specOf(world)['selector'], { app: 'a', tier: 'web' });
  assert.equal(conditionOf(world.get('Application/web'), 'Applied'), 'True');
  await world.stop();
});

test('a resource that another application claims between two requests of its correction is left to that application', async () => {
  let isClaimed = false;
  const other = ownerOf({ namespace: 'shop', name: 'other' }).label;
  const world = quietWorld({
    sent(call) {
      if (!isTakeOver(call) || isClaimed) return;
      isClaimed = true;
      relabel({ [labelName]: other });
    },
  });
  function relabel(labels: JsonObject, spec: JsonObject = {}): void {
    const live = objectOf(world.get('Service/web'));
    const metadata = { ...objectOf(live['metadata']), labels };
    assert(world.put('Service/web', { ...live, metadata, spec: { ...specOf(world), ...spec } }, 'kubectl-edit'));
  }
  say(world, service('a', 8080), { spec: { ports: 'observed' } });
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' }, data: { a: '1' } };
  say(world, settings, { data: 'observed' }, 'other');
  world.start();
  await world.pass(minute);
  // The added port takes a request of its own, before the apply of the label and the ports.
  relabel({}, { ports: [...arrayOf(specOf(world)['ports']), { name: 'added', port: 300 }] });
  await world.pass(20 * minute);
  assert(isClaimed);
  assert.deepEqual([labelOf(world.get('Service/web')), portsOf(world)], [other, [80, 90, 300]]);
  assert.equal(conditionOf(world.get('Application/web'), 'Degraded'), 'True');
  await world.stop();
});

test('a key that another client removed together with the observed ones is not restored, unless it is new in the manifest', async () => {
  const world = quietWorld();
  const settings = (data: JsonObject) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data });
  const dataOf = () => objectOf(world.get('ConfigMap/web'))['data'];
  const clear = () => {
    const { data: _, ...live } = objectOf(world.get('ConfigMap/web'));
    assert(world.put('ConfigMap/web', live, 'kubectl-edit'));
    assert.equal(dataOf(), undefined);
  };
  say(world, settings({ a: '1', b: '1' }), { data: { a: 'observed' } });
  world.start();
  await world.pass(minute);
  clear();
  await world.pass(minute);
  assert.deepEqual(dataOf(), { a: '1' });
  clear();
  say(world, settings({ a: '2', b: '1', c: '1' }), { data: { a: 'observed' } });
  await world.pass(minute);
  assert.deepEqual(dataOf(), { a: '2', c: '1' });
  await world.stop();
});

test('an update sets replicas that the manifest did not have before, even if the label was removed at the same time', async () => {
  const world = quietWorld();
  const entry = { spec: { template: { spec: { containers: [{ image: 'observed' }, bounds(0, 0)] } } } };
  say(world, deployment(['one'], 'web:1'), entry);
  world.start();
  await world.pass(minute);
  const live = objectOf(world.get('Deployment/web'));
  const metadata = { ...objectOf(live['metadata']), labels: {} };
  assert(world.put('Deployment/web', { ...live, metadata }, 'kubectl-edit'));
  say(world, deployment(['one'], 'web:1', { replicas: 2 }), entry);
  await world.pass(minute);
  assert.equal(objectOf(objectOf(world.get('Deployment/web'))['spec'])['replicas'], 2);
  await world.stop();
});
