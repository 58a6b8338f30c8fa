import { type JsonObject, objectOf, textOf } from '../json.ts';
import type { Identity } from './identity.ts';

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

/** The other way round, so that nothing goes away with the namespace or the kind that it lives in. */
export function inDeletionOrder<T extends WithIdentity>(resources: readonly T[]): readonly T[] {
  return inApplyOrder(resources).toReversed();
}

function stageOf({ group, kind }: Identity): number {
  const name = group === '' ? kind : `${kind}.${group}`;
  const stage = first.findIndex((names) => names.includes(name));
  if (stage !== -1) return stage;
  return last.has(name) ? first.length + 1 : first.length;
}

/** The kind that a CustomResourceDefinition defines; undefined: the object is none, or says nothing. */
export function definedKind(identity: Identity, object: JsonObject): { group: string; kind: string } | undefined {
  if (stageOf(identity) !== 1) return undefined;
  const spec = objectOf(object['spec']);
  const [group, kind] = [textOf(spec['group']), textOf(objectOf(spec['names'])['kind'])];
  return group === undefined || kind === undefined ? undefined : { group, kind };
}
