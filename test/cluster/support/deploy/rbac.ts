import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { eventually } from '../eventually.ts';
import type { Cluster } from '../plane/access.ts';

/** A rule of a Role. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
}

/** Permissions that a test has granted and can revoke. */
export type Grant = Awaited<ReturnType<typeof grant>>;

const Review = z.object({ status: z.looseObject({ allowed: z.boolean() }) });

/**
 * Grants `user` these permissions, in one namespace or in the whole cluster. Resolves when the API server applies them,
 * which is later than when it accepts the objects.
 */
export async function grant(
  cluster: Cluster,
  user: string,
  rules: readonly Rule[],
  options: { readonly namespace?: string } = {},
) {
  const { namespace } = options;
  const name = `${user}-${randomBytes(4).toString('hex')}`;
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const prefix = `/apis/rbac.authorization.k8s.io/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}`;
  const [roles, bindings] = [`${prefix}/${kind.toLowerCase()}s`, `${prefix}/${kind.toLowerCase()}bindings`];
  await cluster.api('POST', roles, { metadata: { name }, rules });
  await cluster.api('POST', bindings, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
  await decided(cluster, user, rules, namespace, true);
  return {
    /** Revokes the permissions, and resolves when the API server refuses requests again. */
    revoke: async () => {
      await cluster.api('DELETE', `${bindings}/${name}`);
      await cluster.api('DELETE', `${roles}/${name}`);
      await decided(cluster, user, rules, namespace, false);
    },
  };
}

/** Returns whether the API server permits this request of `user`. */
export async function isAllowed(
  cluster: Cluster,
  user: string,
  attributes: {
    verb: string;
    group: string;
    resource: string;
    subresource?: string;
    namespace?: string;
    name?: string;
  },
): Promise<boolean> {
  const body = { spec: { user, resourceAttributes: attributes } };
  const review = await cluster.api('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', body);
  return Review.parse(review).status.allowed;
}

async function decided(
  cluster: Cluster,
  user: string,
  rules: readonly Rule[],
  namespace: string | undefined,
  expected: boolean,
): Promise<void> {
  const [rule] = rules;
  const [group = '', resource = '', verb = ''] = [rule?.apiGroups[0], rule?.resources[0], rule?.verbs[0]];
  const name = rule?.resourceNames?.[0];
  const place = { ...(namespace === undefined ? {} : { namespace }), ...(name === undefined ? {} : { name }) };
  await eventually(async () => (await isAllowed(cluster, user, { verb, group, resource, ...place })) === expected, {
    what: `${user} ${expected ? 'may' : 'may no longer'} ${verb} ${resource}`,
  });
}
