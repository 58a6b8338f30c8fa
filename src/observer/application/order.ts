import { type JsonObject, objectOf, smallest, textOf } from '@weeder/kube-runtime/base';
import type { Identity } from '../objects/identity.ts';

/**
 * Kinds that others need before they can be applied: the API server refuses a Pod without its ServiceAccount and a
 * binding without its role, and it applies the defaults of a LimitRange only when a Pod is created.
 */
const first: readonly (readonly string[])[] = [
  ['Namespace'],
  ['CustomResourceDefinition.apiextensions.k8s.io'],
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
export function inDeletionOrder<T extends WithIdentity>(resources: readonly T[]): readonly T[] {
  const reversed = inApplyOrder(resources).toReversed();
  return reversed.toSorted((one, other) => deletionStage(one.identity) - deletionStage(other.identity));
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

/** The deletion stage of all kinds without a stage of their own. */
export const ordinaryDeletion = 1;

/**
 * Returns the deletion stage, from 0. Nothing of a stage is deleted before all objects of the earlier stages are
 * deleted.
 */
export function deletionStage(identity: Identity): number {
  const name = nameOf(identity);
  if (callingWorkloads.has(name)) return 0;
  if (rights.has(name)) return first.length + 2;
  const stage = stageOf(identity);
  return stage <= definitionStage ? definitionStage + 2 - stage : ordinaryDeletion;
}

/** The stage of CustomResourceDefinitions. */
const definitionStage = 1;

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
  if (stageOf(identity) !== definitionStage) return undefined;
  const spec = objectOf(object['spec']);
  const [group, kind] = [textOf(spec['group']), textOf(objectOf(spec['names'])['kind'])];
  return group === undefined || kind === undefined ? undefined : { group, kind };
}
