import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import type { InspectionEvent } from 'xstate';
import { isActor } from '../../src/actors/actorRuntime.ts';
import type { RestMapping } from '../../src/observer/plan/resourceApi.ts';
import { configMap, deployment, type ObserverWorld, observerWorld, refusal } from '../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;

/** The application `web`, applied and observed. */
async function observed(names: readonly string[], spec: object = {}): Promise<ObserverWorld> {
  const world = await observerWorld();
  world.apply('web', { manifests: names.map((name) => configMap(name)), ...spec });
  await world.pass(2 * second);
  return world;
}

function stateOf(world: ObserverWorld, name = 'web'): unknown {
  return [...world.core.entries()].find(({ id }) => id === `shop/${name}`)?.actor.getSnapshot().value;
}

function keyOf(world: ObserverWorld, name: string): unknown {
  return objectOf(world.object(`ConfigMap/${name}`)?.['data'])['key'];
}

test('a created application is applied in the order of its manifests, and then observed', async () => {
  const world = await observed(['one', 'two']);
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'create ConfigMap/two']);
  assert.equal(stateOf(world), 'observing');
  assert.deepEqual([world.condition('web', 'Applied'), world.condition('web', 'InSync')], ['True', 'True']);
  world.stop();
});

test('the resources of a large application are applied sixteen at a time, in the order of the manifests', async () => {
  const world = await observerWorld();
  world.requestTime = 100;
  const names = Array.from({ length: 160 }, (_, index) => `c${index}`);
  world.apply('web', { manifests: names.map((name) => configMap(name)) });
  for (let tick = 0; tick < 600 && stateOf(world) !== 'observing'; tick += 1) await world.pass(100);
  assert.equal(world.maxInFlight, 16);
  const created = world.requests.filter(({ what }) => what === 'create');
  assert.deepEqual(
    created.map(({ key }) => key),
    names.map((name) => `ConfigMap/${name}`),
  );
  // Each of them is checked and created: 160 of them in ten rounds.
  const took = (created.at(-1)?.at ?? 0) - (created.at(0)?.at ?? 0);
  assert.ok(took < 10 * 2 * 100, `${took} ms`);
  world.stop();
});

test('workloads are applied after everything that they may use was tried, and a failure blocks nothing', async () => {
  const world = await observerWorld();
  world.requestTime = 100;
  world.refusals.set('create ConfigMap/b', refusal('permanent', 'no'));
  world.apply('web', { manifests: [deployment('web'), ...['a', 'b', 'c'].map((name) => configMap(name))] });
  await world.pass(10 * second);
  const writes = world.writes();
  const at = writes.indexOf('create Deployment/web');
  assert.deepEqual(writes.slice(0, at).toSorted(), ['create ConfigMap/a', 'create ConfigMap/b', 'create ConfigMap/c']);
  assert.notEqual(world.object('Deployment/web'), undefined);
  world.stop();
});

test('before a resource is applied its name is in the status, and the finalizer is on the application', async () => {
  const world = await observerWorld();
  world.requestTime = 10;
  world.apply('web', { manifests: [configMap('one')] });
  for (let tick = 0; tick < 100 && world.writes().length === 0; tick += 1) await world.pass(1);
  assert.equal(world.object('ConfigMap/one'), undefined);
  const { metadata, status } = objectOf(world.application('web'));
  assert.deepEqual(objectOf(metadata)['finalizers'], ['weeder.dev/application']);
  const [row] = objectOf(status)['resources'] as readonly object[];
  assert.deepEqual(row, { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'one', state: 'Pending' });
  world.stop();
});

test('when an application is updated, the observer stops before anything is applied, and a new one starts afterwards', async () => {
  const observers: string[] = [];
  const inspect = (event: InspectionEvent) => {
    if (event.type === '@xstate.actor' && isActor(event.actorRef) && event.actorRef.id === 'observer')
      observers.push('started');
  };
  const world = await observerWorld({ inspect });
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(2 * second);
  assert.deepEqual(observers, ['started']);
  world.requestTime = 50;
  world.apply('web', { manifests: [configMap('one', 'b')] });
  for (let tick = 0; tick < 500 && world.writes().length < 2; tick += 1) await world.pass(1);
  // It is not observed during the apply: an edit causes no correction.
  assert.equal(stateOf(world), 'applying');
  assert.deepEqual(
    [...world.core.entries()].flatMap(({ resources }) =>
      [...resources.values()].map(({ actor }) => actor.getSnapshot().value),
    ),
    ['unobserved'],
  );
  await world.pass(2 * second);
  assert.deepEqual(observers, ['started', 'started']);
  assert.deepEqual([stateOf(world), keyOf(world, 'one')], ['observing', 'b']);
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'update ConfigMap/one']);
  world.stop();
});

