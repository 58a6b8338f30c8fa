/** A definition with instances of others, and a Namespace with objects of others, are deleted only if that is allowed. */

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { definitionOf } from '../../../support/objects/definition.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { create } from '../../support/manifests.ts';
import { at, conditionOf, configMap } from '../../support/observer/observedObjects.ts';
import {
  edit,
  makeAccount,
  makeClusterTenant,
  type ObserverScene,
  setObserverScene,
} from '../../support/observer/observerScene.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const rest = configMap('rest', { a: '1' });

/** A scene whose tenant may do everything, with the definition of a kind and a Namespace that no test uses yet. */
async function scene(t: Cleanup) {
  const its = await setObserverScene(t, 'contents');
  const { ns } = its;
  const { cluster } = ns;
  await makeClusterTenant(ns);
  const group = `${ns.name}.example.org`;
  const definition = definitionOf({ group, version: 'v1', kind: 'Gadget', plural: 'gadgets', isNamespaced: true });
  const definitionPath = `${definitions}/gadgets.${group}`;
  const more = `${ns.name}-more`;
  const morePath = `/api/v1/namespaces/${more}`;
  for (const path of [definitionPath, morePath]) t.after(() => cluster.send('DELETE', path));
  return {
    ...its,
    more,
    morePath,
    definition,
    definitionPath,
    definitionName: `gadgets.${group}`,
    namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: more } },
    gadget: (name: string) => ({ apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name, namespace: ns.name } }),
    gadgetPath: (name: string) => ns.path(`apis/${group}/v1`, 'gadgets', name),
    remove: (name: string) => cluster.api('DELETE', ns.path('apis/weeder.dev/v1alpha1', 'applications', name)),
    isThere: async (path: string) => (await cluster.send('GET', path)).status === 200,
    /** It does not exist any more, or is being deleted. */
    async isEnding(path: string) {
      const { status, body } = await cluster.send('GET', path);
      return status === 404 || at(body, 'metadata', 'deletionTimestamp') !== undefined;
    },
  };
}

async function untilHeld(its: ObserverScene, name: string, ...words: readonly string[]): Promise<JsonObject> {
  return eventually(
    async (saw) => {
      const degraded = await conditionOf(its, name, 'Degraded');
      saw(degraded);
      const message = String(degraded['message']);
      return degraded['reason'] === 'DeletionBlocked' && words.every((each) => message.includes(each)) && degraded;
    },
    { what: `DeletionBlocked with ${words.join(', ')}` },
  );
}

/** Waits until another object of the application is deleted that an earlier stage does not have. */
const untilGone = (its: Awaited<ReturnType<typeof scene>>, path: string) =>
  eventually(() => its.isEnding(path), { what: `the end of ${path}` });

