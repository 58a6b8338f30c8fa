import { type JsonObject, objectOf, textOf } from '../../base/json.ts';
import type { Identity } from '../model/identity.ts';

/**
 * What others need before they can be applied at all: a Pod is refused without its ServiceAccount, gets its defaults from
 * a LimitRange once and for all, and a binding is refused without its role.
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

/** What runs containers: they read ConfigMaps, Secrets and Services as they start, and not again. */
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

interface WithIdentity {
  readonly identity: Identity;
}

/** By stage; in each, the order of the manifests. */
export function inApplyOrder<T extends WithIdentity>(resources: readonly T[]): readonly T[] {
  return resources.toSorted((one, other) => stageOf(one.identity) - stageOf(other.identity));
}

/** The earliest stage that these have anything in. No resource of a stage needs another one of it. */
export function firstStage<T extends WithIdentity>(resources: readonly T[]): readonly T[] {
  const earliest = Math.min(...resources.map(({ identity }) => stageOf(identity)));
  return resources.filter(({ identity }) => stageOf(identity) === earliest);
}

/**
 * The other way round, so that nothing goes away with the namespace or the kind that it lives in; rights and accounts last
 * of all.
 */
export function inDeletionOrder<T extends WithIdentity>(resources: readonly T[]): readonly T[] {
  const reversed = inApplyOrder(resources).toReversed();
  return reversed.toSorted((one, other) => deletionStage(one.identity) - deletionStage(other.identity));
}

/** All else is deleted by these rights, and what ends may need its account until it is gone. */
const rights: ReadonlySet<string> = new Set([
  'ServiceAccount',
  'Role.rbac.authorization.k8s.io',
  'ClusterRole.rbac.authorization.k8s.io',
  'RoleBinding.rbac.authorization.k8s.io',
  'ClusterRoleBinding.rbac.authorization.k8s.io',
]);

/** Nothing of a stage is deleted before everything of the earlier ones is gone. From 0. */
export function deletionStage(identity: Identity): number {
  if (rights.has(nameOf(identity))) return first.length + 1;
  const stage = stageOf(identity);
  return stage < definitionStage + 1 ? definitionStage + 1 - stage : 0;
}

/** Of CustomResourceDefinitions. */
const definitionStage = 1;

function nameOf({ group, kind }: Identity): string {
  return group === '' ? kind : `${kind}.${group}`;
}

function stageOf(identity: Identity): number {
  const name = nameOf(identity);
  const stage = first.findIndex((names) => names.includes(name));
  if (stage !== -1) return stage;
  return last.has(name) ? first.length + 1 : first.length;
}

/** The kind that a CustomResourceDefinition defines; undefined: the object is none, or says nothing. */
export function definedKind(identity: Identity, object: JsonObject): { group: string; kind: string } | undefined {
  if (stageOf(identity) !== definitionStage) return undefined;
  const spec = objectOf(object['spec']);
  const [group, kind] = [textOf(spec['group']), textOf(objectOf(spec['names'])['kind'])];
  return group === undefined || kind === undefined ? undefined : { group, kind };
}