test('a resource whose actor has failed is observed again after the next update of its application', async () => {
  let isBroken = true;
  const world = await observerWorld({
    onEvent({ type }) {
      if (type === 'resource.drifted' && isBroken) throw new Error('broken');
    },
  });
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(2 * second);
  world.edit('ConfigMap/one', { data: { key: 'edited' } });
  await world.pass(2 * second);
  assert.deepEqual(
    world.eventsOf('actor.failed').map(({ actor }) => actor),
    ['resource shop/web /ConfigMap/shop/one'],
  );
  assert.equal(keyOf(world, 'one'), 'edited');
  isBroken = false;
  world.apply('web', { manifests: [configMap('one')], resyncPeriod: '1h' });
  await world.pass(2 * second);
  // It remembers what was applied: the manifest is not applied again, and the edit is a drift.
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'correct ConfigMap/one']);
  world.stop();
});

test('when an application is updated while its kinds are being resolved, the newest spec is applied, whichever response arrives last', async () => {
  const world = await observerWorld();
  world.findTimes.push(300, 300, 10, 10);
  world.apply('web', { manifests: [configMap('old'), configMap('one')] });
  await world.pass(5);
  world.apply('web', { manifests: [configMap('one'), configMap('new')] });
  await world.pass(2 * second);
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'create ConfigMap/new']);
  assert.equal(world.condition('web', 'InSync'), 'True');
  await world.pass(minute);
  assert.equal(world.writes().length, 2);
  world.stop();
});

test('when a drifted application is updated, the running correction ends before the new manifest is applied', async () => {
  const world = await observed(['one']);
  world.requestTime = 50;
  world.edit('ConfigMap/one', { data: { key: 'evil' } });
  await world.pass(10);
  world.apply('web', { manifests: [configMap('one', 'b')] });
  await world.pass(2 * second);
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'correct ConfigMap/one', 'update ConfigMap/one']);
  assert.deepEqual([stateOf(world), keyOf(world, 'one')], ['observing', 'b']);
  world.stop();
});

test('when an application is deleted, the observer stops, and the resources are deleted in reverse order, and then the application', async () => {
  const world = await observed(['one', 'two']);
  world.requestTime = 20;
  world.deleteApplication('web');
  await world.pass(10);
  assert.deepEqual(stateOf(world), { deleting: 'attempting' });
  await world.pass(2 * second);
  assert.deepEqual(world.writes().slice(2), ['delete ConfigMap/two', 'delete ConfigMap/one']);
  assert.deepEqual([world.application('web'), world.core.counts().applications], [undefined, {}]);
  assert.deepEqual([world.object('ConfigMap/one'), world.object('ConfigMap/two')], [undefined, undefined]);
  assert.equal(world.eventsOf('application.deleted').length, 1);
  world.stop();
});

test('when an application is deleted with deletionPolicy orphan, its resources are released, and not deleted', async () => {
  const world = await observed(['one'], { deletionPolicy: 'orphan' });
  world.deleteApplication('web');
  await world.pass(2 * second);
  assert.deepEqual(world.writes().slice(1), ['release ConfigMap/one']);
  assert.equal(world.application('web'), undefined);
  assert.deepEqual(objectOf(objectOf(world.object('ConfigMap/one'))['metadata'])['labels'], undefined);
  world.stop();
});

test('when a drifted application is deleted, nothing is corrected any more', async () => {
  const world = await observed(['one']);
  world.refusals.set('correct', refusal('transient', 'busy'));
  world.edit('ConfigMap/one', { data: { key: 'evil' } });
  await world.pass(100);
  world.refusals.clear();
  world.deleteApplication('web');
  const before = world.writes().length;
  await world.pass(minute);
  assert.deepEqual(world.writes().slice(before), ['delete ConfigMap/one']);
  world.stop();
});

