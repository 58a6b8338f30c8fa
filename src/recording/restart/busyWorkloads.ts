import type { AnyActorRef } from 'xstate';
import { stateOf, type WorkloadEntry } from '../../restart/effects/workloadEntry.ts';
import type { RestartControl } from '../../restart/restartControl.ts';

const ofAJob = 'recreation ';

/**
 * Returns the workloads that have not settled, and reports each of them once, when it settles or is removed. Each call
 * replaces the previous one.
 */
export function watchBusyWorkloads(onSettled: (workload: string) => void) {
  let watched: { unsubscribe(): void }[] = [];

  function watch(actor: AnyActorRef, workload: string, isSettled: () => boolean): void {
    let hasSettled = false;
    const settle = () => {
      subscription.unsubscribe();
      if (!hasSettled) onSettled(workload);
      hasSettled = true;
    };
    const subscription = actor.subscribe({ next: () => isSettled() && settle(), complete: settle, error: settle });
    watched.push(subscription);
  }

  return (control: Pick<RestartControl, 'entries' | 'actors'> | undefined): readonly string[] => {
    for (const subscription of watched) subscription.unsubscribe();
    watched = [];
    const busy = [...(control?.entries() ?? [])].filter((entry) => !isSettled(entry));
    for (const entry of busy) watch(entry.actor, entry.id, () => isSettled(entry));
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
function isSettled(entry: WorkloadEntry): boolean {
  return stateOf(entry) === 'current' && entry.unwrittenState === undefined;
}
