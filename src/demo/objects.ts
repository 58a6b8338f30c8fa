import { type ApiStore, type Program, programAnnotation, type Resource } from '@weeder/embedded-cluster';
import { namespaces, replicaSets, services } from '@weeder/embedded-cluster/resources';
import type { JsonObject } from '@weeder/kube-runtime/base';

/** The namespace of the demo. */
export const home = 'shoot-1';
/** The service that has the outage, and the label of its pods. */
export const etcdService = 'etcd-main-client';
export const etcdLabels = { role: 'main' };
export const etcdReplicas = 2;
/** The dependants. */
const apiserver = 'kube-apiserver';
export const apiserverLabels = { 'gardener.cloud/role': 'controlplane', role: 'apiserver' };

/** weeder's config for the demo. The first readiness of the pods is not shown as a recovery. */
export const configText = `onStart: never
servicesAndDependantSelectors:
  ${etcdService}:
    podSelectors:
      - matchExpressions:
          - { key: gardener.cloud/role, operator: In, values: [controlplane] }
          - { key: role, operator: In, values: [apiserver] }
`;

const etcdProgram: Partial<Program> = { readyAfter: 500 };
const apiserverProgram: Partial<Program> = {
  needs: etcdService,
  readyAfter: 1_000,
  givesUpAfter: 1_500,
  survives: 9_500,
};

/** Creates the namespace, and two etcd pods behind a service. */
export function createEtcd(store: ApiStore): void {
  create(store, namespaces, { metadata: { name: home } });
  create(store, services, {
    metadata: { name: etcdService, namespace: home },
    spec: { selector: etcdLabels, ports: [{ port: 2379 }] },
  });
  create(store, replicaSets, replicaSet('etcd-main', etcdReplicas, etcdLabels, etcdProgram));
}

/** Creates the API servers, which exit if they do not reach etcd. */
export function createDependants(store: ApiStore, replicas: number): void {
  create(store, replicaSets, replicaSet(apiserver, replicas, apiserverLabels, apiserverProgram));
}

function create(store: ApiStore, resource: Resource, object: JsonObject): void {
  const created = store.create(resource, object);
  if (!created.ok) throw new Error(created.error.message);
}

/** A ReplicaSet in the demo's namespace whose pods run `program`; they are bound to a node, as by a scheduler. */
function replicaSet(
  name: string,
  replicas: number,
  labels: Readonly<Record<string, string>>,
  program: Partial<Program>,
): JsonObject {
  return {
    metadata: { name, namespace: home },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { [programAnnotation]: JSON.stringify(program) } },
        spec: { nodeName: 'node-1', containers: [{ name, image: `demo/${name}:1` }] },
      },
    },
  };
}
