import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { ObserverApi } from '../../../src/observer/apply/observerApi.ts';
import { deleteResource, releaseResource } from '../../../src/observer/apply/resourceRequests.ts';
import { done, failed, type Outcome } from '../../../src/observer/objects/applyFailure.ts';
import { labelName, ownerOf } from '../../../src/observer/objects/fieldManagers.ts';
import { keepMarkOf } from '../../../src/observer/ownership/keepMark.ts';
import type { RestMapping, Target } from '../../../src/observer/plan/resourceApi.ts';
import { configMap, observerWorld, refusal } from '../../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;
const owner = ownerOf({ namespace: 'shop', name: 'web' });
const signal = new AbortController().signal;
const target: Target = {
  identity: { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'one' },
  apiVersion: 'v1',
  path: '/api/v1/namespaces/shop/configmaps/one',
  collection: '/api/v1/namespaces/shop/configmaps',
  account: undefined,
};

function object(resourceVersion: string, metadata: JsonObject = {}): JsonObject {
  return {
    kind: 'ConfigMap',
    metadata: { uid: 'u', resourceVersion, labels: { [labelName]: owner.label }, ...metadata },
  };
}

function unused(): never {
  throw new Error('no other request is expected');
}

/** Serves these objects to reads, one after the other, and `write`'s result to a removal or a patch. */
function apiOf(objects: readonly (JsonObject | undefined)[], write: (version: unknown) => Outcome<undefined>) {
  const left = [...objects];
  const versions: unknown[] = [];
  const read = async (): Promise<Outcome<JsonObject>> => {
    const next = left.length > 1 ? left.shift() : left[0];
    return next === undefined ? failed('missing', 'it does not exist') : done(next);
  };
  const note = (of: unknown) => {
    const { resourceVersion } = objectOf(objectOf(of)['metadata']);
    versions.push(resourceVersion);
    return write(resourceVersion);
  };
  const api: ObserverApi = {
    read,
    remove: async (_target, live) => note(live),
    async patch(_target, patch) {
      const outcome = note(patch);
      return outcome.ok ? done(patch) : outcome;
    },
    list: unused,
    apply: unused,
    create: unused,
    may: unused,
    tryPatch: unused,
    dryRunCreate: unused,
  };
  return { api, versions };
}

const conflict = () => failed('conflict', 'it has another version by now');

test('a deletion that conflicts decides again with the current object, and fails after five attempts', async () => {
  const newer = apiOf([object('1'), object('2'), undefined], (version) =>
    version === '2' ? done(undefined) : conflict(),
  );
  assert.equal((await deleteResource(newer.api, target, owner, 'u', signal)).ok, true);
  assert.deepEqual(newer.versions, ['1', '2']);
  const relabelled = apiOf([object('1'), object('2', { labels: {} })], conflict);
  const outcome = await deleteResource(relabelled.api, target, owner, 'u', signal);
  assert.equal(outcome.ok ? '' : outcome.failure.type, 'otherUid');
  assert.deepEqual(relabelled.versions, ['1'], 'without its label it is not tried again');
  for (const remove of [deleteResource, releaseResource]) {
    const endless = apiOf([object('1')], conflict);
    const repeated = await remove(endless.api, target, owner, 'u', signal);
    assert.deepEqual([repeated.ok ? '' : repeated.failure.type, endless.versions.length], ['conflict', 5]);
  }
});

test('an object with a mark that keeps it is released at the version that was read, and the mark is returned', async () => {
  const annotations = { 'helm.sh/resource-policy': 'keep' };
  const kept = apiOf([object('1'), object('2', { annotations })], (version) =>
    version === '2' ? done(undefined) : conflict(),
  );
  const outcome = await deleteResource({ ...kept.api, remove: async () => conflict() }, target, owner, 'u', signal);
  assert.deepEqual([outcome, kept.versions], [done('helm.sh/resource-policy: keep'), ['2']]);
  const unproven = apiOf([object('1', { annotations, labels: {} })], unused);
  assert.equal((await deleteResource(unproven.api, target, owner, 'u', signal)).ok, false);
});

