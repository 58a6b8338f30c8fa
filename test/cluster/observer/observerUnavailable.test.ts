import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { suite, test } from 'node:test';
import { arrayOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { applicationsPath } from '../../../src/observer/status/applicationApi.ts';
import { widgetDefinition } from '../../support/objects/definition.ts';
import { eventually } from '../support/eventually.ts';
import type { TestNamespace } from '../support/namespace.ts';
import { at, configMap, isThere, pathOf, untilAbsent, untilObject } from '../support/observer/observedObjects.ts';
import { edit, type ObserverScene, setObserverScene } from '../support/observer/observerScene.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';

const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const automanaged = 'kube-aggregator.kubernetes.io/automanaged';
const ofDefinitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** An API group that can be unavailable, as one whose API server runs in a pod: an APIService decides. */
interface Group {
  readonly widget: object;
  readonly path: string;
  define(): Promise<void>;
  untilServed(): Promise<void>;
  /** Its APIService refers to a Service that does not exist: the API server answers 503. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
}

function groupFor(ns: TestNamespace): Group {
  const { cluster } = ns;
  const group = `away-${randomBytes(4).toString('hex')}.example.org`;
  const name = `v1.${group}`;
  const path = ns.path(`apis/${group}/v1`, 'widgets', 'one');
  const collection = ns.path(`apis/${group}/v1`, 'widgets');
  const served = async () => (await cluster.send('GET', collection)).status;
  const untilServed = async () => {
    await eventually(async () => (await served()) === 200, { what: 'the group is served' });
  };
  const service = { namespace: 'default', name: 'missing', port: 443 };

  return {
    widget: { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'one' }, spec: { size: 1 } },
    path,
    untilServed,
    async define() {
      await cluster.api('POST', ofDefinitions, widgetDefinition(group, { size: { type: 'integer' } }));
    },
    async leave() {
      const spec = { service, insecureSkipTLSVerify: true };
      const answer = await cluster.send('GET', `${apiServices}/${name}`);
      if (answer.status === 200)
        await edit(ns, `${apiServices}/${name}`, { metadata: { labels: { [automanaged]: null } }, spec });
      else {
        const priorities = { groupPriorityMinimum: 100, versionPriority: 100 };
        await cluster.api('POST', apiServices, {
          metadata: { name },
          spec: { group, version: 'v1', ...priorities, ...spec },
        });
      }
      await eventually(async () => (await served()) === 503, { what: 'the group is away' });
    },
    async comeBack() {
      // A CustomResourceDefinition replaces it at once.
      await cluster.api('DELETE', `${apiServices}/${name}`);
      await untilServed();
    },
  };
}

async function untilReported(
  { application }: ObserverScene,
  type: string,
  reason: string,
  message: RegExp,
): Promise<void> {
  await eventually(
    async (saw) => {
      const { status } = await application('shop');
      const condition = arrayOf(objectOf(status)['conditions'])
        .map(objectOf)
        .find((each) => each['type'] === type);
      saw(objectOf(status)['conditions']);
      return (
        condition?.['status'] === 'True' &&
        condition['reason'] === reason &&
        message.test(textOf(condition['message']) ?? '')
      );
    },
    { what: `the condition ${type} with ${reason}` },
  );
}

async function assertCorrected({ ns }: ObserverScene, value: string): Promise<void> {
  await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { a: 'theirs' } });
  await untilObject(ns, 'ConfigMap', 'settings', 'its data restored', (object) => at(object, 'data', 'a') === value);
}

const untilThere = async ({ ns }: ObserverScene, path: string) =>
  eventually(async () => (await ns.cluster.send('GET', path)).status === 200, { what: `${path} is there` });

suite('an unavailable API group, on a real API server', { concurrency: 1 }, () => {
  const plane = suiteControlPlane();

  test('if it is unavailable at the first apply, everything else is applied and corrected, the status names the rest, and it is applied when the group is available', async (t) => {
    const scene = await setObserverScene(t, 'away', plane());
    const group = groupFor(scene.ns);
    await group.leave();
    await scene.start(t);
    await scene.apply('shop', { manifests: [group.widget, configMap('settings', { a: '1' })] });
    await untilObject(scene.ns, 'ConfigMap', 'settings', 'its data', (object) => at(object, 'data', 'a') === '1');
    await untilReported(scene, 'Degraded', 'Retrying', /Widget\S* \S+\/one/);
    await assertCorrected(scene, '1');
    await group.define();
    await group.comeBack();
    await scene.untilInSync('shop');
    await untilThere(scene, group.path);
    assert.equal(await scene.condition('shop', 'Degraded'), 'False');
  });

  test('if it is unavailable at an update and at a restart of weeder, everything else is as in the newest manifest', async (t) => {
    const scene = await setObserverScene(t, 'away', plane());
    const group = groupFor(scene.ns);
    await group.define();
    await group.untilServed();
    const first = await scene.start(t);
    await scene.apply('shop', { manifests: [group.widget, configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    const { uid } = objectOf(objectOf(await scene.ns.cluster.api('GET', group.path))['metadata']);
    await group.leave();
    const widget = { ...group.widget, spec: { size: 2 } };
    await scene.apply('shop', { manifests: [widget, configMap('settings', { a: '2' })] });
    await untilObject(scene.ns, 'ConfigMap', 'settings', 'its new data', (object) => at(object, 'data', 'a') === '2');
    await untilReported(scene, 'Degraded', 'Retrying', /Widget\S* \S+\/one/);
    await assertCorrected(scene, '2');
    await first.stop();
    await scene.start(t);
    await assertCorrected(scene, '2');
    await untilReported(scene, 'Degraded', 'Retrying', /Widget\S* \S+\/one/);
    await group.comeBack();
    await scene.untilInSync('shop');
    const { metadata, spec } = objectOf(await scene.ns.cluster.api('GET', group.path));
    assert.deepEqual([objectOf(metadata)['uid'], spec], [uid, { size: 2 }]);
  });

  test('if it is unavailable while the application is deleted, everything else is deleted, and the application waits, with a reason', async (t) => {
    const scene = await setObserverScene(t, 'away', plane());
    const { ns } = scene;
    const group = groupFor(ns);
    await group.define();
    await group.untilServed();
    await scene.start(t);
    await scene.apply('shop', { manifests: [group.widget, configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    await group.leave();
    const path = `${applicationsPath(ns.name)}/shop`;
    await ns.cluster.api('DELETE', path);
    await eventually(async () => !(await isThere(ns, 'ConfigMap', 'settings')), { what: 'the end of the ConfigMap' });
    await untilReported(scene, 'Degraded', 'DeletionBlocked', /Widget\S* \S+\/one/);
    await group.comeBack();
    await untilAbsent(ns.cluster, path, 'its end');
    assert.equal((await ns.cluster.send('GET', group.path)).status, 404);
  });

  test('a namespace without permissions for the account delays its own resources only, until the account has them', async (t) => {
    const scene = await setObserverScene(t, 'away', plane());
    const { ns } = scene;
    const { cluster, name } = ns;
    const other = `${name}-other`;
    await cluster.api('POST', '/api/v1/namespaces', { metadata: { name: other } });
    const elsewhere = { ...configMap('elsewhere', { a: '1' }), metadata: { name: 'elsewhere', namespace: other } };
    await scene.start(t);
    await scene.apply('shop', { manifests: [elsewhere, configMap('settings', { a: '1' })] });
    await untilObject(ns, 'ConfigMap', 'settings', 'its data', (object) => at(object, 'data', 'a') === '1');
    await eventually(async () => (await scene.condition('shop', 'Degraded')) === 'True', { what: 'it is degraded' });
    assert.match(JSON.stringify(objectOf(await scene.application('shop'))['status']), /ConfigMap \S+-other\/elsewhere/);
    await assertCorrected(scene, '1');
    await cluster.api('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${other}/rolebindings`, {
      metadata: { name: 'tenant' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: name }],
    });
    await scene.untilInSync('shop');
    assert.equal((await cluster.send('GET', `/api/v1/namespaces/${other}/configmaps/elsewhere`)).status, 200);
  });
});
