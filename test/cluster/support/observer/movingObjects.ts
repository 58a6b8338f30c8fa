import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { definitionOf } from '../../../support/objects/definition.ts';
import type { Cleanup } from '../cleanup.ts';
import type { TestNamespace } from '../namespace.ts';
import { makeClusterTenant } from './observerScene.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Objects that would lose something if they were deleted, in manifests of several Applications. */
export type Moving = Awaited<ReturnType<typeof movingObjects>>;

/** A claim, a Deployment, a ConfigMap, and custom resources with and without a namespace. */
export async function movingObjects(t: Cleanup, ns: TestNamespace) {
  const { cluster, name: namespace } = ns;
  await makeClusterTenant(ns);
  const group = `${namespace}.example.org`;
  for (const [kind, isNamespaced] of [
    ['Gadget', true],
    ['Gizmo', false],
  ] as const) {
    const plural = `${kind.toLowerCase()}s`;
    await cluster.api('POST', definitions, definitionOf({ group, version: 'v1', kind, plural, isNamespaced }));
    t.after(() => cluster.send('DELETE', `${definitions}/${plural}.${group}`));
  }
  const paths = [
    ns.path('api/v1', 'persistentvolumeclaims', 'moving'),
    ns.path('apis/apps/v1', 'deployments', 'moving'),
    ns.path('api/v1', 'configmaps', 'moving'),
    ns.path(`apis/${group}/v1`, 'gadgets', 'moving'),
    `/apis/${group}/v1/gizmos/moving`,
  ];
  const get = async (path: string) => objectOf((await cluster.send('GET', path)).body);
  const template = { metadata: { labels: { app: 'moving' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };

  return {
    /** With the label `of`, which is different in each Application, and one that only this Application has. */
    manifests(application: string): readonly JsonObject[] {
      const labels = { of: application, [application]: 'yes' };
      const metadata = { name: 'moving', namespace, labels };
      const resources = { requests: { storage: '1Gi' } };
      return [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata,
          spec: { accessModes: ['ReadWriteOnce'], resources },
        },
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata,
          spec: { replicas: 0, selector: { matchLabels: { app: 'moving' } }, template },
        },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: application } },
        { apiVersion: `${group}/v1`, kind: 'Gadget', metadata, spec: { size: 1 } },
        { apiVersion: `${group}/v1`, kind: 'Gizmo', metadata: { name: 'moving', labels }, spec: { size: 1 } },
      ];
    },
    all: () => Promise.all(paths.map(get)),
    /** By path; undefined where there is no object. */
    async uids(): Promise<JsonObject> {
      const uidOf = async (path: string) => [path, objectOf((await get(path))['metadata'])['uid']];
      return Object.fromEntries(await Promise.all(paths.map(uidOf)));
    },
    /** Removes the finalizer of the claim, as its controller does, which does not run here. */
    unprotect: () => cluster.api('PATCH', `${paths[0]}`, { metadata: { finalizers: null } }),
    /** Gives an account of another namespace the permissions on these objects. */
    async permit(from: string, account: string): Promise<void> {
      await cluster.api('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        metadata: { name: `moving-${namespace}` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'ServiceAccount', name: account, namespace: from }],
      });
    },
  };
}
