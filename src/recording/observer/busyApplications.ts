import type { Clock } from '../../base/clock.ts';
import { wasCorrectedRecently } from '../../observer/drift/correctionBackoff.ts';
import { identityKey } from '../../observer/model/identity.ts';
import type { ObserverCore } from '../../observer/observerCore.ts';
import type { ApplicationEntry } from '../../observer/state/entries.ts';

/** Determines which applications have settled: a new observer makes the same decisions about these as this one. */
interface BusyApplications {
  /** Returns the applications that have not settled. Each of them is reported once, when it settles or is deleted. */
  busyNow(core: Pick<ObserverCore, 'entries'>): readonly string[];
  /** Checks after each event. Returns at once unless an application was busy before. */
  check(core: Pick<ObserverCore, 'entries'>): void;
}

/** Milliseconds. */
const checkInterval = 1_000;

export function watchBusyApplications(onSettled: (application: string) => void, clock: Clock): BusyApplications {
  let busy = new Set<string>();
  let checkedAt = Number.NEGATIVE_INFINITY;

  function busyIn(core: Pick<ObserverCore, 'entries'>): Set<string> {
    return new Set([...core.entries()].flatMap((entry) => (isSettled(entry, clock.now()) ? [] : entry.id)));
  }

  return {
    busyNow(core) {
      busy = busyIn(core);
      checkedAt = clock.monotonic();
      return [...busy];
    },
    check(core) {
      if (busy.size === 0 || clock.monotonic() - checkedAt < checkInterval) return;
      checkedAt = clock.monotonic();
      const still = busyIn(core);
      const settled = [...busy].filter((id) => !still.has(id));
      busy = new Set([...busy].filter((id) => still.has(id)));
      for (const application of settled) onSettled(application);
    },
  };
}

/**
 * Returns true if the application is observed, all its resources are in the desired state, none was corrected recently,
 * and its status has what was applied. `now`: epoch milliseconds.
 */
function isSettled(
  { actor, resources, pendingRemovals, inFlight, errors, newest }: ApplicationEntry,
  now: number,
): boolean {
  if (actor.getSnapshot().value !== 'observing' || pendingRemovals.size > 0 || inFlight.size > 0 || errors.length > 0)
    return false;
  const written = new Map(newest.inventory.map(({ identity, hash }) => [identityKey(identity), hash]));
  // A replay would delete a resource that only the inventory has.
  if ([...written.keys()].some((key) => !resources.has(key))) return false;
  return [...resources.values()].every(
    (each) =>
      each.actor?.getSnapshot().value === 'inSync' &&
      written.get(each.key) === each.appliedHash &&
      each.mutatedByAdmission.length === 0 &&
      !wasCorrectedRecently(each.correctionHistory, [...each.correctionHistory.keys()], now),
  );
}