test('an application in a terminating namespace releases the resources in it, and deletes nothing there', async () => {
  const world = await observed(['one']);
  world.endNamespace();
  world.refusals.set('delete', refusal('forbidden', 'the ServiceAccount is deleted'));
  world.deleteApplication('web');
  await world.pass(2 * second);
  assert.deepEqual([world.writes().slice(1), world.application('web')], [[], undefined]);
  world.stop();
});

test('a refused deletion is retried after growing pauses, is reported, and can be forced', async () => {
  const world = await observed(['one']);
  world.refusals.set('delete', refusal('forbidden', 'not allowed'));
  world.deleteApplication('web');
  await world.pass(10 * minute);
  const attempts = world.writes().filter((each) => each.startsWith('delete')).length;
  assert.ok(attempts > 5 && attempts < 30, `${attempts} attempts`);
  assert.deepEqual(stateOf(world), { deleting: 'waiting' });
  assert.equal(world.condition('web', 'Degraded'), 'True');
  const { generation, ...metadata } = objectOf(world.application('web')?.['metadata']);
  const annotations = { 'weeder.dev/force-finalize': 'true' };
  world.apply('web', objectOf(world.application('web')?.['spec']), { ...metadata, annotations });
  await world.pass(second);
  assert.equal(world.application('web'), undefined);
  assert.ok(world.object('ConfigMap/one'), 'it was not deleted');
  world.stop();
});

test('a resource that leaves the manifests is deleted; one that was added by hand is not touched', async () => {
  const world = await observed(['one', 'two']);
  world.put({ ...configMap('mine'), metadata: { name: 'mine', namespace: 'shop' } });
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(2 * second);
  assert.deepEqual(world.writes().slice(2), ['delete ConfigMap/two']);
  assert.ok(world.object('ConfigMap/mine') && world.object('ConfigMap/one'));
  const { resources } = objectOf(world.application('web')?.['status']);
  assert.equal((resources as readonly object[]).length, 1);
  world.stop();
});

test('while a manifest is invalid nothing is pruned, and the others are applied', async () => {
  const world = await observed(['one', 'two']);
  world.apply('web', { manifests: [configMap('one', 'b'), configMap('no/name')] });
  await world.pass(2 * second);
  assert.deepEqual(world.writes().slice(2), ['update ConfigMap/one']);
  assert.ok(world.object('ConfigMap/two'));
  assert.equal(world.condition('web', 'Invalid'), 'True');
  world.apply('web', { manifests: [configMap('one', 'b')] });
  await world.pass(2 * second);
  assert.equal(world.object('ConfigMap/two'), undefined);
  world.stop();
});

test('an invalid spec is not applied until it is valid', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one'), configMap('one')] });
  await world.pass(minute);
  assert.deepEqual([stateOf(world), world.writes()], ['invalid', []]);
  assert.equal(world.condition('web', 'Invalid'), 'True');
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(2 * second);
  assert.deepEqual([stateOf(world), world.condition('web', 'Invalid')], ['observing', 'False']);
  world.stop();
});

test('a pause ends at its time; until then nothing is applied or corrected', async () => {
  const world = await observed(['one']);
  const pausedUntil = new Date(world.clock.now() + 10 * minute).toISOString();
  world.apply('web', { manifests: [configMap('one')], pausedUntil });
  await world.pass(second);
  world.edit('ConfigMap/one', { data: { key: 'evil' } });
  await world.pass(9 * minute);
  assert.deepEqual([stateOf(world), keyOf(world, 'one')], ['paused', 'evil']);
  await world.pass(2 * minute);
  assert.deepEqual([stateOf(world), keyOf(world, 'one')], ['observing', 'a']);
  world.stop();
});

test('with mode detect nothing is ever written: drift and missing resources are reported', async () => {
  const world = await observerWorld();
  world.put({ ...configMap('one', 'evil'), metadata: { name: 'one', namespace: 'shop' } });
  world.apply('web', { manifests: [configMap('one'), configMap('two')], mode: 'detect' });
  await world.pass(2 * minute);
  assert.deepEqual([world.writes(), keyOf(world, 'one')], [[], 'evil']);
  assert.deepEqual(
    world.eventsOf('resource.drifted').map(({ drifts, isCorrected }) => [drifts.map(({ path }) => path), isCorrected]),
    [[['.data.key'], false]],
  );
  assert.equal(world.eventsOf('resource.missing').length, 1);
  assert.equal(world.condition('web', 'InSync'), 'False');
  assert.equal(objectOf(world.application('web')?.['metadata'])['finalizers'], undefined);
  world.stop();
});

