import { objectOf } from '../../base/json.ts';
import { type Identity, identityKey, identityText, type Manifest } from '../model/identity.ts';
import type { FieldError, UnresolvedManifest } from './application.ts';

/**
 * A manifest in its place, once discovery has said whether its kind lives in namespaces: without one of its own it is
 * in `home`, the application's, and what lives in none loses the one that it names, as with kubectl.
 */
export function resolveNamespace(manifest: UnresolvedManifest, home: string, isNamespaced: boolean): Manifest {
  const { group, kind, name, apiVersion, object } = manifest;
  const namespace = isNamespaced ? (manifest.namespace ?? home) : '';
  const { namespace: _asWritten, ...metadata } = objectOf(object['metadata']);
  return {
    identity: { group, kind, namespace, name },
    apiVersion,
    object: { ...object, metadata: namespace === '' ? metadata : { ...metadata, namespace } },
  };
}

/** Where an object stands in the manifests. */
interface ManifestPosition {
  readonly index: number;
  readonly identity: Identity;
}

/**
 * An error for each manifest that is the same object as one before it, under whatever version of the API. They concern
 * the whole application: nobody knows which of the two is meant.
 */
export function findDuplicates(places: readonly ManifestPosition[]): readonly FieldError[] {
  const first = new Map<string, number>();
  return places.flatMap(({ index, identity }): FieldError[] => {
    const key = identityKey(identity);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, index);
      return [];
    }
    const message = `${identityText(identity)} is a duplicate, first at manifests[${earlier}]`;
    return [{ code: 'duplicate', path: ['spec', 'manifests', index], message, manifest: undefined }];
  });
}
