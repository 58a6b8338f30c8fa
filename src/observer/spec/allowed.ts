import type { AllowedResources } from '../../config/schema/allowedResources.ts';
import { includesName, scopeFrom } from '../../config/scopes.ts';
import { type Identity, isBuiltIn, kindText } from '../objects/identity.ts';

/** The key of the config that messages refer to. */
const key = 'observer.allow';

type Entry = AllowedResources[number];

/**
 * Returns a clause that says why an Application of the namespace `home` may hold no resource at all; undefined if it
 * may hold some.
 */
export function whyNothingIsAllowed(allow: AllowedResources, home: string): string | undefined {
  if (allow.some((entry) => includesName(entry.applicationNamespaces, home))) return undefined;
  return `weeder's config allows no Applications in the namespace ${home} (${key})`;
}

/**
 * Returns a clause that says why an Application of the namespace `home` may not hold a resource; undefined if it may. A
 * resource without a namespace is cluster-scoped.
 */
export function whyNotAllowed(allow: AllowedResources, home: string, resource: Identity): string | undefined {
  if (allow.some((entry) => includesName(entry.applicationNamespaces, home) && allows(entry, home, resource))) {
    return undefined;
  }
  const { namespace } = resource;
  const place = namespace === '' ? 'which is cluster-scoped' : `in the namespace ${namespace}`;
  return `weeder's config does not allow Applications of the namespace ${home} to hold a ${kindText(resource)} ${place} (${key})`;
}

function allows(entry: Entry, home: string, resource: Identity): boolean {
  if (resource.namespace === '') return isAmong(entry.clusterKinds, resource);
  const isThere = includesName(scopeFrom(entry.namespaces, home), resource.namespace);
  return isThere && isAmong(entry.kinds, resource) && !isAmong(entry.exceptKinds, resource);
}

function isAmong(kinds: 'all' | readonly string[], { group, kind }: Identity): boolean {
  if (kinds === 'all') return true;
  return kinds.some(
    (each) => each === `${kind}.${group}` || each === `*.${group}` || (each === kind && isBuiltIn(group)),
  );
}
