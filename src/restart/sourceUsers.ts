import { type SourceRef, sourceKey } from './refs.ts';
import type { Use } from './uses.ts';

/** Which workloads use which source. */
export interface SourceUsers {
  /** From now on this workload uses these, and nothing else. */
  put(workload: string, uses: readonly Use[]): void;
  of(source: SourceRef): readonly string[];
}

/** `onUnused` is told of each source that nobody uses any more. */
export function createSourceUsers(onUnused: (source: SourceRef) => void): SourceUsers {
  const users = new Map<string, Set<string>>();
  const used = new Map<string, readonly SourceRef[]>();

  return {
    put(workload, uses) {
      const now = new Map(uses.map(({ source }) => [sourceKey(source), source]));
      for (const key of now.keys()) users.set(key, (users.get(key) ?? new Set()).add(workload));
      for (const source of used.get(workload) ?? []) {
        const key = sourceKey(source);
        if (now.has(key)) continue;
        users.get(key)?.delete(workload);
        if (users.get(key)?.size !== 0) continue;
        users.delete(key);
        onUnused(source);
      }
      if (now.size === 0) used.delete(workload);
      else used.set(workload, [...now.values()]);
    },
    of: (source) => [...(users.get(sourceKey(source)) ?? [])],
  };
}
