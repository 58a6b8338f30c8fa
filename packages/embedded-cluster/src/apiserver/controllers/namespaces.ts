import type { KubeObject } from '../meta/objects.ts';
import { remove } from '../registry/delete.ts';
import type { Storage } from '../storage/storage.ts';
import { namespaces } from '../strategies/resources.ts';

/**
 * Starts the namespace controller. It deletes the content of a terminating namespace, and the namespace once it is
 * empty. Pods on a node are removed by the kubelet.
 */
export function startNamespaces(storage: Storage): void {
  const contents = () => storage.resources.filter(({ isNamespaced, view }) => isNamespaced && view === undefined);

  function removeContents(name: string): void {
    for (const resource of contents()) {
      for (const { metadata } of [...storage.collectionOf(resource).scan({ namespace: name })]) {
        remove(storage, resource, name, metadata.name);
      }
    }
  }

  function finish(name: string): void {
    const namespace = storage.collectionOf(namespaces).get('', name);
    if (namespace === undefined || !isTerminating(namespace) || namespace.metadata.finalizers !== undefined) return;
    if (contents().every((resource) => storage.collectionOf(resource).isEmpty(name)))
      storage.remove(namespaces, namespace);
  }

  storage.onChange((resource, { metadata }, isRemoved) => {
    if (resource === namespaces && !isRemoved && metadata.deletionTimestamp !== undefined) {
      // Deferred, so that the deletion returns first.
      queueMicrotask(() => {
        removeContents(metadata.name);
        finish(metadata.name);
      });
    }
    if (isRemoved && metadata.namespace !== undefined) finish(metadata.namespace);
  });
}

function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
