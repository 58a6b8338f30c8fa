import { objectOf, textOf } from '../base/json.ts';

/** Identifies one version of a namespaced object. */
export interface Identity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Reads the identity of an object as the API serves it; undefined if a part is missing or empty. Without a name, the
 * path of the object would be the path of the collection.
 */
export function identityOf(object: unknown): Identity | undefined {
  const { namespace, name, uid, resourceVersion } = objectOf(objectOf(object)['metadata']);
  if (!isNamed(namespace) || !isNamed(name) || !isNamed(uid) || !isNamed(resourceVersion)) return undefined;
  return { namespace, name, uid, resourceVersion };
}

/**
 * The resourceVersion of an object that is uniquely identified, namespaced or cluster-scoped: it has a name, a uid, and
 * a valid namespace or none. Undefined if it is not.
 */
export function versionOf(object: unknown): string | undefined {
  const { namespace, name, uid, resourceVersion } = objectOf(objectOf(object)['metadata']);
  if (namespace !== undefined && !isNamed(namespace)) return undefined;
  return isNamed(name) && isNamed(uid) && isNamed(resourceVersion) ? resourceVersion : undefined;
}

/** The namespace of an object; empty if it has none. */
export function namespaceOf(object: unknown): string {
  return textOf(objectOf(objectOf(object)['metadata'])['namespace']) ?? '';
}

/** The uid of an object; empty if it has none. */
export function uidOf(object: unknown): string {
  return textOf(objectOf(objectOf(object)['metadata'])['uid']) ?? '';
}

/** The labels of an object as the API serves it. */
export function labelsOf(object: unknown): Record<string, string> {
  const labels = Object.entries(objectOf(objectOf(objectOf(object)['metadata'])['labels']));
  return Object.fromEntries(labels.map(([key, value]) => [key, textOf(value) ?? '']));
}

function isNamed(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
