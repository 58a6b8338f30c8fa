import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { applicationsPath } from '../../../../src/observer/status/applicationApi.ts';
import type { Cleanup } from '../cleanup.ts';
import type { Manifest } from '../deploy/kustomize.ts';
import { eventually } from '../eventually.ts';
import { create } from '../manifests.ts';
import { type TestNamespace, testNamespace } from '../namespace.ts';
import type { Cluster } from '../plane/access.ts';
import { noteChanges } from '../plane/watching.ts';
import { type StartOptions, startWeeder } from '../weeder.ts';
import { installApplications } from './applicationCrd.ts';
import { conditionsIn } from './observedObjects.ts';

/** One change of an object, as delivered by a watch that shares nothing with weeder. */
export interface Change {
  readonly type: string;
  readonly kind: string;
  readonly name: string;
  readonly object: JsonObject;
}

/** A namespace of a real cluster with the CRD of applications, a tenant with all permissions in it, and watches. */
export type ObserverScene = Awaited<ReturnType<typeof setObserverScene>>;

/** A config with which Applications may hold whatever their accounts may. */
export const everythingAllowed = { observer: { allow: [{ namespaces: 'all', clusterKinds: 'all' }] } };

/** Sets the scene without a weeder: `start()` starts it. */
export async function setObserverScene(t: Cleanup, prefix: string, ofCluster?: Cluster) {
  const ns = await testNamespace(t, prefix, ofCluster);
  const { cluster, name: namespace } = ns;
  await installApplications(cluster);
  await makeTenant(ns);
  const changes: Change[] = [];
  const pathOf = (name?: string) => `${applicationsPath(namespace)}${name === undefined ? '' : `/${name}`}`;

  async function application(name: string): Promise<JsonObject> {
    return objectOf(await cluster.api('GET', pathOf(name)));
  }

  return {
    ns,
    /** The events of the watches so far, in the order of their arrival. */
    changes,
    /**
     * Starts the real program, for this namespace alone unless the flags say otherwise, with a config that allows
     * Applications everything; waits until it runs.
     */
    async start(test: Cleanup, { flags = [], config = everythingAllowed, ...options }: Partial<StartOptions> = {}) {
      const own = [`--namespaces=${namespace}`, '--log-level=debug'];
      const weeder = startWeeder(test, { cluster, config, ...options, flags: [...own, ...flags] });
      await weeder.log.until('the application observer starts');
      return weeder;
    },
    /** Creates the application, or sets this spec. */
    async apply(name: string, spec: JsonObject) {
      const body = applicationOf(ns, spec, name);
      const metadata = { ...body.metadata, ...(await versionOf(name)) };
      const answer = await cluster.send('PUT', pathOf(name), { body: { ...body, metadata } });
      if (answer.status === 404) await cluster.api('POST', pathOf(), body);
      else if (answer.status >= 400) throw new Error(JSON.stringify(answer.body));
    },
    application,
    /** `Applied` and so on: `True`, `False`, `Unknown`. */
    condition: async (name: string, type: string) => textOf(conditionsIn(await application(name))[type]?.['status']),
    /** Waits until its current spec is applied, and everything is in sync. */
    async untilInSync(name: string) {
      await eventually(
        async (saw) => {
          const now = await application(name);
          const { observedGeneration, ...status } = objectOf(now['status']);
          saw(status);
          const { Applied, InSync } = conditionsIn(now);
          const isCurrent = observedGeneration === objectOf(now['metadata'])['generation'];
          return isCurrent && Applied?.['status'] === 'True' && InSync?.['status'] === 'True';
        },
        { what: `application ${name} in sync` },
      );
    },
    /** Watches a kind from now on. */
    watch: (group: string, plural: string) =>
      noteChanges(t, cluster, ns.path(group, plural), ({ type, object }) => {
        changes.push({ type, kind: object.kind ?? '', name: object.metadata.name, object });
      }),
  };

  async function versionOf(name: string): Promise<JsonObject> {
    const answer = await cluster.send('GET', pathOf(name));
    const { resourceVersion } = objectOf(objectOf(answer.body)['metadata']);
    return answer.status === 200 ? { resourceVersion } : {};
  }
}

/** The account that weeder impersonates. It may do everything in this namespace. */
export async function makeTenant(ns: TestNamespace): Promise<void> {
  await makeAccount(ns, 'default');
  await create(ns.cluster, tenantOf(ns));
}

/** Lets the default account of the namespace do everything in it. */
export function tenantOf({ name: namespace }: TestNamespace): Manifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'tenant', namespace },
    ...everythingFor(namespace),
  };
}

function everythingFor(namespace: string) {
  return {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
  };
}

export function applicationOf({ name: namespace }: TestNamespace, spec: JsonObject, name = 'shop'): Manifest {
  return { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', metadata: { name, namespace }, spec };
}

/** Creates the default account as its controller does, which does not run here. */
export async function makeAccount({ cluster, path }: TestNamespace, name: string): Promise<void> {
  await cluster.api('POST', path('api/v1', 'serviceaccounts'), { metadata: { name } });
}

/** Gives the same account all permissions everywhere: for cluster-scoped resources. */
export async function makeClusterTenant({ cluster, name: namespace }: TestNamespace): Promise<void> {
  await cluster.api('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: `tenant-${namespace}` },
    ...everythingFor(namespace),
  });
}

/** A JSON merge patch by another client, as `kubectl edit` sends it. */
export function edit({ cluster }: TestNamespace, path: string, patch: object, manager = 'kubectl-edit') {
  return cluster.send('PATCH', `${path}?fieldManager=${manager}`, { body: patch });
}