test('the marks of Helm, Argo CD and Flux keep an object, in the forms that these tools read', () => {
  const markOf = (annotations: JsonObject, labels: JsonObject = {}) =>
    keepMarkOf({ metadata: { annotations, labels } });
  const options = 'argocd.argoproj.io/sync-options';
  const flux = 'kustomize.toolkit.fluxcd.io/prune';
  for (const option of ['Prune=false', 'Delete=false', 'Prune=confirm', 'Delete=confirm'])
    assert.equal(markOf({ [options]: `Replace=true, ${option} ,PruneLast=true` }), `${options}: ${option}`);
  assert.equal(markOf({ 'helm.sh/resource-policy': ' Keep ' }), 'helm.sh/resource-policy: keep');
  assert.equal(markOf({ [flux]: 'disabled' }), `${flux}: disabled`);
  assert.equal(markOf({}, { [flux]: 'Disabled' }), `${flux}: disabled`);
  for (const none of [
    markOf({ [options]: 'Prune=true,PruneLast=true,NotPrune=false' }),
    markOf({ 'helm.sh/resource-policy': 'delete' }, { 'helm.sh/resource-policy': 'keep' }),
    markOf({ [flux]: 'enabled' }),
    markOf({ 'helm.sh/resource-policy': null, [options]: 1 }),
    keepMarkOf({}),
  ])
    assert.equal(none, undefined);
});

test('an unreadable resource blocks the deletion only if an apply has returned its uid', async () => {
  const { api } = apiOf([], unused);
  const forbidden: ObserverApi = { ...api, read: async () => failed('forbidden', 'not allowed') };
  const applied = await deleteResource(forbidden, target, owner, 'u', signal);
  const never = await deleteResource(forbidden, target, owner, undefined, signal);
  assert.deepEqual([applied.ok || applied.failure.type, never.ok || never.failure.type], ['forbidden', 'otherUid']);
});

test('a terminating resource is reported with what it waits for', async () => {
  const terminating = object('2', { deletionTimestamp: 'now', finalizers: ['example.org/a', 'example.org/b'] });
  for (const reads of [[object('1'), terminating], [terminating]]) {
    const outcome = await deleteResource(apiOf(reads, () => done(undefined)).api, target, owner, 'u', signal);
    assert.deepEqual(outcome.ok ? undefined : [outcome.failure.type, outcome.failure.reason], [
      'terminating',
      'waits for its finalizers example.org/a, example.org/b',
    ]);
  }
  const other = apiOf([object('1'), object('3', { uid: 'another' })], () => done(undefined));
  assert.equal((await deleteResource(other.api, target, owner, 'u', signal)).ok, true);
});

test('an application exists until its resources are deleted, which is checked at least every ten seconds, and delayed after a minute', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(2 * second);
  world.edit('ConfigMap/one', { metadata: { finalizers: ['example.org/stay'] } });
  await world.pass(2 * second);
  world.deleteApplication('web');
  await world.pass(10 * minute);
  const asked = world.requests.filter(({ what }) => what === 'delete').length;
  assert.ok(asked > 55 && asked < 140, `${asked} times`);
  assert.deepEqual([world.condition('web', 'Degraded'), world.eventsOf('application.refused')], ['True', []]);
  assert.equal(world.eventsOf('resource.deletionDelayed').length, 1);
  const said = JSON.stringify(world.application('web')?.['status']);
  assert.ok(said.includes('Waiting for the deletion of: ConfigMap shop/one (waits for its finalizers'), said);
  world.remove('ConfigMap/one');
  await world.pass(11 * second);
  assert.deepEqual([world.application('web'), world.eventsOf('resource.deleted').length], [undefined, 1]);
  assert.deepEqual(world.eventsOf('resource.deletionSkipped'), []);
  world.stop();
});

