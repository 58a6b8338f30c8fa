import type { Storage } from '@weeder/embedded-cluster/registry';
import { pods } from '@weeder/embedded-cluster/resources';

const namespace = 'default';

/** The pods of an embedded API server in the namespace `default`, reduced to what streams need: the metadata. */
export type PodStore = ReturnType<typeof podStore>;

export function podStore(storage: Storage) {
  const objects = storage.collectionOf(pods);

  function put(name: string, filler = 0): void {
    const uid = objects.get(namespace, name)?.metadata.uid ?? `uid-${name}-${storage.version}`;
    const annotations = { filler: 'é'.repeat(filler) };
    const own = { name, namespace, uid, labels: { app: 'a' }, annotations };
    const metadata = { ...own, creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '' };
    storage.put(pods, { kind: 'Pod', apiVersion: 'v1', metadata });
  }

  function remove(name: string): void {
    const pod = objects.get(namespace, name);
    if (pod !== undefined) storage.remove(pods, pod);
  }

  return {
    /** The resourceVersion of the last change. */
    get version() {
      return storage.version;
    },
    list: () => [...objects.scan({ namespace })],
    has: (name: string) => objects.get(namespace, name) !== undefined,
    /** Creates or updates a pod with the label `app: a`; `filler` is the length of an annotation. */
    put,
    remove,
    /** Discards the history up to now: resuming from an earlier version gives 410. */
    compact: storage.compact,
    /** Restores the state at this version, as from a backup of etcd. */
    restore: storage.restore,
  };
}
