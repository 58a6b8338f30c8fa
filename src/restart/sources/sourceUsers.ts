import { type SourceRef, sourceKey } from '../references/refs.ts';
import type { Use } from '../references/uses.ts';

/** Maps sources to the workloads that use them. */
interface SourceUsers {
  /** Replaces the uses of this workload. */
  put(workload: string, uses: readonly Use[]): void;
  of(source: SourceRef): readonly string[];
  /** Returns, without duplicates, the workloads that use a matching source. */
  ofAll(concerns: (source: SourceRef) => boolean): readonly string[];
  /** The number of used sources. */
  readonly size: number;
}

interface SourceUsersListener {
  /** The last workload that used the source no longer does. */
  onUnused(source: SourceRef): void;
  /** Called with all used sources when they have changed. */
  onUsed(sources: Iterable<SourceRef>): void;
}

interface Used {
  readonly source: SourceRef;
  readonly by: Set<string>;
}

export function createSourceUsers({ onUnused, onUsed }: SourceUsersListener): SourceUsers {
  const used = new Map<string, Used>();
  const byWorkload = new Map<string, readonly string[]>();
  /** An iterable, because copying thousands of sources for each workload that uses a new one would be expensive. */
  const sources: Iterable<SourceRef> = {
    *[Symbol.iterator]() {
      for (const { source } of used.values()) yield source;
    },
  };

  /** Returns whether no workload used the source before. */
  function add(workload: string, key: string, source: SourceRef): boolean {
    const users = used.get(key);
    users?.by.add(workload);
    if (users === undefined) used.set(key, { source, by: new Set([workload]) });
    return users === undefined;
  }

  /** Returns whether no workload uses the source any more. */
  function remove(workload: string, key: string): boolean {
    const users = used.get(key);
    if (users === undefined || !users.by.delete(workload) || users.by.size > 0) return false;
    used.delete(key);
    onUnused(users.source);
    return true;
  }

  return {
    put(workload, uses) {
      const now = new Map(uses.map(({ source }) => [sourceKey(source), source]));
      const before = byWorkload.get(workload) ?? [];
      const added = [...now].filter(([key, source]) => add(workload, key, source));
      const removed = before.filter((key) => !now.has(key) && remove(workload, key));
      if (now.size === 0) byWorkload.delete(workload);
      else byWorkload.set(workload, [...now.keys()]);
      if (added.length + removed.length > 0) onUsed(sources);
    },
    ofAll: (concerns) => [
      ...new Set([...used.values()].flatMap(({ source, by }) => (concerns(source) ? [...by] : []))),
    ],
    of: (source) => [...(used.get(sourceKey(source))?.by ?? [])],
    get size() {
      return used.size;
    },
  };
}
