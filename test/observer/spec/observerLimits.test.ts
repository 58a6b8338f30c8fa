import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { defaultObserver } from '../../../src/config/schema/observer.ts';
import { knownApplications } from '../../../src/observer/application/knownApplications.ts';
import { type ApplicationSize, refusedInNamespace } from '../../../src/observer/spec/applicationLimits.ts';
import { type ObserverWorld, observerWorld, refusal } from '../../support/world/observerWorld.ts';

const size = (name: string, created: number, more: Partial<ApplicationSize> = {}): ApplicationSize => ({
  namespace: 'shop',
  name,
  uid: name,
  createdAt: `2026-01-01T00:00:0${created}Z`,
  resources: 1,
  bytes: 100,
  ...more,
});
const limits = { applicationsPerNamespace: 3, resourcesPerNamespace: 10, bytesPerNamespace: 1_000, bytes: 5_000 };

test('the oldest applications of a namespace are accepted, whatever the order in which they arrive', () => {
  const sizes = [size('d', 4), size('a', 1), size('c', 3), size('b', 2)];
  for (const some of [sizes, sizes.toReversed()]) {
    const refused = refusedInNamespace(some, limits);
    assert.deepEqual([...refused.keys()], ['d']);
    assert.match(refused.get('d') ?? '', /more than 3 applications.*observer\.applicationsPerNamespace/);
  }
  assert.equal(refusedInNamespace(sizes, { ...limits, applicationsPerNamespace: 4 }).size, 0);
  const same = [size('b', 1), size('a', 1)];
  assert.deepEqual([...refusedInNamespace(same, { ...limits, applicationsPerNamespace: 1 }).keys()], ['b'], 'by uid');
});

test('resources and bytes are summed up, and a refused application does not count', () => {
  const large = size('large', 2, { resources: 10 });
  const refused = refusedInNamespace([size('a', 1), large, size('b', 3)], limits);
  assert.deepEqual([...refused.keys()], ['large']);
  assert.match(refused.get('large') ?? '', /more than 10 resources/);
  const long = size('long', 2, { bytes: 901 });
  assert.match(refusedInNamespace([size('a', 1), long], limits).get('long') ?? '', /more than 1000 bytes of specs/);
  assert.equal(refusedInNamespace([size('a', 1), size('long', 2, { bytes: 900 })], limits).size, 0);
});

const settings = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } });
const created = (second: number) => ({ creationTimestamp: `2026-01-01T00:00:0${second}Z` });

function invalidOf(world: ObserverWorld, name: string): string {
  const { conditions } = objectOf(world.application(name)?.['status']);
  const conditionList = arrayOf(conditions).map(objectOf);
  const { status, message } = conditionList.find(({ type }) => type === 'Invalid') ?? {};
  return status === 'True' ? (textOf(message) ?? '') : '';
}

test('an application over the limits is refused in the status and an Event, and applied as soon as the limits allow', async () => {
  const world = await observerWorld({ limits: { applicationsPerNamespace: 2 } });
  world.apply('third', { manifests: [settings('c')] }, created(3));
  world.apply('first', { manifests: [settings('a')] }, created(1));
  await world.pass(5_000);
  assert(world.object('ConfigMap/c') !== undefined && world.object('ConfigMap/a') !== undefined);
  world.apply('second', { manifests: [settings('b')] }, created(2));
  await world.pass(5_000);
  assert.match(invalidOf(world, 'third'), /more than 2 applications/);
  assert.equal(invalidOf(world, 'second'), '');
  assert(world.object('ConfigMap/b') !== undefined);
  assert(world.object('ConfigMap/c') !== undefined, 'what was applied is not deleted');
  const reported = world.eventsOf('application.invalid');
  assert.deepEqual(
    reported.map((event) => event.application.name),
    ['third'],
  );
  world.edit('ConfigMap/c', { data: { a: 'theirs' } });
  await world.pass(5_000);
  assert.deepEqual(world.object('ConfigMap/c')?.['data'], { a: 'theirs' }, 'it is not corrected');
  world.deleteApplication('second');
  await world.pass(60_000);
  assert.equal(invalidOf(world, 'third'), '');
  assert.deepEqual(world.object('ConfigMap/c')?.['data'], { a: '1' });
});

