import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import type { Cleanup } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';

import { at, configMap, pathOf, untilObject } from '../support/observer/observedObjects.ts';
import {
  edit,
  everythingAllowed,
  makeClusterTenant,
  type ObserverScene,
  setObserverScene,
} from '../support/observer/observerScene.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';
import { startRequestProxy } from '../support/plane/requestProxy.ts';
import { startWeeder, type WeederProcess } from '../support/weeder.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const clusterRoles = 'applied rbac.authorization.k8s.io/v1/clusterroles';
const enforce = 'pod-security.kubernetes.io/enforce';
/** Longer than the tests take, so that only a stream can report a change. */
const seldom = '24h';

const clusterRole = (name: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
});
const namespaceOf = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { [enforce]: 'restricted' } },
});
const widened = { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] };

interface Scene extends ObserverScene {
  readonly weeder: WeederProcess;
  readonly role: string;
  readonly other: string;
}

/** An application of a ClusterRole and a Namespace, in sync, managed by a weeder. */
async function inSync(
  t: Cleanup,
  cluster: Parameters<typeof setObserverScene>[2],
  { resyncPeriod = seldom, kubeconfig, isOwnNamespace = false }: Options = {},
): Promise<Scene> {
  const scene = await setObserverScene(t, 'scopeless', cluster);
  const { ns } = scene;
  await makeClusterTenant(ns);
  const weeder = startWeeder(t, {
    cluster: ns.cluster,
    config: everythingAllowed,
    flags: ['--log-level=debug', ...(isOwnNamespace ? [`--namespaces=${ns.name}`] : [])],
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
  });
  const [role, other] = [`reader-${ns.name}`, `other-${ns.name}`];
  const manifests = [clusterRole(role), namespaceOf(other), configMap('settings', { a: '1' })];
  await scene.apply('shop', { resyncPeriod, manifests });
  await scene.untilInSync('shop');
  return { ...scene, weeder, role, other };
}

interface Options {
  readonly resyncPeriod?: string;
  readonly kubeconfig?: string;
  /** Default: it watches the whole cluster. */
  readonly isOwnNamespace?: boolean;
}

async function untilPutBack({ ns, role }: Scene): Promise<void> {
  await eventually(
    async (saw) => {
      const clusterRole = await ns.cluster.api('GET', `${rbac}/clusterroles/${role}`);
      saw(objectOf(clusterRole)['rules']);
      return at(clusterRole, 'rules', 0, 'resources', 0) === 'configmaps';
    },
    { what: 'the restored rules' },
  );
}

const widen = ({ ns, role }: Scene) => edit(ns, `${rbac}/clusterroles/${role}`, widened);

suite('cluster-scoped resources on a real API server', { concurrency: 1 }, () => {
  const plane = suiteControlPlane();

  test('a widened ClusterRole and a Namespace without its pod security label are corrected when their streams report the change', async (t) => {
    const scene = await inSync(t, plane());
    const { ns, other, weeder } = scene;
    await weeder.log.until('stream synced', { stream: clusterRoles });
    await weeder.log.until('stream synced', { stream: 'applied v1/namespaces' });
    await widen(scene);
    await untilPutBack(scene);
    const label = async () =>
      at(await ns.cluster.api('GET', `/api/v1/namespaces/${other}`), 'metadata', 'labels', enforce);
    await edit(ns, `/api/v1/namespaces/${other}`, { metadata: { labels: { [enforce]: null } } });
    await eventually(async () => (await label()) === 'restricted', { what: 'the restored label' });
    assert.deepEqual(weeder.log.find('stream lost'), []);
  });

  test('with --namespaces, cluster-scoped resources have no stream: they are read and corrected at each resync', async (t) => {
    const scene = await inSync(t, plane(), { resyncPeriod: '5s', isOwnNamespace: true });
    await widen(scene);
    await untilPutBack(scene);
    assert.deepEqual(scene.weeder.log.find('stream synced', { stream: clusterRoles }), []);
  });

  test('without its stream, a ClusterRole is read and corrected at each resync; a resource with a stream is corrected at once', async (t) => {
    let isDenied = false;
    const proxy = await startRequestProxy(
      t,
      plane(),
      () => undefined,
      (path) => (isDenied && path.includes('/clusterroles?') ? '/apis/none.example/v1/none' : path),
    );
    const scene = await inSync(t, plane(), { resyncPeriod: '5s', kubeconfig: proxy.kubeconfig });
    const { ns, weeder } = scene;
    await weeder.log.until('stream synced', { stream: clusterRoles });
    isDenied = true;
    await weeder.log.until('stream lost', { stream: clusterRoles });
    await widen(scene);
    await untilPutBack(scene);
    await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { a: 'theirs' } });
    await untilObject(ns, 'ConfigMap', 'settings', 'its data restored', (object) => at(object, 'data', 'a') === '1');
    isDenied = false;
    await weeder.log.until('stream opened again', { stream: clusterRoles });
    await widen(scene);
    await untilPutBack(scene);
    await scene.untilInSync('shop');
  });
});
