import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { eventually } from '../../support/eventually.ts';
import {
  at,
  conditionOf,
  configMap,
  isThere,
  pathOf,
  read,
  rowOf,
  untilAbsent,
  untilObject,
} from '../../support/observer/observedObjects.ts';
import {
  edit,
  makeAccount,
  makeClusterTenant,
  type ObserverScene,
  setObserverScene,
} from '../../support/observer/observerScene.ts';

const rbac = 'apis/rbac.authorization.k8s.io/v1';

function applicationPath({ ns }: ObserverScene, name: string): string {
  return ns.path('apis/weeder.dev/v1alpha1', 'applications', name);
}

async function isAbsent({ ns }: ObserverScene, path: string): Promise<boolean> {
  return (await ns.cluster.send('GET', path)).status === 404;
}

/** Waits until the condition Applied reports that weeder waits for the deletion of this object. */
async function untilWaiting(scene: ObserverScene, name: string, what: RegExp): Promise<void> {
  await eventually(
    async (saw) => {
      const { message } = await conditionOf(scene, name, 'Applied');
      saw(message);
      return what.test(String(message));
    },
    { what: `that the status names ${what}` },
  );
}

suite('the deletion of an application on a real API server', { concurrency: 2 }, () => {
  test('a cluster-scoped resource applied in a version that is no longer served is deleted anyway', async (t) => {
    const scene = await setObserverScene(t, 'deletion');
    const { ns } = scene;
    await makeClusterTenant(ns);
    const group = `d${ns.name.replace(/^deletion-/, '')}.example.org`;
    const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.${group}`;
    t.after(() => ns.cluster.send('DELETE', crd));
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const versions = (isOldServed: boolean) => [
      { name: 'v1', served: isOldServed, storage: false, schema },
      { name: 'v2', served: true, storage: true, schema },
    ];
    await ns.cluster.api('POST', crd.replace(/\/gadgets\..*$/, ''), {
      metadata: { name: `gadgets.${group}` },
      spec: {
        group,
        scope: 'Cluster',
        names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' },
        versions: versions(true),
      },
    });
    const weeder = await scene.start(t);
    const gadget = (name: string) => ({ apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name } });
    const settings = configMap('settings', { a: '1' });
    await scene.apply('pruned', { manifests: [gadget('left'), settings] });
    await scene.apply('deleted', { manifests: [gadget('all')] });
    await scene.apply('stays', { manifests: [gadget('stays'), configMap('other', { a: '1' })] });
    await scene.untilInSync('stays');
    await scene.untilInSync('pruned');
    await scene.untilInSync('deleted');
    await edit(ns, crd, { spec: { versions: versions(false) } });
    await untilAbsent(ns.cluster, `/apis/${group}/v1/gadgets`, 'the end of v1');
    // The manifest names a version that is not served, but the resource is the same: nothing was deleted.
    await scene.apply('stays', { manifests: [gadget('stays'), configMap('other', { a: '2' })] });
    await untilObject(ns, 'ConfigMap', 'other', 'the update', (object) => at(object, 'data', 'a') === '2');
    await weeder.log.until('application applied', { application: 'stays', generation: 2 });
    assert.deepEqual(weeder.log.find('resource deleted'), []);
    assert.equal((await ns.cluster.send('GET', `/apis/${group}/v2/gadgets/stays`)).status, 200);
    await scene.apply('pruned', { manifests: [settings] });
    // The kind of this resource was never served in the version that its manifest names.
    await scene.apply('late', { manifests: [gadget('late')] });
    await eventually(async () => (await scene.condition('late', 'Degraded')) === 'True', { what: 'that it waits' });
    await ns.cluster.api('DELETE', applicationPath(scene, 'late'));
    await untilAbsent(ns.cluster, applicationPath(scene, 'late'), 'the end of the application that waits');
    await ns.cluster.api('DELETE', applicationPath(scene, 'deleted'));
    await untilAbsent(ns.cluster, `/apis/${group}/v2/gadgets/left`, 'the end of what left the manifests');
    await untilAbsent(ns.cluster, applicationPath(scene, 'deleted'), 'the end of the application');
    assert.ok(await isAbsent(scene, `/apis/${group}/v2/gadgets/all`));
  });

  test('the permissions and the account are deleted last, wherever they are, and only after everything else', async (t) => {
    const scene = await setObserverScene(t, 'deletion');
    const { ns } = scene;
    await makeAccount(ns, 'runner');
    await scene.start(t);
    await scene.watch('api/v1', 'configmaps');
    await scene.watch('api/v1', 'serviceaccounts');
    await scene.watch(rbac, 'roles');
    await scene.watch(rbac, 'rolebindings');
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'own' }, rules: [] };
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'own' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'own' },
      subjects: [{ kind: 'ServiceAccount', name: 'own', namespace: ns.name }],
    };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'own' } };
    const blocked = configMap('blocked', { a: '1' });
    await scene.apply('shop', { manifests: [blocked, configMap('free', { a: '1' }), binding, role, account] });
    await scene.untilInSync('shop');
    await edit(ns, pathOf(ns, 'ConfigMap', 'blocked'), { metadata: { finalizers: ['example.org/stay'] } });
    await ns.cluster.api('DELETE', applicationPath(scene, 'shop'));
    await untilWaiting(scene, 'shop', /ConfigMap .*blocked.*example\.org\/stay/);
    assert.equal(await scene.condition('shop', 'Degraded'), 'False', 'nothing is wrong');
    await eventually(async () => !(await isThere(ns, 'ConfigMap', 'free')), { what: 'the end of what nothing holds' });
    for (const path of [
      ns.path(rbac, 'rolebindings', 'own'),
      ns.path(rbac, 'roles', 'own'),
      ns.path('api/v1', 'serviceaccounts', 'own'),
    ])
      assert.equal(at(await ns.cluster.api('GET', path), 'metadata', 'deletionTimestamp'), undefined, path);
    await edit(ns, pathOf(ns, 'ConfigMap', 'blocked'), { metadata: { finalizers: null } });
    await untilAbsent(ns.cluster, applicationPath(scene, 'shop'), 'the end of the application');
    const ended = await eventually(
      () => {
        const deletions = scene.changes.filter(({ type, name }) => type === 'DELETED' && name !== 'default');
        return deletions.length === 5 && deletions;
      },
      { what: 'five ends' },
    );
    // Each kind has a watch of its own, so the versions are their order.
    const version = (object: JsonObject) => Number(at(object, 'metadata', 'resourceVersion'));
    const deleted = ended
      .toSorted((one, other) => version(one.object) - version(other.object))
      .map(({ kind, name }) => `${kind} ${name}`);
    assert.deepEqual(deleted.slice(0, 2), ['ConfigMap free', 'ConfigMap blocked']);
    assert.deepEqual(deleted.slice(2).sort(), ['Role own', 'RoleBinding own', 'ServiceAccount own']);
  });

  test('an application exists until its resources are deleted, and ends at once if that is forced', async (t) => {
    const scene = await setObserverScene(t, 'deletion');
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('blocked', { a: '1' })] });
    await scene.untilInSync('shop');
    await edit(ns, pathOf(ns, 'ConfigMap', 'blocked'), { metadata: { finalizers: ['example.org/stay'] } });
    await ns.cluster.api('DELETE', applicationPath(scene, 'shop'));
    await untilWaiting(scene, 'shop', /blocked/);
    // After a restart weeder knows the resource, and waits for it.
    await weeder.stop();
    const second = await scene.start(t);
    await second.log.until('the application observer starts');
    assert.equal(await isAbsent(scene, applicationPath(scene, 'shop')), false);
    await edit(ns, applicationPath(scene, 'shop'), {
      metadata: { annotations: { 'weeder.dev/force-finalize': 'true' } },
    });
    await untilAbsent(ns.cluster, applicationPath(scene, 'shop'), 'the end of the application');
    assert.ok(await isThere(ns, 'ConfigMap', 'blocked'));
    await edit(ns, pathOf(ns, 'ConfigMap', 'blocked'), { metadata: { finalizers: null } });
  });

  test('a resource that leaves the manifests and waits for a finalizer is reported as such, and is not drift', async (t) => {
    const scene = await setObserverScene(t, 'deletion');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('blocked', { a: '1' }), configMap('stays', { a: '1' })] });
    await scene.untilInSync('shop');
    await edit(ns, pathOf(ns, 'ConfigMap', 'blocked'), { metadata: { finalizers: ['example.org/stay'] } });
    await scene.apply('shop', { manifests: [configMap('stays', { a: '1' })] });
    await untilWaiting(scene, 'shop', /blocked.*example\.org\/stay/);
    await scene.untilInSync('shop');
    assert.equal((await rowOf(scene, 'shop', 'ConfigMap', 'blocked'))?.['state'], 'Terminating');
    await edit(ns, pathOf(ns, 'ConfigMap', 'blocked'), { metadata: { finalizers: null } });
    await eventually(async () => (await rowOf(scene, 'shop', 'ConfigMap', 'blocked')) === undefined, {
      what: 'its row',
    });
  });

  test('a namespace is deleted with an application whose manifests have that namespace, and objects elsewhere whose deletion does not end', async (t) => {
    const scene = await setObserverScene(t, 'deletion');
    const { ns } = scene;
    await makeClusterTenant(ns);
    await scene.start(t);
    const elsewhere = `${ns.name}-more`;
    const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const blocked = configMap('blocked', { a: '1' }, { metadata: { name: 'blocked', namespace: elsewhere } });
    await scene.apply('shop', {
      manifests: [namespace(elsewhere), namespace(ns.name), blocked, configMap('own', { a: '1' })],
    });
    await scene.untilInSync('shop');
    const path = `/api/v1/namespaces/${elsewhere}/configmaps/blocked`;
    t.after(() => ns.cluster.send('DELETE', `/api/v1/namespaces/${elsewhere}`));
    t.after(() => edit(ns, path, { metadata: { finalizers: null } }));
    await edit(ns, path, { metadata: { finalizers: ['example.org/stay'] } });
    await ns.cluster.api('DELETE', `/api/v1/namespaces/${ns.name}`);
    await eventually(() => isAbsent(scene, `/api/v1/namespaces/${ns.name}`), { what: 'the end of the namespace' });
    assert.equal(await isAbsent(scene, path), false);
  });

  test('a status that another client clears is written again, with the whole inventory', async (t) => {
    const scene = await setObserverScene(t, 'deletion');
    const { ns } = scene;
    const weeder = await scene.start(t);
    const manifests = [configMap('one', { a: '1' }), configMap('two', { a: '1' })];
    await scene.apply('shop', { manifests });
    await scene.untilInSync('shop');
    const rows = async () => objectOf((await scene.application('shop'))['status'])['resources'];
    const before = await rows();
    const wipe = () => edit(ns, `${applicationPath(scene, 'shop')}/status`, { status: null });
    assert.equal((await wipe()).status, 200);
    await eventually(async () => JSON.stringify(await rows()) === JSON.stringify(before), { what: 'the rows again' });
    // Cleared while no weeder runs: the resources of the manifests are found by their label.
    await weeder.stop();
    await wipe();
    await ns.cluster.api('DELETE', applicationPath(scene, 'shop'));
    await scene.start(t);
    await untilAbsent(ns.cluster, applicationPath(scene, 'shop'), 'the end of the application');
    for (const name of ['one', 'two']) assert.equal(await isThere(ns, 'ConfigMap', name), false, name);
  });

  test('after the status was cleared, another client’s object under the name of a manifest is not deleted', async (t) => {
    const scene = await setObserverScene(t, 'deletion');
    const { ns } = scene;
    const theirs = objectOf(
      await ns.cluster.api('POST', pathOf(ns, 'ConfigMap', '').replace(/\/$/, ''), configMap('theirs', { b: '1' })),
    );
    const weeder = await scene.start(t);
    const manifests: readonly JsonObject[] = [configMap('theirs', { a: '1' }), configMap('own', { a: '1' })];
    await scene.apply('shop', { manifests });
    await scene.untilInSync('shop');
    await weeder.stop();
    await edit(ns, `${applicationPath(scene, 'shop')}/status`, { status: null });
    await ns.cluster.api('DELETE', applicationPath(scene, 'shop'));
    await scene.start(t);
    await untilAbsent(ns.cluster, applicationPath(scene, 'shop'), 'the end of the application');
    assert.equal(at(await read(ns, 'ConfigMap', 'theirs'), 'metadata', 'uid'), at(theirs, 'metadata', 'uid'));
    assert.equal(await isThere(ns, 'ConfigMap', 'own'), false);
  });
});
