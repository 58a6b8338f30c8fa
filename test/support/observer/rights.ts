import type { ApiServer, Resource } from '@weeder/embedded-cluster';
import { clusterRoleBindings, clusterRoles } from '@weeder/embedded-cluster/resources';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { made } from '../world/embedded.ts';

/** What accounts may do: by default every account, with every object. */
export interface Rights {
  readonly verbs: readonly string[];
  /** The names of the only objects. */
  readonly names?: readonly string[];
  /** The name of the only account. */
  readonly account?: string;
}

/** Replaces the rights of all ServiceAccounts of the namespace `shop`. */
export function setRights({ store }: ApiServer, rights: readonly Rights[]): void {
  const put = (resource: Resource, name: string, content: JsonObject) => {
    store.delete(resource, '', name);
    made(store.create(resource, { metadata: { name }, ...content }));
  };
  for (const { metadata } of store.list(clusterRoleBindings)) store.delete(clusterRoleBindings, '', metadata.name);
  for (const [index, { verbs, names = [], account }] of rights.entries()) {
    const name = `tenant-${index}`;
    put(clusterRoles, name, { rules: [{ apiGroups: ['*'], resources: ['*'], verbs, resourceNames: names }] });
    const subject =
      account === undefined
        ? { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:serviceaccounts:shop' }
        : { kind: 'ServiceAccount', name: account, namespace: 'shop' };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
    put(clusterRoleBindings, name, { subjects: [subject], roleRef });
  }
}

export const everything: Rights = { verbs: ['*'] };
