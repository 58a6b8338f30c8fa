import type { KubeObject, Resource } from '@weeder/embedded-cluster';
import type { Storage } from '@weeder/embedded-cluster/registry';

export interface Stored {
  readonly resource: Resource;
  readonly object: KubeObject;
}

/** Everything that a server stores. */
export function contentOf(storage: Storage): readonly Stored[] {
  const { resources } = storage;
  return resources.flatMap((resource) =>
    [...storage.collectionOf(resource).scan({})].map((object) => ({ resource, object })),
  );
}

/** Stores what the server does not have yet. */
export function restore(storage: Storage, content: readonly Stored[]): void {
  for (const { resource, object } of content) {
    const { namespace: place = '', name } = object.metadata;
    if (storage.collectionOf(resource).get(place, name) === undefined) storage.put(resource, object);
  }
}
