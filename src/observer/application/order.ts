import { type JsonObject, objectOf, smallest, textOf } from '@weeder/kube-runtime/base';
import { isOfKubernetes } from '../kinds/kubernetesGroups.ts';
import type { Identity } from '../objects/identity.ts';

const definition = 'CustomResourceDefinition.apiextensions.k8s.io';

/**
 * Kinds that others need before they can be applied: the API server refuses a Pod without its ServiceAccount and a
 * binding without its role, and it applies the defaults of a LimitRange only when a Pod is created.
 */
const first: readonly (readonly string[])[] = [
  ['Namespace'],
  [definition],
  [
    'ServiceAccount',
    'LimitRange',
    'ResourceQuota',
    'PriorityClass.scheduling.k8s.io',
    'RuntimeClass.node.k8s.io',
    'Role.rbac.authorization.k8s.io',
    'ClusterRole.rbac.authorization.k8s.io',
  ],
  ['RoleBinding.rbac.authorization.k8s.io', 'ClusterRoleBinding.rbac.authorization.k8s.io'],
];

/** Kinds that run containers. They read ConfigMaps, Secrets and Services only when they start. */
const last: ReadonlySet<string> = new Set([
  'Pod',
  'ReplicationController',
  'Deployment.apps',
  'ReplicaSet.apps',
  'StatefulSet.apps',
  'DaemonSet.apps',
  'Job.batch',
  'CronJob.batch',
]);

/**
 * Kinds that call a workload, which may be one of the same application: before it serves them, the API server may refuse
 * that workload's own Pods.
 */
const callingWorkloads: ReadonlySet<string> = new Set([
  'MutatingWebhookConfiguration.admissionregistration.k8s.io',
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
]);

interface WithIdentity {
  readonly identity: Identity;
}

/** Sorts by stage, and within a stage by the order of the manifests. */
export function inApplyOrder<T extends WithIdentity>(resources: readonly T[]): readonly T[] {
  return resources.toSorted((one, other) => stageOf(one.identity) - stageOf(other.identity));
}

/** Returns the resources of the earliest stage that has any. Resources of one stage do not need each other. */
export function firstStage<T extends WithIdentity>(resources: readonly T[]): readonly T[] {
  const earliest = smallest(resources.map(({ identity }) => stageOf(identity)));
  return resources.filter(({ identity }) => stageOf(identity) === earliest);
}

/**
 * Sorts in the reverse order, so that no object disappears with its namespace or its kind. Roles and accounts come
 * last.
 */
export function inDeletionOrder<T extends WithIdentity>(
  resources: readonly T[],
  ownGroups: ReadonlySet<string>,
): readonly T[] {
  const stage = ({ identity }: T) => deletionStage(identity, ownGroups);
  return inApplyOrder(resources)
    .toReversed()
    .toSorted((one, other) => stage(one) - stage(other));
}

/**
 * These kinds grant the permissions for all other deletions, and terminating objects may need their account until they
 * are deleted.
 */
const rights: ReadonlySet<string> = new Set([
  'ServiceAccount',
  'Role.rbac.authorization.k8s.io',
  'ClusterRole.rbac.authorization.k8s.io',
  'RoleBinding.rbac.authorization.k8s.io',
  'ClusterRoleBinding.rbac.authorization.k8s.io',
]);

/** Stages of a deletion. Nothing of a stage is deleted before all objects of the earlier stages are deleted. */
export const deletionStages = {
  webhooks: 0,
  /** Their finalizers are most likely those of a workload of the same application. */
  ownCustomResources: 1,
  customResources: 2,
  ordinary: 3,
  definitions: 4,
  namespaces: 5,
  permissions: 6,
} as const;

/** Returns the deletion stage. `ownGroups`: see `definedGroups`. */
export function deletionStage(identity: Identity, ownGroups: ReadonlySet<string>): number {
  const name = nameOf(identity);
  if (callingWorkloads.has(name)) return deletionStages.webhooks;
  if (rights.has(name)) return deletionStages.permissions;
  if (name === definition) return deletionStages.definitions;
  if (name === 'Namespace') return deletionStages.namespaces;
  if (isOfKubernetes(identity.group)) return deletionStages.ordinary;
  return ownGroups.has(identity.group) ? deletionStages.ownCustomResources : deletionStages.customResources;
}

/**
 * Returns true for stages whose objects end only with their controller. Kubernetes does not say which workload that is, so
 * they hold up the others for a limited time.
 */
export function isOfControllers(stage: number): boolean {
  return stage === deletionStages.ownCustomResources || stage === deletionStages.customResources;
}

/** Returns the groups of the CustomResourceDefinitions among these: they are named `plural.group`. */
export function definedGroups(resources: Iterable<WithIdentity>): ReadonlySet<string> {
  const groups = new Set<string>();
  for (const { identity } of resources)
    if (nameOf(identity) === definition) groups.add(identity.name.slice(identity.name.indexOf('.') + 1));
  return groups;
}

function nameOf({ group, kind }: Identity): string {
  return group === '' ? kind : `${kind}.${group}`;
}

function stageOf(identity: Identity): number {
  const name = nameOf(identity);
  const stage = first.findIndex((names) => names.includes(name));
  if (stage !== -1) return stage;
  if (callingWorkloads.has(name)) return first.length + 2;
  return last.has(name) ? first.length + 1 : first.length;
}

/**
 * Returns the kind that a CustomResourceDefinition defines, or undefined for any other object and for an incomplete
 * definition.
 */
export function definedKind(identity: Identity, object: JsonObject): { group: string; kind: string } | undefined {
  if (nameOf(identity) !== definition) return undefined;
  const spec = objectOf(object['spec']);
  const [group, kind] = [textOf(spec['group']), textOf(objectOf(spec['names'])['kind'])];
  return group === undefined || kind === undefined ? undefined : { group, kind };
}
