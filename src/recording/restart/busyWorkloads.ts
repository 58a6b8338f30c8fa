import type { AnyActorRef } from 'xstate';
import { stateOf, type WorkloadEntry } from '../../restart/effects/workloadEntry.ts';
import type { RestartControl } from '../../restart/restartControl.ts';

const ofAJob = 'recreation ';

/**
 * Returns the workloads that have not settled, and reports each of them once, when it settles or is removed. Each call
 * replaces the previous one.
 */
export function watchBusyWorkloads(onRest: (workload: string) => void) {
  let watched: { unsubscribe(): void }[] = [];

  function watch(actor: AnyActorRef, workload: string, isAtRest: () => boolean): void {
    let hasRested = false;
    const rest = () => {
      subscription.unsubscribe();
      if (!hasRested) onRest(workload);
      hasRested = true;
    };
    const subscription = actor.subscribe({ next: () => isAtRest() && rest(), complete: rest, error: rest });
    watched.push(subscription);
  }

  return (control: Pick<RestartControl, 'entries' | 'actors'> | undefined): readonly string[] => {
    for (const subscription of watched) subscription.unsubscribe();
    watched = [];
    const busy = [...(control?.entries() ?? [])].filter((entry) => !isAtRest(entry));
    for (const entry of busy) watch(entry.actor, entry.id, () => isAtRest(entry));
    const recreated = [...(control?.actors() ?? [])].filter(({ id }) => id.startsWith(ofAJob));
    const jobs = recreated.map((actor) => {
      const job = actor.id.slice(ofAJob.length);
      watch(actor, job, () => false);
      return job;
    });
    return [...new Set([...busy.map(({ id }) => id), ...jobs])];
  };
}

/** Only this process knows a state that a dry run has not written. */
function isAtRest(entry: WorkloadEntry): boolean {
  return stateOf(entry) === 'current' && entry.unwrittenState === undefined;
}
