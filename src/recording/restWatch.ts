import { stateOf, type WorkloadEntry } from '../restart/workloadEntry.ts';

/**
 * Names the workloads of which something is under way, and tells of each of them once, when it comes to rest or goes.
 * Asked again, it begins anew.
 */
export function createRestWatch(onRest: (workload: string) => void) {
  let watched: { unsubscribe(): void }[] = [];

  function watch(entry: WorkloadEntry): void {
    let hasRested = false;
    const rest = () => {
      if (!hasRested) onRest(entry.id);
      hasRested = true;
      subscription.unsubscribe();
    };
    const subscription = entry.actor.subscribe({ next: () => isAtRest(entry) && rest(), complete: rest, error: rest });
    watched.push(subscription);
  }

  return (entries: Iterable<WorkloadEntry>): readonly string[] => {
    for (const subscription of watched) subscription.unsubscribe();
    watched = [];
    const busy = [...entries].filter((entry) => !isAtRest(entry));
    for (const entry of busy) watch(entry);
    return busy.map(({ id }) => id);
  };
}

/** What a dry run has only pretended to write is known to this process alone. */
function isAtRest(entry: WorkloadEntry): boolean {
  return stateOf(entry) === 'current' && entry.pretended === undefined;
}
