import { arrayOf, type JsonObject, objectOf } from '../../base/json.ts';
import type { KubeObject } from '../meta/objects.ts';
import { failure, type Status } from '../meta/status.ts';
import type { Resource } from '../registry/resource.ts';
import type { Storage } from '../storage/storage.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../strategies/resources.ts';

/** A user with its groups. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** An action on a resource. */
interface Attempt {
  readonly verb: string;
  readonly resource: Pick<Resource, 'group' | 'plural'>;
  /** Undefined for a request across all namespaces or for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Returns whether a role bound to the user allows the action. */
export function allowed(storage: Storage, user: User, attempt: Attempt): boolean {
  return rulesOf(storage, user, attempt.namespace).some((rule) => allows(objectOf(rule), attempt));
}

/** Returns 403 if no role bound to the user allows the action. */
export function refusal(storage: Storage, user: User, attempt: Attempt): Status | undefined {
  return allowed(storage, user, attempt) ? undefined : forbiddenStatus(user, attempt);
}

/** Adds the groups that every user, and every ServiceAccount, has. */
export function userOf(name: string, groups: readonly string[]): User {
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(name);
  const own = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`];
  return { name, groups: [...groups, ...own, 'system:authenticated'] };
}

function rulesOf(storage: Storage, user: User, namespace: string | undefined): readonly unknown[] {
  const everywhere = [...storage.collectionOf(clusterRoleBindings).scan({})];
  const here = namespace === undefined ? [] : [...storage.collectionOf(roleBindings).scan({ namespace })];
  return [...everywhere, ...here]
    .filter(({ subjects }) => arrayOf(subjects).some((subject) => isSubject(objectOf(subject), user)))
    .flatMap((binding) => arrayOf(roleOf(storage, binding)?.['rules']));
}

function roleOf(storage: Storage, { metadata, roleRef }: KubeObject): KubeObject | undefined {
  const { kind, name } = objectOf(roleRef);
  return kind === 'Role'
    ? storage.collectionOf(roles).get(metadata.namespace ?? '', String(name))
    : storage.collectionOf(clusterRoles).get('', String(name));
}

function isSubject({ kind, name, namespace }: JsonObject, user: User): boolean {
  if (kind === 'Group') return user.groups.some((group) => group === name);
  if (kind === 'User') return user.name === name;
  return user.name === `system:serviceaccount:${String(namespace)}:${String(name)}`;
}

function allows(rule: JsonObject, { verb, resource, name, subresource }: Attempt): boolean {
  const has = (field: string, value: string) => arrayOf(rule[field]).some((each) => each === '*' || each === value);
  const plural = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
  const isOfAll = subresource !== undefined && arrayOf(rule['resources']).includes(`*/${subresource}`);
  const names = arrayOf(rule['resourceNames']);
  const isNamed = names.length === 0 || (name !== undefined && names.includes(name));
  return has('verbs', verb) && has('apiGroups', resource.group) && (has('resources', plural) || isOfAll) && isNamed;
}

function forbiddenStatus(user: User, { verb, resource, namespace, name, subresource }: Attempt): Status {
  const { group, plural } = resource;
  const about = group === '' ? plural : `${plural}.${group}`;
  const what = subresource === undefined ? plural : `${plural}/${subresource}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const why = `User "${user.name}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
  const details = { ...(name === undefined ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural };
  const named = name === undefined ? about : `${about} "${name}"`;
  return failure(403, 'Forbidden', `${named} is forbidden: ${why}`, details);
}
