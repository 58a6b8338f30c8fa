import type { KubeObject } from '../meta/objects.ts';
import { remove } from '../registry/delete.ts';
import type { Storage } from '../storage/storage.ts';
import { namespaces } from '../strategies/resources.ts';

/**
 * Ends namespaces as the namespace controller does: deletes all that is in a terminating one, and the namespace when
 * nothing is left. Pods on a node go when their kubelet says so.
 */
export function endNamespaces(storage: Storage): void {
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
    if (namespace === undefined || !isEnding(namespace) || namespace.metadata.finalizers !== undefined) return;
    if (contents().every((resource) => storage.collectionOf(resource).isEmpty(name)))
      storage.remove(namespaces, namespace);
  }

  storage.onChange((resource, { metadata }, isRemoved) => {
    if (resource === namespaces && !isRemoved && metadata.deletionTimestamp !== undefined) {
      // The deletion is answered before its consequences begin.
      queueMicrotask(() => {
        removeContents(metadata.name);
        finish(metadata.name);
      });
    }
    if (isRemoved && metadata.namespace !== undefined) finish(metadata.namespace);
  });
}

function isEnding({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
