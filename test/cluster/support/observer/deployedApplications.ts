import { applicationsPath } from '../../../../src/observer/status/applicationApi.ts';
import type { Cleanup } from '../cleanup.ts';
import { createAll, type DeployedWeeder, one, startDeployed } from '../deploy/deployed.ts';
import type { Manifest } from '../deploy/kustomize.ts';
import { create } from '../manifests.ts';
import { type TestNamespace, testNamespace } from '../namespace.ts';
import { installApplications } from './applicationCrd.ts';
import { makeAccount } from './observerScene.ts';

/** A namespace with an account that has all permissions in it, and weeder's own. */
export interface DeployedApplications {
  readonly ns: TestNamespace;
  /** Weeder's own namespace. */
  readonly home: TestNamespace;
  /** Creates these objects, with `observer: {}` in the ConfigMap, and starts a replica of what they deploy. */
  deploy(objects: readonly Manifest[]): Promise<DeployedWeeder>;
  /** Creates an application `all` of these manifests. */
  apply(manifests: readonly object[]): Promise<unknown>;
}

export async function deployedApplications(
  t: Cleanup,
  cluster?: TestNamespace['cluster'],
): Promise<DeployedApplications> {
  const ns = await testNamespace(t, 'applications', cluster);
  const home = await testNamespace(t, 'home', ns.cluster);
  await installApplications(ns.cluster);
  await makeAccount(ns, 'default');
  await create(ns.cluster, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'tenant', namespace: ns.name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: ns.name }],
  });
  return {
    ns,
    home,
    async deploy(objects) {
      const configMap = one(objects, 'ConfigMap');
      const data = { 'weeder.yaml': JSON.stringify({ observer: {} }) };
      // There is one CRD for all tests.
      const others = objects.filter(({ kind }) => kind !== 'CustomResourceDefinition');
      const deployed = others.map((object) => (object === configMap ? { ...object, data } : object));
      await createAll(t, ns.cluster, deployed);
      return startDeployed(t, home, deployed, { flags: [`--namespaces=${ns.name}`] });
    },
    apply: (manifests) =>
      ns.cluster.api('POST', applicationsPath(ns.name), {
        apiVersion: 'weeder.dev/v1alpha1',
        kind: 'Application',
        metadata: { name: 'all' },
        spec: { manifests },
      }),
  };
}
