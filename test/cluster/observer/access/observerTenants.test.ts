import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { widgetDefinition } from '../../../support/objects/definition.ts';
import { grant } from '../../support/deploy/rbac.ts';
import { eventually } from '../../support/eventually.ts';
import { newNamespace } from '../../support/namespace.ts';
import {
  at,
  conditionOf,
  configMap,
  isThere,
  pathOf,
  read,
  rowOf,
  untilObject,
} from '../../support/observer/observedObjects.ts';
import {
  edit,
  everythingAllowed,
  makeAccount,
  makeClusterTenant,
  setObserverScene,
} from '../../support/observer/observerScene.ts';
import { temporaryFile } from '../../support/weeder.ts';

const dataOf = (object: unknown) => at(object, 'data', 'a');

suite('several applications and tenants on a real API server', { concurrency: 2 }, () => {
  test('the second application that claims a resource is refused with both names, and applies the rest of its own', async (t) => {
    const scene = await setObserverScene(t, 'tenants');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('first', { manifests: [configMap('shared', { a: 'first' })] });
    await scene.untilInSync('first');
    await scene.apply('second', { manifests: [configMap('shared', { a: 'second' }), configMap('own', { a: '1' })] });
    const message = await eventually(
      async (saw) => {
        const { status, message } = await conditionOf(scene, 'second', 'Degraded');
        saw({ status, message });
        return status === 'True' ? String(message) : undefined;
      },
      { what: 'that the second is refused' },
    );
    assert.match(message, new RegExp(`${ns.name}/first`));
    assert.match(message, new RegExp(`${ns.name}/second`));
    await untilObject(ns, 'ConfigMap', 'own', 'the rest', (object) => dataOf(object) === '1');
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'shared')), 'first');
    // An application whose claim was refused deletes nothing when it is deleted.
    await ns.cluster.api('DELETE', ns.path('apis/weeder.dev/v1alpha1', 'applications', 'second'));
    await eventually(async () => !(await isThere(ns, 'ConfigMap', 'own')), { what: 'the end of its own' });
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'shared')), 'first');
    await edit(ns, pathOf(ns, 'ConfigMap', 'shared'), { data: { a: 'theirs' } });
    await untilObject(ns, 'ConfigMap', 'shared', 'the restored value', (object) => dataOf(object) === 'first');
  });

  test('a resource that its application releases is taken over by the one that waited for it', async (t) => {
    const scene = await setObserverScene(t, 'tenants');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('first', { manifests: [configMap('shared', { a: 'first' })], deletionPolicy: 'orphan' });
    await scene.untilInSync('first');
    await scene.apply('second', { manifests: [configMap('shared', { a: 'second' })] });
    await eventually(async () => (await scene.condition('second', 'Degraded')) === 'True', { what: 'the refusal' });
    await ns.cluster.api('DELETE', ns.path('apis/weeder.dev/v1alpha1', 'applications', 'first'));
    await untilObject(ns, 'ConfigMap', 'shared', 'the value of the second', (object) => dataOf(object) === 'second');
    await scene.untilInSync('second');
  });

  test('by default, an Application has no objects of another namespace or of the cluster, whatever the permissions of its account', async (t) => {
    const scene = await setObserverScene(t, 'tenants');
    const { ns } = scene;
    await makeClusterTenant(ns);
    const other = await newNamespace(ns.cluster, `${ns.name}-other`, t);
    const theirs = { ...configMap('theirs', { a: '1' }), metadata: { name: 'theirs', namespace: other.name } };
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: ns.name },
      rules: [],
    };
    const config = temporaryFile('config.yaml');
    writeFileSync(config, 'observer: {}');
    const flags = [`--config-file=${config}`, `--namespaces=${ns.name},${other.name}`];
    await scene.start(t, { flags });
    await scene.apply('shop', { manifests: [theirs, role, configMap('own', { a: '1' })] });
    const message = await eventually(
      async (saw) => {
        const { status, message } = await conditionOf(scene, 'shop', 'Invalid');
        saw({ status, message });
        return status === 'True' ? String(message) : undefined;
      },
      { what: 'the condition Invalid' },
    );
    assert.match(
      message,
      new RegExp(`manifests\\[0\\]: .* ConfigMap in the namespace ${other.name} \\(observer\\.allow\\)`),
    );
    assert.match(message, /manifests\[1\]: .* ClusterRole which is cluster-scoped/);
    await eventually(() => isThere(ns, 'ConfigMap', 'own'), { what: 'the rest' });
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    assert.equal(await isThere(other, 'ConfigMap', 'theirs'), false);
    assert.equal((await ns.cluster.send('GET', `${roles}/${ns.name}`)).status, 404);
    writeFileSync(config, JSON.stringify(everythingAllowed));
    await scene.untilInSync('shop');
    assert.equal(await isThere(other, 'ConfigMap', 'theirs'), true);
    assert.equal((await ns.cluster.send('GET', `${roles}/${ns.name}`)).status, 200);
  });

  test('a tenant without permission changes nothing, gets the reason, and the change is made once the permission is granted', async (t) => {
    const scene = await setObserverScene(t, 'tenants');
    const { ns } = scene;
    await scene.start(t);
    await makeAccount(ns, 'poor');
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })], serviceAccountName: 'poor' });
    const message = await eventually(
      async () => {
        const { status, message } = await conditionOf(scene, 'shop', 'Degraded');
        return status === 'True' ? String(message) : undefined;
      },
      { what: 'the refusal in the condition' },
    );
    assert.match(message, new RegExp(`system:serviceaccount:${ns.name}:poor`));
    assert.equal(await isThere(ns, 'ConfigMap', 'settings'), false);
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }];
    await grant(ns.cluster, `system:serviceaccount:${ns.name}:poor`, rules, { namespace: ns.name });
    await scene.untilInSync('shop');
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'settings')), '1');
  });

  test('with a missing account nothing is applied, although the API server would accept it, until the account is created', async (t) => {
    const scene = await setObserverScene(t, 'tenants');
    const { ns } = scene;
    const account = `system:serviceaccount:${ns.name}:late`;
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }];
    await grant(ns.cluster, account, rules, { namespace: ns.name });
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })], serviceAccountName: 'late' });
    await weeder.log.until('ServiceAccount of the application not found');
    const { reason, message } = await eventually(
      async () => {
        const text = await conditionOf(scene, 'shop', 'Applied');
        return text['reason'] === 'ServiceAccountNotFound' ? text : undefined;
      },
      { what: 'the condition' },
    );
    assert.equal(reason, 'ServiceAccountNotFound');
    assert.match(String(message), new RegExp(`the ServiceAccount ${ns.name}/late does not exist`));
    assert.equal(await isThere(ns, 'ConfigMap', 'settings'), false);
    await makeAccount(ns, 'late');
    await scene.untilInSync('shop');
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'settings')), '1');
  });

  test('weeder’s own permissions are not used unless the operator allows it', async (t) => {
    const scene = await setObserverScene(t, 'tenants');
    const { ns } = scene;
    const bindings = ns.path('apis/rbac.authorization.k8s.io/v1', 'rolebindings', 'tenant');
    await ns.cluster.api('DELETE', bindings);
    const careful = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await eventually(async () => (await scene.condition('shop', 'Degraded')) === 'True', { what: 'the refusal' });
    assert.equal(await isThere(ns, 'ConfigMap', 'settings'), false);
    await careful.stop();
    await scene.start(t, { flags: ['--observer-impersonate=false'] });
    await scene.untilInSync('shop');
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'settings')), '1');
  });

  test('an unknown kind waits and delays nothing else, and is applied once it is installed', async (t) => {
    const scene = await setObserverScene(t, 'tenants');
    const { ns } = scene;
    await scene.start(t);
    const group = `g${ns.name.replace(/^tenants-/, '')}.example.org`;
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'one' }, spec: { size: 3 } };
    await scene.apply('shop', { manifests: [widget, configMap('settings', { a: '1' })] });
    await untilObject(ns, 'ConfigMap', 'settings', 'the other resource', (object) => dataOf(object) === '1');
    await eventually(async () => (await rowOf(scene, 'shop', 'Widget', 'one')) !== undefined, { what: 'its row' });
    assert.notEqual(await scene.condition('shop', 'InSync'), 'True');
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    t.after(() => ns.cluster.send('DELETE', `${crds}/widgets.${group}`));
    await ns.cluster.api('POST', crds, widgetDefinition(group, { size: { type: 'integer' } }));
    await scene.untilInSync('shop');
    const path = ns.path(`apis/${group}/v1`, 'widgets', 'one');
    await edit(ns, path, { spec: { size: 4 } });
    await eventually(async () => at(await ns.cluster.api('GET', path), 'spec', 'size') === 3, {
      what: 'the size back',
    });
  });

  test('errors in a manifest and in a schema are reported, and do not affect the rest of the application', async (t) => {
    const scene = await setObserverScene(t, 'tenants');
    const { ns } = scene;
    await scene.start(t);
    const badName = configMap('Bad_Name', { a: '1' });
    const lost = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'lost' }, data: {} };
    await scene.apply('shop', {
      manifests: [badName, configMap('lost', { a: '1' }), configMap('good', { a: '1' })],
      observerSchema: [lost],
    });
    await untilObject(ns, 'ConfigMap', 'good', 'the good one', (object) => dataOf(object) === '1');
    const message = await eventually(
      async () => {
        const { status, message } = await conditionOf(scene, 'shop', 'Degraded');
        return status === 'True' ? String(message) : undefined;
      },
      { what: 'Degraded' },
    );
    assert.ok(message.length > 0);
    assert.equal(await isThere(ns, 'ConfigMap', 'lost'), false);
    await edit(ns, pathOf(ns, 'ConfigMap', 'good'), { data: { a: 'theirs' } });
    await untilObject(
      ns,
      'ConfigMap',
      'good',
      'the restored value of the good one',
      (object) => dataOf(object) === '1',
    );
    await scene.apply('twice', { manifests: [configMap('same', { a: '1' }), configMap('same', { a: '2' })] });
    await eventually(async () => (await scene.condition('twice', 'Invalid')) === 'True', { what: 'Invalid' });
    assert.equal(await isThere(ns, 'ConfigMap', 'same'), false);
    const [port, again] = [
      { name: 'a', port: 80 },
      { name: 'b', port: 80, protocol: 'TCP' },
    ] as const;
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [port, again] } };
    await scene.apply('keys', { manifests: [service, configMap('beside', { a: '1' })] });
    await untilObject(ns, 'ConfigMap', 'beside', 'what stands beside it', (object) => dataOf(object) === '1');
    const row = await eventually(
      async () => {
        const { status, message } = await conditionOf(scene, 'keys', 'Invalid');
        return status === 'True' ? message : undefined;
      },
      { what: 'Invalid, with the key' },
    );
    const place = 'spec.manifests[0].spec.ports';
    const key = 'port=80,protocol="TCP"';
    assert.equal(row, `One error: ${place}: the key ${key} is at the positions 0, 1, and must be unique.`);
    assert.equal((await ns.cluster.send('GET', ns.path('api/v1', 'services', 'web'))).status, 404);
  });

  test('no value of a Secret is in the status, the log or an Event', async (t) => {
    const scene = await setObserverScene(t, 'tenants');
    const { ns } = scene;
    const weeder = await scene.start(t);
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'password' },
      stringData: { a: 'hunter2', b: 'unchanged' },
    };
    await scene.apply('shop', { manifests: [secret] });
    await scene.untilInSync('shop');
    const theirs = Buffer.from('intruder9').toString('base64');
    await edit(ns, pathOf(ns, 'Secret', 'password'), { data: { a: theirs } });
    await weeder.log.until('resource corrected');
    await scene.untilInSync('shop');
    const { stringData, ...rest } = secret;
    await scene.apply('shop', { manifests: [{ ...rest, stringData: { a: stringData.a } }] });
    await untilObject(ns, 'Secret', 'password', 'one key', (object) => at(object, 'data', 'b') === undefined);
    await scene.untilInSync('shop');
    const { status } = await scene.application('shop');
    const events = await ns.cluster.api('GET', ns.path('apis/events.k8s.io/v1', 'events'));
    const text = JSON.stringify([objectOf(status), events, weeder.log.lines]);
    for (const word of ['hunter2', 'intruder9', theirs, Buffer.from('hunter2').toString('base64')])
      assert.ok(!text.includes(word), word);
  });
});
