import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { type AllowedResources, everythingAllowed } from '../../../src/config/schema/allowedResources.ts';
import { defaultObserver, observerSection } from '../../../src/config/schema/observer.ts';
import type { Identity } from '../../../src/observer/objects/identity.ts';
import { whyNotAllowed, whyNothingIsAllowed } from '../../../src/observer/spec/allowed.ts';
import { type ObserverWorld, observerWorld } from '../../support/world/observerWorld.ts';

const allow = (...entries: readonly object[]): AllowedResources => observerSection.parse({ allow: entries }).allow;
const resource = (group: string, kind: string, namespace: string): Identity => ({ group, kind, namespace, name: 'x' });

const deployment = resource('apps', 'Deployment', 'shop');
const elsewhere = resource('apps', 'Deployment', 'kube-system');
const quota = resource('', 'ResourceQuota', 'shop');
const widget = resource('example.org', 'Widget', 'shop');
const clusterRole = resource('rbac.authorization.k8s.io', 'ClusterRole', '');
const globe = resource('example.org', 'Globe', '');
const resources = { deployment, elsewhere, quota, widget, clusterRole, globe };

/** Which of the resources Applications of the namespace `home` may hold. */
const allowedBy = (entries: AllowedResources, home = 'shop') =>
  Object.entries(resources).flatMap(([name, each]) => (whyNotAllowed(entries, home, each) === undefined ? [name] : []));

test('without the key, Applications may hold namespaced kinds in their own namespace', () => {
  assert.deepEqual(allowedBy(defaultObserver.allow), ['deployment', 'quota', 'widget']);
  assert.deepEqual(allowedBy(defaultObserver.allow, 'kube-system'), ['elsewhere']);
});

test('an entry allows the kinds and namespaces that it names, and one matching entry is enough', () => {
  assert.deepEqual(allowedBy(everythingAllowed), Object.keys(resources));
  assert.deepEqual(allowedBy(allow({ kinds: ['Deployment'] })), ['deployment']);
  assert.deepEqual(allowedBy(allow({ kinds: ['Deployment.apps'] })), ['deployment']);
  assert.deepEqual(allowedBy(allow({ kinds: ['Widget'] })), [], 'a kind of a custom group needs its group');
  assert.deepEqual(allowedBy(allow({ kinds: ['Widget.example.org'] })), ['widget']);
  assert.deepEqual(allowedBy(allow({ kinds: ['Deployment.example.org'] })), []);
  assert.deepEqual(allowedBy(allow({ kinds: ['*.example.org'] })), ['widget'], 'and nothing that is cluster-scoped');
  assert.deepEqual(allowedBy(allow({ exceptKinds: ['ResourceQuota', '*.example.org'] })), ['deployment']);
  assert.deepEqual(allowedBy(allow({ namespaces: ['kube-system'] })), ['elsewhere']);
  assert.deepEqual(allowedBy(allow({ kinds: ['Deployment'] }, { namespaces: ['kube-system'] })), [
    'deployment',
    'elsewhere',
  ]);
  assert.deepEqual(allowedBy(allow({ kinds: ['Pod'], clusterKinds: ['ClusterRole'] })), ['clusterRole']);
  assert.deepEqual(allowedBy(allow({ kinds: ['Pod'], clusterKinds: ['*.example.org'] })), ['globe']);
});

test('an entry applies to the Applications of the namespaces that it names', () => {
  const entries = allow({ kinds: ['Widget.example.org'] }, { applicationNamespaces: ['shop'], clusterKinds: 'all' });
  assert.deepEqual(allowedBy(entries), ['deployment', 'quota', 'widget', 'clusterRole', 'globe']);
  assert.deepEqual(allowedBy(entries, 'other'), []);
  assert.equal(whyNothingIsAllowed(entries, 'other'), undefined);
  const only = allow({ applicationNamespaces: ['shop'] });
  assert.equal(whyNothingIsAllowed(only, 'shop'), undefined);
  assert.match(whyNothingIsAllowed(only, 'other') ?? '', /no Applications in the namespace other \(observer\.allow\)/);
});