suite('what is deleted together with an object, on a real API server', { concurrency: 2 }, () => {
  test('a definition with instances that no application lists is held until the deleted application allows their loss', async (t) => {
    const its = await scene(t);
    const { ns } = its;
    await its.start(t);
    await its.apply('shop', { manifests: [its.definition, its.gadget('own')] });
    await its.untilInSync('shop');
    for (const name of ['theirs', 'theirs-too']) await create(ns.cluster, its.gadget(name));
    await its.remove('shop');
    const field = `CustomResourceDefinition/${its.definitionName}`;
    await untilHeld(
      its,
      'shop',
      its.definitionName,
      '2 objects',
      `Gadget.${ns.name}.example.org ${ns.name}/theirs`,
      field,
    );
    assert.equal(await its.isThere(its.gadgetPath('own')), false);
    assert.ok(!(await its.isEnding(its.definitionPath)) && (await its.isThere(its.gadgetPath('theirs'))));
    await edit(ns, ns.path('apis/weeder.dev/v1alpha1', 'applications', 'shop'), {
      spec: { deleteWithContents: [field] },
    });
    await untilGone(its, its.definitionPath);
  });

  test('a definition that leaves the manifests is held while it has such an instance, and not for one that an application lists', async (t) => {
    const its = await scene(t);
    const { ns } = its;
    await its.start(t);
    await its.apply('shop', { manifests: [its.definition, rest] });
    await its.untilInSync('shop');
    await its.apply('other', { manifests: [its.gadget('listed')] });
    await its.untilInSync('other');
    await create(ns.cluster, its.gadget('theirs'));
    await its.apply('shop', { manifests: [rest], resyncPeriod: '5s' });
    await untilHeld(its, 'shop', its.definitionName, '1 object', `${ns.name}/theirs`);
    assert.equal(await its.condition('shop', 'Ready'), 'False');
    assert.ok(!(await its.isEnding(its.definitionPath)));
    await ns.cluster.api('DELETE', its.gadgetPath('theirs'));
    await untilGone(its, its.definitionPath);
    await its.untilInSync('shop');
  });

  test('a Namespace with an object of others is held, and not for its own objects, those of Kubernetes, and dependents', async (t) => {
    const its = await scene(t);
    const { cluster } = its.ns;
    await its.start(t);
    const inMore = (kind: string, name: string, fields: JsonObject = {}, apiVersion = 'v1') => ({
      apiVersion,
      kind,
      metadata: { name, namespace: its.more },
      ...fields,
    });
    await its.apply('shop', {
      manifests: [its.namespace, inMore('ConfigMap', 'own'), inMore('ServiceAccount', 'own')],
    });
    await its.untilInSync('shop');
    const theirs = inMore('Secret', 'theirs');
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'own', uid: 'u' };
    const dependent = inMore('ConfigMap', 'dependent');
    await create(cluster, theirs);
    await create(cluster, { ...dependent, metadata: { ...dependent.metadata, ownerReferences: [owner] } });
    await create(cluster, inMore('ServiceAccount', 'default'));
    await create(cluster, inMore('ConfigMap', 'kube-root-ca.crt'));
    await create(cluster, inMore('Lease', 'operator', {}, 'coordination.k8s.io/v1'));
    const involvedObject = { kind: 'ConfigMap', namespace: its.more, name: 'own' };
    await create(cluster, inMore('Event', 'noted', { involvedObject }));
    await its.remove('shop');
    await untilHeld(
      its,
      'shop',
      `Namespace ${its.more}`,
      '1 object',
      `Secret ${its.more}/theirs`,
      'deleteWithContents',
    );
    assert.equal(await its.isThere(`${its.morePath}/configmaps/own`), false);
    assert.ok(!(await its.isEnding(its.morePath)) && (await its.isThere(`${its.morePath}/serviceaccounts/own`)));
    await cluster.api('DELETE', `${its.morePath}/secrets/theirs`);
    await untilGone(its, its.morePath);
  });

  test('a Namespace is held if the account may not list what is in it, and goes if the manifests allow its loss', async (t) => {
    const its = await scene(t);
    const { cluster, name: home } = its.ns;
    await its.start(t);
    await makeAccount(its.ns, 'poor');
    const metadata = { name: `poor-${home}` };
    await cluster.api('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata,
      rules: [{ apiGroups: [''], resources: ['namespaces', 'configmaps'], verbs: ['*'] }],
    });
    await cluster.api('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: 'poor', namespace: home }],
    });
    const spec = { serviceAccountName: 'poor', resyncPeriod: '5s' };
    await its.apply('shop', { ...spec, manifests: [its.namespace, rest] });
    await its.untilInSync('shop');
    await its.apply('shop', { ...spec, manifests: [rest] });
    await untilHeld(its, 'shop', `Namespace ${its.more}`, 'list', `system:serviceaccount:${home}:poor`);
    assert.ok(!(await its.isEnding(its.morePath)));
    await its.apply('shop', { ...spec, manifests: [rest], deleteWithContents: [`Namespace/${its.more}`] });
    await untilGone(its, its.morePath);
  });
});