test('a failed deletion delays service accounts and namespaces, but no other resource', async () => {
  const world = await observerWorld();
  const own = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'own' } };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'more' } };
  world.apply('web', { manifests: [own, configMap('one'), configMap('two'), namespace] });
  await world.pass(2 * second);
  world.refusals.set('delete ConfigMap/two', refusal('forbidden'));
  world.deleteApplication('web');
  await world.pass(second);
  const missing = () => ['ConfigMap/one', 'ConfigMap/two', 'ServiceAccount/own'].filter((each) => !world.object(each));
  const deleted = () =>
    new Set(world.eventsOf('resource.deleted').map(({ resource: { kind, name } }) => `${kind}/${name}`));
  assert.deepEqual([...deleted()], ['ConfigMap/one']);
  world.refusals.clear();
  await world.pass(minute);
  assert.deepEqual([...deleted()], ['ConfigMap/one', 'ConfigMap/two', 'Namespace/more', 'ServiceAccount/own']);
  assert.deepEqual([world.application('web'), missing().length], [undefined, 3]);
  world.stop();
});

test('a cluster-scoped resource is not deleted while its kind is temporarily unknown and the application changes', async () => {
  const world = await observerWorld();
  const gadget = { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name: 'one' } };
  const kind: RestMapping = { ...kindOf('Gadget'), group: 'example.org', plural: 'gadgets', isNamespaced: false };
  world.serve(kind);
  world.apply('web', { manifests: [gadget, configMap('two')] });
  await world.pass(2 * second);
  world.serve({ ...kind, version: 'v2' });
  world.apply('web', { manifests: [gadget, configMap('two', 'b')] });
  await world.pass(2 * minute);
  assert.deepEqual(world.eventsOf('resource.deleted'), []);
  world.deleteApplication('web');
  await world.pass(second);
  assert.equal(world.eventsOf('resource.deleted').length, 2);
  world.stop();
});

test('a cluster-scoped kind that was never served in the manifest’s version does not delay the deletion of the application', async () => {
  const world = await observerWorld();
  const kind: RestMapping = {
    ...kindOf('Gadget'),
    group: 'example.org',
    version: 'v2',
    plural: 'gadgets',
    isNamespaced: false,
  };
  world.serve(kind);
  world.refusals.set('delete', refusal('typeMissing'));
  world.apply('web', { manifests: [{ apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name: 'one' } }] });
  await world.pass(2 * second);
  world.deleteApplication('web');
  await world.pass(second);
  assert.equal(world.application('web'), undefined);
  world.stop();
});

test('a status that is wiped while the response to its last write is delayed is written again', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(minute);
  world.lateReplies.set('status', 500);
  const written = world.statuses.length;
  world.clearStatus('web');
  for (let waited = 0; world.statuses.length === written && waited < 3 * second; waited += 100) await world.pass(100);
  assert.equal(world.statuses.length, written + 1);
  world.clearStatus('web');
  await world.pass(10 * second);
  assert.equal(world.condition('web', 'InSync'), 'True');
  assert.equal(arrayOf(objectOf(world.application('web')?.['status'])['resources']).length, 1);
  world.stop();
});

test('a wiped status is written again once, and the echo of weeder’s own write causes no write', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(minute);
  const rows = () => objectOf(world.application('web')?.['status'])['resources'];
  const before = rows();
  const written = world.statuses.length;
  world.clearStatus('web');
  await world.pass(3 * second);
  assert.deepEqual([rows(), world.condition('web', 'InSync')], [before, 'True']);
  assert.equal(world.statuses.length, written + 1);
  await world.pass(10 * minute);
  assert.equal(world.statuses.length, written + 1);
  world.stop();
});

test('if the status was wiped while weeder was down, the inventory is derived from the manifests at deletion', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one'), configMap('two')] });
  await world.pass(2 * second);
  world.stop();
  world.clearStatus('web');
  world.deleteApplication('web');
  await world.restart();
  await world.pass(second);
  assert.deepEqual([world.application('web'), world.object('ConfigMap/one')], [undefined, undefined]);
  assert.deepEqual(arrayOf(world.writes().slice(2)), ['delete ConfigMap/two', 'delete ConfigMap/one']);
  world.stop();
});

function kindOf(kind: string): RestMapping {
  return { group: '', version: 'v1', kind, plural: '', isNamespaced: true };
}
