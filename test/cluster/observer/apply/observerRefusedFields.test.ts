import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { eventually } from '../../support/eventually.ts';
import { type Applying, applying, bad, driftsOf, good } from '../../support/observer/applying.ts';
import { at } from '../../support/observer/observedObjects.ts';

const classes = '/apis/storage.k8s.io/v1/storageclasses';

/** A claim of one GiB whose class can be expanded. */
function claim(it: Applying, labels: JsonObject = { tier: 'ours' }): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', labels },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: it.ns.name,
      resources: { requests: { storage: '1Gi' } },
    },
  };
}

/** Binds the claim as its controller does, and expands it as an autoresizer does. */
async function expand({ ns }: Applying): Promise<void> {
  const path = ns.path('api/v1', 'persistentvolumeclaims', 'data');
  const bound = (storage: string) => ({ status: { phase: 'Bound', capacity: { storage } } });
  await ns.cluster.api('POST', classes, {
    metadata: { name: ns.name },
    provisioner: 'example.org/none',
    allowVolumeExpansion: true,
  });
  ns.after(() => ns.cluster.send('DELETE', `${classes}/${ns.name}`));
  await ns.cluster.api('PATCH', path, { spec: { volumeName: 'v' } });
  await ns.cluster.api('PATCH', `${path}/status`, bound('1Gi'));
  await ns.cluster.api('PATCH', path, { spec: { resources: { requests: { storage: '2Gi' } } } });
  await ns.cluster.api('PATCH', `${path}/status`, bound('2Gi'));
}

