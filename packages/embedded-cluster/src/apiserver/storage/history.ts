import type { KubeObject } from '../meta/objects.ts';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** A change of an object, for watches that resume from an older version. */
export interface Change {
  readonly type: ChangeType;
  /** The resourceVersion of the change. */
  readonly version: number;
  /** The object after the change; a deleted one in its last state with the resourceVersion of the deletion. */
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  /** The object as JSON, cached for all watches. */
  json: string | undefined;
}

/** Called with the index of a new change; must return at once. */
type Wake = (index: number) => void;

/** The latest changes of one collection. An index counts all changes since the start, so that it remains valid. */
export interface History {
  append(change: Change): void;
  at(index: number): Change | undefined;
  /** Returns the index of the first change after `version`; undefined if later changes have been discarded. */
  indexAfter(version: number): number | undefined;
  /** The index of the oldest change in the history. */
  readonly first: number;
  /** The index of the next change. */
  readonly next: number;
  /** The latest discarded version: watches can resume from it and from later ones. */
  readonly oldestVersion: number;
  /** Discards the changes up to `version`. */
  compact(version: number): void;
  /** Discards the changes after `version`. */
  forgetAfter(version: number): void;
  /** Subscribes to all namespaces or one. Returns a function that unsubscribes. */
  subscribe(namespace: string | undefined, wake: Wake): () => void;
}

export function history(limit: number): History {
  let changes: Change[] = [];
  let first = 0;
  let oldestVersion = 0;
  const everywhere = new Set<Wake>();
  const inNamespace = new Map<string, Set<Wake>>();

  function discard(count: number): void {
    oldestVersion = Math.max(oldestVersion, changes[count - 1]?.version ?? 0);
    changes = changes.slice(count);
    first += count;
  }

  /** Returns the position in `changes` of the first change after `version`. */
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
      // Trimmed in batches, because each trim copies the whole history.
      if (changes.length > limit + Math.max(64, limit >> 2)) discard(changes.length - limit);
      const index = first + changes.length - 1;
      for (const wake of everywhere) wake(index);
      for (const wake of inNamespace.get(change.object.metadata.namespace ?? '') ?? []) wake(index);
    },
    at: (index) => changes[index - first],
    indexAfter: (version) => (version < oldestVersion ? undefined : first + offsetAfter(version)),
    compact(version) {
      discard(offsetAfter(version));
      oldestVersion = Math.max(oldestVersion, version);
    },
    forgetAfter(version) {
      changes = changes.slice(0, offsetAfter(version));
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
