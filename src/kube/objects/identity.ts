import { objectOf } from '../../base/json.ts';

/** Which object in which version: what every object of a namespace has. */
export interface Identity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Reads it from an object as the API serves it; undefined when a part is missing or empty. Without a name, the path of
 * one object would be the path of all.
 */
export function identityOf(object: unknown): Identity | undefined {
  const { namespace, name, uid, resourceVersion } = objectOf(objectOf(object)['metadata']);
  if (!isNamed(namespace) || !isNamed(name) || !isNamed(uid) || !isNamed(resourceVersion)) return undefined;
  return { namespace, name, uid, resourceVersion };
}

/**
 * The resourceVersion of an object that can be told apart from all others, whether its kind is namespaced or
 * cluster-scoped: it has a name and a uid, and a namespace or none at all. Undefined: it cannot.
 */
export function versionOf(object: unknown): string | undefined {
  const { namespace, name, uid, resourceVersion } = objectOf(objectOf(object)['metadata']);
  if (namespace !== undefined && !isNamed(namespace)) return undefined;
  return isNamed(name) && isNamed(uid) && isNamed(resourceVersion) ? resourceVersion : undefined;
}

function isNamed(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