test('in a dry run nothing is applied, and drift is reported', async () => {
  const world = await observerWorld({ isDryRun: true });
  world.put({ ...configMap('one', 'evil'), metadata: { name: 'one', namespace: 'shop' } });
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(2 * second);
  assert.deepEqual([world.writes(), world.eventsOf('resource.drifted').length], [[], 1]);
  world.stop();
});

test('after a restart nothing is applied again; drift of the meantime is corrected', async () => {
  const world = await observed(['one', 'two']);
  world.stop();
  world.sendsEvents = false;
  world.edit('ConfigMap/one', { data: { key: 'evil' } });
  world.sendsEvents = true;
  await world.restart();
  await world.pass(5 * second);
  assert.deepEqual(world.writes().slice(2), ['correct ConfigMap/one']);
  assert.deepEqual([keyOf(world, 'one'), world.condition('web', 'InSync')], ['a', 'True']);
  world.stop();
});

test('after a restart weeder prunes what has left the manifests meanwhile, by the inventory', async () => {
  const world = await observed(['one', 'two']);
  world.stop();
  world.apply('web', { manifests: [configMap('one')] });
  await world.restart();
  await world.pass(2 * second);
  assert.deepEqual(world.writes().slice(2), ['delete ConfigMap/two']);
  world.stop();
});

test('with the inventory of an earlier version, whose states are in camelCase or unknown, weeder prunes and observes', async () => {
  for (const state of ['inSync', 'drifted', 'typeMissing', 'flying', undefined]) {
    const world = await observed(['one', 'two']);
    world.stop();
    world.apply('web', { manifests: [configMap('one')] });
    const before = objectOf(world.application('web')?.['status']);
    const drifts = [{ path: '.data.key', type: 'changed', desired: '"a"', found: '"b"' }];
    const resources = arrayOf(before['resources']).map((row) => ({ ...objectOf(row), state, drifts }));
    world.replaceStatus('web', { ...before, resources });
    await world.restart();
    await world.pass(2 * second);
    assert.deepEqual(world.writes().slice(2), ['delete ConfigMap/two'], String(state));
    assert.equal(world.condition('web', 'InSync'), 'True');
    const rows = arrayOf(objectOf(world.application('web')?.['status'])['resources']).map(objectOf);
    assert.deepEqual(
      rows.map((row) => [row['name'], row['state'], row['drifts']]),
      [['one', 'InSync', undefined]],
    );
    world.stop();
  }
});

test('applies impersonate the default service account of the namespace, or the one that is named', async () => {
  const world = await observed(['one']);
  world.apply('api', { manifests: [configMap('two')], serviceAccountName: 'deployer' });
  await world.pass(2 * second);
  const accounts = new Map(
    world.requests.filter(({ what }) => what === 'create').map(({ key, account }) => [key, account]),
  );
  assert.equal(accounts.get('ConfigMap/one'), 'system:serviceaccount:shop:default');
  assert.equal(accounts.get('ConfigMap/two'), 'system:serviceaccount:shop:deployer');
  world.stop();
});

test('with a missing service account nothing is applied, which is reported once; it continues once the account exists', async () => {
  const world = await observerWorld();
  world.missingAccounts.add('shop/deployer');
  world.apply('web', { manifests: [configMap('one')], serviceAccountName: 'deployer' });
  await world.pass(10 * minute);
  assert.deepEqual(world.requests, []);
  const said = world.eventsOf('application.serviceAccountNotFound');
  const sentence =
    'Nothing is applied: the ServiceAccount shop/deployer does not exist. Create it, or name another one in spec.serviceAccountName.';
  assert.deepEqual(
    said.map(({ reason }) => reason),
    [sentence],
  );
  const { conditions } = objectOf(world.application('web')?.['status']);
  const applied = arrayOf(conditions)
    .map(objectOf)
    .find(({ type }) => type === 'Applied');
  assert.deepEqual([applied?.['reason'], applied?.['message']], ['ServiceAccountNotFound', sentence]);
  assert.equal(world.condition('web', 'Degraded'), 'True');
  assert.ok(world.accountLookups.length < 25, String(world.accountLookups.length));
  world.missingAccounts.clear();
  await world.pass(minute + 2 * second);
  assert.deepEqual(world.writes(), ['create ConfigMap/one']);
  assert.deepEqual([world.condition('web', 'Applied'), world.condition('web', 'Degraded')], ['True', 'False']);
  world.stop();
});

