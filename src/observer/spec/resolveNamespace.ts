import { objectOf } from '@weeder/kube-runtime/base';
import { type Identity, identityKey, identityText, type Manifest } from '../objects/identity.ts';
import type { FieldError, UnresolvedManifest } from './application.ts';

/**
 * Resolves the namespace of a manifest once discovery knows the scope of its kind. A namespaced object without a
 * namespace gets `home`, the namespace of the application. A cluster-scoped object loses the namespace that its
 * manifest names, as with kubectl.
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

/** The position of an object in the manifests. */
interface ManifestPosition {
  readonly index: number;
  readonly identity: Identity;
}

/**
 * Returns an error for each manifest of the same object as an earlier one, under any version of the API. The errors
 * concern the whole application, because it is ambiguous which manifest is meant.
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
