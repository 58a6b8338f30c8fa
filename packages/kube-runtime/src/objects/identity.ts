import { objectOf, textOf } from '../base/json.ts';
import { nameIn, uidIn, versionIn } from './foreignText.ts';

/** Identifies one version of a namespaced object. */
export interface Identity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Reads the identity of an object as the API serves it; undefined if a part is missing, or no object can have it.
 * Without a name, the path of the object would be the path of the collection.
 */
export function identityOf(object: unknown): Identity | undefined {
  const meta = objectOf(objectOf(object)['metadata']);
  const [namespace, name] = [nameIn(meta['namespace']), nameIn(meta['name'])];
  const [uid, resourceVersion] = [uidIn(meta['uid']), versionIn(meta['resourceVersion'])];
  if (namespace === undefined || name === undefined || uid === undefined || resourceVersion === undefined)
    return undefined;
  return { namespace, name, uid, resourceVersion };
}

/**
 * The resourceVersion of an object that is uniquely identified, namespaced or cluster-scoped: it has a name, a uid, and
 * a valid namespace or none. Undefined if it is not.
 */
export function versionOf(object: unknown): string | undefined {
  const { namespace, name, uid, resourceVersion } = objectOf(objectOf(object)['metadata']);
  if (namespace !== undefined && nameIn(namespace) === undefined) return undefined;
  return nameIn(name) === undefined || uidIn(uid) === undefined ? undefined : versionIn(resourceVersion);
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