test('a resource that is not allowed is reported with its kind and namespace', () => {
  const why = (each: Identity) => whyNotAllowed(defaultObserver.allow, 'shop', each);
  const may = "weeder's config does not allow Applications of the namespace shop to hold a";
  assert.equal(why(elsewhere), `${may} Deployment in the namespace kube-system (observer.allow)`);
  assert.equal(why(globe), `${may} Globe.example.org which is cluster-scoped (observer.allow)`);
});

const settings = (name: string, namespace?: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  data: { a: '1' },
});
const globes = { apiVersion: 'example.org/v1', kind: 'Globe', metadata: { name: 'earth' }, spec: { size: 1 } };

function invalidOf(world: ObserverWorld, name: string): string {
  const { conditions } = objectOf(world.application(name)?.['status']);
  const { status, message } =
    arrayOf(conditions)
      .map(objectOf)
      .find(({ type }) => type === 'Invalid') ?? {};
  return status === 'True' ? (textOf(message) ?? '') : '';
}

function allowFromNowOn(world: ObserverWorld, entries: AllowedResources): void {
  const observer = { ...defaultObserver, allow: entries };
  world.core.configure({ services: new Map(), restart: undefined, observer });
}

test('what is not allowed is neither read nor written, the other resources are applied, and a config that allows it applies at once', async () => {
  const world = await observerWorld({ allow: defaultObserver.allow });
  world.apply('web', { manifests: [settings('own'), settings('theirs', 'other'), globes] });
  await world.pass(5_000);
  assert.notEqual(world.object('ConfigMap/own'), undefined);
  const asked = world.requests.filter(({ key }) => key.includes('theirs') || key.includes('earth'));
  assert.deepEqual(asked, []);
  assert.match(
    invalidOf(world, 'web'),
    /spec\.manifests\[1\]: weeder's config does not allow .* ConfigMap in the namespace other/,
  );
  assert.match(invalidOf(world, 'web'), /spec\.manifests\[2\]: .* Globe\.example\.org which is cluster-scoped/);
  allowFromNowOn(world, everythingAllowed);
  await world.pass(5_000);
  assert.equal(invalidOf(world, 'web'), '');
  assert.notEqual(world.object('Globe/earth'), undefined);
});

test('a resource that is no longer allowed is not changed: neither corrected nor deleted', async () => {
  const world = await observerWorld({ allow: everythingAllowed });
  world.apply('web', { manifests: [settings('own'), globes], resyncPeriod: '5s' });
  await world.pass(5_000);
  allowFromNowOn(world, defaultObserver.allow);
  await world.pass(5_000);
  world.requests.length = 0;
  world.edit('Globe/earth', { spec: { size: 2 } });
  world.edit('ConfigMap/own', { data: { a: 'theirs' } });
  await world.pass(60_000);
  assert.equal(objectOf(world.object('Globe/earth')?.['spec'])['size'], 2);
  assert.equal(objectOf(world.object('ConfigMap/own')?.['data'])['a'], '1', 'the other resources are managed');
  assert.deepEqual(
    world.requests.filter(({ key }) => key.includes('earth')),
    [],
  );
  assert.match(invalidOf(world, 'web'), /manifests\[1\]/);
  world.deleteApplication('web');
  await world.pass(60_000);
  assert.equal(world.object('Globe/earth'), undefined, 'it was applied by this application');
});

test('in a namespace without an entry an Application is refused as a whole, and gets no finalizer', async () => {
  const world = await observerWorld({ allow: allow({ applicationNamespaces: ['platform'] }) });
  world.apply('web', { manifests: [settings('own')] });
  await world.pass(5_000);
  assert.equal(world.object('ConfigMap/own'), undefined);
  assert.match(
    invalidOf(world, 'web'),
    /metadata\.namespace: weeder's config allows no Applications in the namespace shop/,
  );
  assert.deepEqual(objectOf(world.application('web')?.['metadata'])['finalizers'] ?? [], []);
  world.deleteApplication('web');
  await world.pass(5_000);
  assert.equal(world.application('web'), undefined);
});