test('an application that grows beyond the limits is refused, no older one is; deleting it deletes its resources', async () => {
  const world = await observerWorld({ limits: { resourcesPerNamespace: 3 } });
  world.apply('first', { manifests: [settings('a')] }, created(1));
  world.apply('second', { manifests: [settings('b')], deletionPolicy: 'delete' }, created(2));
  await world.pass(5_000);
  world.apply('second', { manifests: ['b', 'c', 'd'].map(settings), deletionPolicy: 'delete' });
  await world.pass(5_000);
  assert.match(invalidOf(world, 'second'), /more than 3 resources/);
  assert.equal(invalidOf(world, 'first'), '');
  assert.equal(world.object('ConfigMap/c'), undefined);
  world.deleteApplication('second');
  await world.pass(60_000);
  assert.deepEqual([world.object('ConfigMap/b'), world.application('second')], [undefined, undefined]);
  assert(world.object('ConfigMap/a') !== undefined);
});

test('the limit over all namespaces refuses the newest, until others are deleted', () => {
  const applications = knownApplications({ ...defaultObserver, bytesPerNamespace: 700, bytes: 1_000 });
  const take = (id: string, second: number, length: number) => {
    const [namespace = '', name = ''] = id.split('/');
    const metadata = { namespace, name, uid: id, resourceVersion: '1', ...created(second) };
    const manifests = [{ ...settings('a'), data: { a: 'x'.repeat(length) } }];
    return applications.take(id, { kind: 'Application', metadata, spec: { manifests } });
  };
  const refused = () =>
    [...applications.ids()].filter((id) => applications.get(id)?.application.refusal !== undefined).toSorted();
  take('one/a', 1, 300);
  take('two/a', 3, 300);
  assert.deepEqual(refused(), []);
  const changed = take('three/a', 2, 300);
  assert.deepEqual([changed.toSorted(), refused()], [['three/a', 'two/a'], ['two/a']]);
  assert.match(
    applications.get('two/a')?.application.refusal ?? '',
    /all namespaces.* more than 1000 bytes.*observer\.bytes$/,
  );
  take('four/large', 0, 800);
  assert.deepEqual(refused(), ['four/large', 'two/a'], 'what its namespace refuses does not count');
  assert.deepEqual(applications.remove('one/a'), ['two/a']);
  assert.deepEqual(refused(), ['four/large']);
});

test('a config with other limits applies at once', async () => {
  const world = await observerWorld({ limits: { applicationsPerNamespace: 1 } });
  world.apply('first', { manifests: [settings('a')] }, created(1));
  world.apply('second', { manifests: [settings('b')] }, created(2));
  await world.pass(5_000);
  assert.match(invalidOf(world, 'second'), /more than 1 applications/);
  world.core.configure({ services: new Map(), restart: undefined, observer: defaultObserver });
  await world.pass(5_000);
  assert.equal(invalidOf(world, 'second'), '');
  assert(world.object('ConfigMap/b') !== undefined);
});

test('an application that cannot be read again is read later, and no timer is left when the observer stops before', async () => {
  const world = await observerWorld({ limits: { applicationsPerNamespace: 1 } });
  world.apply('first', { manifests: [settings('a')] }, created(1));
  world.apply('second', { manifests: [settings('b')] }, created(2));
  await world.pass(5_000);
  world.refusals.set('application', refusal('transient', 'etcd is slow'));
  world.core.configure({ services: new Map(), restart: undefined, observer: defaultObserver });
  await world.pass(29_000);
  assert.equal(world.object('ConfigMap/b'), undefined);
  world.refusals.clear();
  await world.pass(2_000);
  assert.deepEqual(world.object('ConfigMap/b')?.['data'], { a: '1' });

  world.apply('third', { manifests: [settings('c')] }, created(3));
  world.core.configure({ services: new Map(), restart: undefined, observer: { ...defaultObserver, ...one } });
  await world.pass(5_000);
  world.refusals.set('application', refusal('transient', 'etcd is slow'));
  world.core.configure({ services: new Map(), restart: undefined, observer: defaultObserver });
  await world.pass(5_000);
  world.stop();
  await world.pass(0);
  assert.equal(world.clock.pending, 0);
});

const one = { applicationsPerNamespace: 1 };