test('the service account of a new namespace, which appears shortly after it, is waited for without a report', async () => {
  const world = await observerWorld();
  world.missingAccounts.add('shop/default');
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(100);
  assert.deepEqual(world.writes(), []);
  world.missingAccounts.clear();
  await world.pass(second);
  assert.deepEqual(world.writes(), ['create ConfigMap/one']);
  assert.deepEqual(world.eventsOf('application.serviceAccountNotFound'), []);
  world.stop();
});

test('without permission to read service accounts everything is applied, and that is reported once', async () => {
  const world = await observerWorld();
  world.refusals.set('account', refusal('forbidden', 'no.'));
  world.apply('web', { manifests: [configMap('one')] });
  world.apply('api', { manifests: [configMap('two')], serviceAccountName: 'deployer' });
  await world.pass(2 * second);
  assert.deepEqual(world.writes(), ['create ConfigMap/one', 'create ConfigMap/two']);
  assert.equal(world.eventsOf('application.serviceAccountUnverified').length, 1);
  assert.equal(world.eventsOf('application.refused').length, 0);
  world.stop();
});

test('an existing service account is checked once in five minutes, for all applications, and only before an apply', async () => {
  const world = await observed(['one']);
  for (const name of ['api', 'jobs']) world.apply(name, { manifests: [configMap(`of-${name}`)] });
  world.apply('seen', { manifests: [configMap('seen')], mode: 'detect', serviceAccountName: 'other' });
  await world.pass(minute);
  assert.deepEqual(world.accountLookups, ['shop/default']);
  await world.restart();
  await world.pass(6 * minute);
  assert.deepEqual(world.accountLookups, ['shop/default'], 'everything is applied');
  world.apply('web', { manifests: [configMap('one', 'b')] });
  await world.pass(6 * minute);
  world.apply('web', { manifests: [configMap('one', 'c')] });
  await world.pass(second);
  assert.deepEqual(world.accountLookups, ['shop/default', 'shop/default', 'shop/default']);
  world.stop();
});

test('an application that creates its own service account is applied', async () => {
  const world = await observerWorld();
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'own' } };
  world.apply('web', { manifests: [account, configMap('one')], serviceAccountName: 'own' });
  await world.pass(2 * second);
  assert.deepEqual(world.writes(), ['create ServiceAccount/own', 'create ConfigMap/one']);
  world.stop();
});

test('weeder’s own permissions are used only if the flag allows it and no service account is named', async () => {
  const world = await observerWorld({ mayUseOwnRights: true });
  world.apply('web', { manifests: [configMap('one')] });
  world.apply('api', { manifests: [configMap('two')], serviceAccountName: 'deployer' });
  await world.pass(2 * second);
  const accounts = world.requests.filter(({ what }) => what === 'create').map(({ account }) => account);
  assert.deepEqual(accounts.sort(), ['system:serviceaccount:shop:deployer', undefined]);
  world.stop();
});

test('the duration of a correction is the same if the stream delivers it before the response', async () => {
  const world = await observed(['one']);
  world.requestTime = 100;
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(second);
  assert.deepEqual(
    world.eventsOf('resource.corrected').map(({ took }) => took),
    [100],
  );
  world.stop();
});

