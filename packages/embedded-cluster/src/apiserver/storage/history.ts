import type { KubeObject } from '../meta/objects.ts';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change of one object, as it is kept for watches that come later. */
export interface Change {
  readonly type: ChangeType;
  /** The resourceVersion that the change made. */
  readonly version: number;
  /** As it is after the change; a deleted one as it was last, with the deletion's resourceVersion. */
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  /** The object as JSON, written once for all watches. */
  json: string | undefined;
}

/** Told of a change at `index`; returns at once, and reads when it likes. */
type Wake = (index: number) => void;

/** The latest changes of one collection. Indexes count all changes that ever were, so that they stay valid. */
export interface History {
  append(change: Change): void;
  at(index: number): Change | undefined;
  /** The index of the first change after `version`; undefined: changes after it have been forgotten. */
  indexAfter(version: number): number | undefined;
  /** The index of the oldest change that is kept. */
  readonly first: number;
  /** The index that the next change will have. */
  readonly next: number;
  /** The newest version that may be forgotten: watches can be resumed from it and from all newer ones. */
  readonly oldestVersion: number;
  /** Forgets everything up to `version`. */
  compact(version: number): void;
  /** Watches all namespaces, or one. Returns what ends it. */
  subscribe(namespace: string | undefined, wake: Wake): () => void;
}

export function history(limit: number): History {
  let changes: Change[] = [];
  let first = 0;
  let oldestVersion = 0;
  const everywhere = new Set<Wake>();
  const inNamespace = new Map<string, Set<Wake>>();

  function forget(count: number): void {
    oldestVersion = Math.max(oldestVersion, changes[count - 1]?.version ?? 0);
    changes = changes.slice(count);
    first += count;
  }

  /** Where in `changes` the first one after `version` stands. */
  function offsetAfter(version: number): number {
    let [low, high] = [0, changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((changes[middle]?.version ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    append(change) {
      changes.push(change);
      // In pieces, or each change of a long history would move all the others.
      if (changes.length > limit + Math.max(64, limit >> 2)) forget(changes.length - limit);
      const index = first + changes.length - 1;
      for (const wake of everywhere) wake(index);
      for (const wake of inNamespace.get(change.object.metadata.namespace ?? '') ?? []) wake(index);
    },
    at: (index) => changes[index - first],
    indexAfter: (version) => (version < oldestVersion ? undefined : first + offsetAfter(version)),
    compact(version) {
      forget(offsetAfter(version));
      oldestVersion = Math.max(oldestVersion, version);
    },
    subscribe(namespace, wake) {
      if (namespace === undefined) {
        everywhere.add(wake);
        return () => everywhere.delete(wake);
      }
      const wakes = inNamespace.get(namespace) ?? new Set();
      inNamespace.set(namespace, wakes.add(wake));
      return () => {
        wakes.delete(wake);
        if (wakes.size === 0 && inNamespace.get(namespace) === wakes) inNamespace.delete(namespace);
      };
    },
    get first() {
      return first;
    },
    get next() {
      return first + changes.length;
    },
    get oldestVersion() {
      return oldestVersion;
    },
  };
}