suite('a refused field, on a real API server', { concurrency: 4 }, () => {
  test('does not protect the others: the label of a claim that was expanded is corrected', async (t) => {
    const it = await applying(t, 'refused');
    const plan = await it.plan(claim(it));
    const reply = good(await it.api.create(plan, it.signal)).object;
    await expand(it);
    await it.edit(plan, { metadata: { labels: { tier: 'theirs', other: 'theirs' } } });
    const seen = await it.live(plan);
    const drifts = driftsOf(plan, reply, seen);
    const { object, hasChanged, refused } = good(await it.api.correct(plan, seen, drifts, it.signal));
    assert.equal(hasChanged, true);
    assert.deepEqual(
      refused?.drifts.map(({ path }) => path),
      ['.spec.resources.requests.storage'],
    );
    assert.match(refused?.failure.reason ?? '', /can not be less than status\.capacity/);
    const live = await it.live(plan);
    assert.deepEqual(live, object);
    assert.deepEqual(
      [at(live, 'metadata', 'labels', 'tier'), at(live, 'metadata', 'labels', 'other')],
      ['ours', 'theirs'],
    );
    assert.equal(at(live, 'spec', 'resources', 'requests', 'storage'), '2Gi');
    // While it is refused, only the others are corrected, without another attempt.
    await it.edit(plan, { metadata: { labels: { tier: 'again' } } });
    const again = await it.live(plan);
    const open = driftsOf(plan, reply, again).filter(({ path }) => path !== '.spec.resources.requests.storage');
    const kept = new Set(['.spec.resources.requests.storage']);
    assert.equal(good(await it.api.correct({ ...plan, kept }, again, open, it.signal)).refused, undefined);
    assert.equal(at(await it.live(plan), 'metadata', 'labels', 'tier'), 'ours');
  });

  test('that an update does not change does not block the update', async (t) => {
    const it = await applying(t, 'refused');
    const before = await it.plan(claim(it));
    good(await it.api.create(before, it.signal));
    await expand(it);
    const plan = await it.plan(claim(it, { tier: 'new' }), { before });
    good(await it.api.update(plan, await it.live(plan), it.signal));
    const live = await it.live(plan);
    assert.equal(at(live, 'metadata', 'labels', 'tier'), 'new');
    assert.equal(at(live, 'spec', 'resources', 'requests', 'storage'), '2Gi');
  });

  test('of a StatefulSet, whose causes name the whole spec, does not protect the image', async (t) => {
    const it = await applying(t, 'refused');
    const labels = { app: 'a' };
    const container = (image: string) => ({ name: 'a', image, env: [{ name: 'A', value: 'x' }] });
    const set = (serviceName: string, image: string) => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: {
        serviceName,
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container(image)] } },
      },
    });
    const plan = await it.plan(set('a', 'a:1'));
    const reply = good(await it.api.create(plan, it.signal)).object;
    // Another client replaces it, and keeps the label.
    await it.ns.cluster.api('DELETE', plan.target.path);
    const other = set('b', 'a:2');
    const { labels: replyLabels, annotations } = reply['metadata'] as JsonObject;
    await it.ns.cluster.api('POST', plan.target.collection, {
      ...other,
      metadata: { ...other.metadata, labels: replyLabels, annotations },
    });
    const seen = await it.live(plan);
    const drifts = driftsOf(plan, reply, seen);
    const { refused } = good(await it.api.correct(plan, seen, drifts, it.signal));
    assert.deepEqual(
      refused?.drifts.map(({ path }) => path),
      ['.spec.serviceName'],
    );
    assert.equal(refused?.failure.type, 'immutable');
    assert.equal(at(await it.live(plan), 'spec', 'template', 'spec', 'containers', 0, 'image'), 'a:1');
  });

  test('that a policy denies does not protect the others', async (t) => {
    const it = await applying(t, 'refused');
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1', b: '1' } };
    const plan = await it.plan(manifest);
    const reply = good(await it.api.create(plan, it.signal)).object;
    await it.edit(plan, { data: { a: '2', b: '2' } });
    await deny(it, "object.data['a'] == oldObject.data['a']");
    const seen = await it.live(plan);
    const { refused } = good(await it.api.correct(plan, seen, driftsOf(plan, reply, seen), it.signal));
    assert.deepEqual(
      refused?.drifts.map(({ path }) => path),
      ['.data.a'],
    );
    assert.deepEqual(at(await it.live(plan), 'data'), { a: '2', b: '1' });
    await it.edit(plan, { data: { b: '1' } });
    const one = await it.live(plan);
    assert.equal(bad(await it.api.correct(plan, one, driftsOf(plan, reply, one), it.signal)).type, 'forbidden');
  });

  test('of a StatefulSet that may be recreated leaves its Pods to the new one, unless the selector changes', async (t) => {
    const it = await applying(t, 'recreated');
    const set = (serviceName: string, app: string) => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: {
        serviceName,
        replicas: 0,
        selector: { matchLabels: { app } },
        template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } },
      },
    });
    const before = await it.plan(set('a', 'a'));
    const { object } = good(await it.api.create(before, it.signal));
    const uid = String(at(object, 'metadata', 'uid'));
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid };
    const claims = it.ns.path('api/v1', 'configmaps');
    // Stands for a Pod, which the controller of StatefulSets would delete.
    await it.ns.cluster.api('POST', claims, { metadata: { name: 'pod', ownerReferences: [owner] } });
    const plan = { ...(await it.plan(set('b', 'a'), { before, mayRecreate: true })), appliedUid: uid };
    const updated = await it.api.update(plan, await it.live(plan), it.signal);
    assert.ok(updated.ok || updated.failure.type === 'terminating');
    const next = await eventually(
      async () => {
        const created = await it.api.create(plan, it.signal);
        return created.ok && at(created.value.object, 'metadata', 'uid') !== uid ? created.value.object : undefined;
      },
      { what: 'the new StatefulSet' },
    );
    const left = await it.ns.cluster.api('GET', `${claims}/pod`);
    assert.equal(at(left, 'metadata', 'ownerReferences'), undefined, 'it is an orphan');
    assert.equal(at(left, 'metadata', 'deletionTimestamp'), undefined);
    const other = await it.plan(set('b', 'other'), { before: plan, mayRecreate: true });
    const recreating = { ...other, appliedUid: String(at(next, 'metadata', 'uid')) };
    good(await it.api.update(recreating, await it.live(plan), it.signal));
    assert.equal(at(await it.live(plan), 'spec', 'selector', 'matchLabels', 'app'), 'other');
  });

  test('is not what a version of the managed fields is that is no longer served: they are moved to the served one', async (t) => {
    const it = await applying(t, 'gone');
    const group = 'gone.example.org';
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const spec = { type: 'object', additionalProperties: { type: 'string' } };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema });
    await it.ns.cluster.api('POST', definitions, {
      metadata: { name: `gones.${group}` },
      spec: {
        group,
        names: { kind: 'Gone', plural: 'gones' },
        scope: 'Namespaced',
        versions: [version('v1alpha1', false), version('v1', true)],
      },
    });
    it.ns.after(() => it.ns.cluster.send('DELETE', `${definitions}/gones.${group}`));
    const isServed = async () =>
      (await it.ns.cluster.send('GET', it.ns.path(`apis/${group}/v1`, 'gones'))).status === 200;
    await eventually(isServed, { what: 'the kind' });
    const manifest = { apiVersion: `${group}/v1`, kind: 'Gone', metadata: { name: 'a' }, spec: { a: '1' } };
    const plan = await it.plan(manifest);
    const reply = good(await it.api.create(plan, it.signal)).object;
    const old = it.ns.path(`apis/${group}/v1alpha1`, 'gones', 'a');
    await it.ns.cluster.api('PATCH', `${old}?fieldManager=theirs`, { spec: { b: '2' } });
    // Any other write after the version is gone would clear all managed fields.
    await it.edit(plan, { spec: { a: '2' } });
    const versions = { spec: { versions: [version('v1', true)] } };
    await it.ns.cluster.api('PATCH', `${definitions}/gones.${group}`, versions);
    const apply = { body: manifest, contentType: 'application/apply-patch+yaml' };
    const isRefused = async () =>
      (await it.ns.cluster.send('PATCH', `${plan.target.path}?fieldManager=probe&force=true&dryRun=All`, apply))
        .status === 500;
    await eventually(isRefused, { what: 'that applies are refused' });
    const seen = await it.live(plan);
    good(await it.api.correct(plan, seen, driftsOf(plan, reply, seen), it.signal));
    const live = await it.live(plan);
    assert.deepEqual(live['spec'], { a: '1', b: '2' });
    const entries = arrayOf(at(live, 'metadata', 'managedFields')).map(objectOf);
    const theirs = entries.find(({ manager }) => manager === 'theirs');
    assert.equal(theirs?.['apiVersion'], `${group}/v1`);
  });
});

/** Admission that denies updates of ConfigMaps in this namespace for which the expression is false. */
async function deny({ ns }: Applying, expression: string): Promise<void> {
  const api = '/apis/admissionregistration.k8s.io/v1';
  const name = `deny-${ns.name}`;
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] };
  await ns.cluster.api('POST', `${api}/validatingadmissionpolicies`, {
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression, reason: 'Forbidden' }] },
  });
  ns.after(() => ns.cluster.send('DELETE', `${api}/validatingadmissionpolicies/${name}`));
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': ns.name } };
  await ns.cluster.api('POST', `${api}/validatingadmissionpolicybindings`, {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], matchResources: { namespaceSelector } },
  });
  ns.after(() => ns.cluster.send('DELETE', `${api}/validatingadmissionpolicybindings/${name}`));
  const path = `${ns.path('api/v1', 'configmaps', 'a')}?dryRun=All`;
  await eventually(async () => (await ns.cluster.send('PATCH', path, { body: { data: { a: '3' } } })).status === 403, {
    what: 'that the policy is in force',
  });
}
