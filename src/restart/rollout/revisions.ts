import type { WorkloadEntry } from '../effects/workloadEntry.ts';

/** Counts the revisions in a row that are restarts of ours, as far as this process has seen them. */
interface Revisions {
  /** One more. Returns how many the workload keeps, if this one took the place of the last that was not ours. */
  add(entry: WorkloadEntry): number | undefined;
}

export function createRevisions(): Revisions {
  /** Since the template was another one, apart from our own annotation. */
  const inRow = new WeakMap<WorkloadEntry, { readonly templateHash: string; readonly count: number }>();
  return {
    add(entry) {
      const { templateHash, revisionHistoryLimit: kept = 0 } = entry.facts;
      const before = inRow.get(entry);
      const count = before?.templateHash === templateHash ? before.count + 1 : 1;
      inRow.set(entry, { templateHash, count });
      // The newest revision is not among those that are kept to go back to.
      return kept > 0 && count === kept + 1 ? kept : undefined;
    },
  };
}