test('a refusal because of another application of the same name is not reported; another refusal is, and the apply continues', async () => {
  const replaced = await observerWorld();
  replaced.slow.set('status', 50);
  replaced.apply('web', { manifests: [configMap('one')] });
  await replaced.pass(20);
  replaced.remove('Application/web');
  replaced.apply('web', { manifests: [configMap('one')] });
  await replaced.pass(2 * second);
  assert.deepEqual(replaced.eventsOf('application.refused'), []);
  assert.deepEqual(replaced.writes(), ['create ConfigMap/one']);
  replaced.stop();
  for (const [is, reports] of [
    ['missing', 0],
    ['transient', 1],
  ] as const) {
    const world = await observerWorld();
    world.refusals.set('status', refusal(is));
    world.apply('web', { manifests: [configMap('one')] });
    await world.pass(100);
    assert.equal(world.eventsOf('application.refused').length, reports, is);
    assert.deepEqual(world.writes(), [], 'nothing is applied before its name is in the status');
    world.refusals.clear();
    await world.pass(2 * second);
    assert.deepEqual(world.writes(), ['create ConfigMap/one']);
    world.stop();
  }
});

test('a manifest with a duplicate list key is an error, and its resource is not changed; the others are applied', async () => {
  const web = (...names: readonly string[]) => {
    const containers = names.map((name) => ({ name, image: 'app:1' }));
    return deployment('web', '', { template: { metadata: { labels: { app: 'web' } }, spec: { containers } } });
  };
  const world = await observerWorld();
  world.apply('web', { manifests: [web('a'), configMap('one')] });
  await world.pass(2 * second);
  world.apply('web', { manifests: [web('a', 'b', 'a'), configMap('two')] });
  await world.pass(2 * second);
  assert.deepEqual(world.writes().slice(2), ['create ConfigMap/two'], 'and nothing is pruned');
  assert.equal(world.condition('web', 'Invalid'), 'True');
  const said = JSON.stringify(world.application('web')?.['status']);
  const place = 'spec.manifests[0].spec.template.spec.containers';
  assert.ok(said.includes(`${place}: the key name=\\"a\\" is at the positions 0, 2`), said);
  world.apply('web', { manifests: [web('a', 'b'), configMap('two')] });
  await world.pass(2 * second);
  assert.deepEqual(world.writes().slice(3), ['update Deployment/web', 'delete ConfigMap/one']);
  assert.equal(world.condition('web', 'Invalid'), 'False');
  world.stop();
});

const widget = (version: string): RestMapping => ({
  group: 'example.org',
  version,
  kind: 'Widget',
  plural: 'widgets',
  isNamespaced: true,
});
const oneWidget = { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'one' } };

for (const policy of ['delete', 'orphan'] as const)
  test(`a resource in a version that is no longer served is ${policy === 'delete' ? 'deleted' : 'released'} in another version`, async () => {
    const verb = policy === 'delete' ? 'delete' : 'release';
    for (const isStale of [false, true]) {
      const world = await observerWorld();
      world.serve(widget('v1'));
      world.apply('web', { manifests: [oneWidget, configMap('two')], deletionPolicy: policy });
      await world.pass(2 * second);
      world.serve(widget('v2'));
      // At first the cached version is outdated: the request itself finds that out.
      if (!isStale) await world.pass(minute);
      world.apply('web', { manifests: [configMap('two')], deletionPolicy: policy });
      await world.pass(2 * second);
      assert.equal(world.writes().at(-1), `${verb} Widget/one`);
      assert.equal(world.object('Widget/one') === undefined, policy === 'delete');
      const events = [...world.eventsOf('resource.deleted'), ...world.eventsOf('resource.released')];
      assert.deepEqual(
        events.map(({ apiVersion }) => apiVersion),
        ['example.org/v2'],
      );
      assert.equal(world.condition('web', 'Degraded'), 'False');
      world.stop();
    }
  });

test('only if no version of a kind is served, its objects count as deleted; if that is unknown, the deletion is retried', async () => {
  const world = await observerWorld();
  world.serve(widget('v1'));
  world.apply('web', { manifests: [oneWidget] });
  await world.pass(2 * second);
  world.stopServing(widget('v1'));
  world.refusals.set('find', refusal('transient', 'not now.'));
  world.deleteApplication('web');
  await world.pass(2 * second);
  assert.notEqual(world.application('web'), undefined, 'the application waits');
  world.refusals.clear();
  await world.pass(10 * second);
  assert.equal(world.application('web'), undefined);
  assert.deepEqual(world.eventsOf('resource.deleted'), [], 'nothing was left to delete');
  world.stop();
});
