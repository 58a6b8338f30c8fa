import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '../../../src/base/json.ts';
import { conditionOf } from '../../support/story/storyApplications.ts';
import { type StoryWorld, storyWorld } from '../../support/story/storyWorld.ts';

/** Cases that the property test of the observer found. */
const minute = 60_000;
const bounds = (min: number, max: number) => ({
  observer_schema_list_min_length: min,
  observer_schema_list_max_length: max,
});

function quietWorld(): StoryWorld {
  const nothing = () => undefined;
  const listener = { sent: nothing, done: nothing, refusedPermanently: nothing, answered: nothing };
  return storyWorld({ random: () => 0.5, listener, report: () => undefined, onOthers: () => undefined });
}

function say(world: StoryWorld, manifest: JsonObject, entry: JsonObject): void {
  const { apiVersion, kind, metadata } = manifest;
  const spec = { manifests: [manifest], observerSchema: [{ apiVersion, kind, metadata, ...entry }] };
  const live = world.get('Application/web') ?? { metadata: { name: 'web', namespace: 'shop' } };
  const application = { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', ...live, spec };
  assert(world.put('Application/web', application, 'owner'));
}

function service(selector: string, targetPort: number): JsonObject {
  const ports = [
    { name: 'p80', port: 80, targetPort },
    { name: 'p90', port: 90, targetPort },
  ];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { selector: { app: selector }, ports } };
}

/** Another client changes the number of port 80, but not its name. */
function rename(world: StoryWorld): void {
  const live = objectOf(world.get('Service/web'));
  const spec = objectOf(live['spec']);
  const ports = arrayOf(spec['ports']).map((each) => {
    const port = objectOf(each);
    return port['port'] === 80 ? { ...port, port: 300 } : port;
  });
  assert(world.put('Service/web', { ...live, spec: { ...spec, ports } }, 'kubectl-edit'));
}

function portsOf(world: StoryWorld): unknown[] {
  return arrayOf(objectOf(objectOf(world.get('Service/web'))['spec'])['ports']).map((each) => objectOf(each)['port']);
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
  assert.deepEqual(objectOf(objectOf(world.get('Service/web'))['spec'])['selector'], { app: 'b' });
  assert.deepEqual(portsOf(world).toSorted(), [300, 90]);
  assert.equal(conditionOf(world.get('Application/web'), 'Applied'), 'True');
  await world.stop();
});

test('a container that left the manifest is removed, even if another manager has applied it too', async () => {
  const world = quietWorld();
  const entry = { spec: { template: { spec: { containers: [{ image: 'observed' }, bounds(1, 0)] } } } };
  const both = { spec: { template: { spec: { containers: 'observed' } } } };
  const deployment = (names: readonly string[], image: string) => {
    const labels = { app: 'web' };
    const containers = names.map((name) => ({ name, image }));
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
    return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
  };
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
  assert.deepEqual(objectOf(objectOf(world.get('Service/web'))['spec'])['selector'], { app: 'b' });
  await world.stop();
});
