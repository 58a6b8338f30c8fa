import type { Clock } from '../../base/clock.ts';
import { wasCorrectedRecently } from '../../observer/drift/correctionBackoff.ts';
import { identityKey } from '../../observer/model/identity.ts';
import type { ObserverCore } from '../../observer/observerCore.ts';
import type { ApplicationEntry } from '../../observer/state/entries.ts';

/** Which applications have settled: a new observer makes the same decisions about these as this one. */
interface BusyApplications {
  /** The applications that have not settled; each is reported once, when it settles or is gone. */
  busyNow(core: Pick<ObserverCore, 'entries'>): readonly string[];
  /** Checks after each event. Returns at once unless an application was busy before. */
  check(core: Pick<ObserverCore, 'entries'>): void;
}

/** Milliseconds. */
const between = 1_000;

export function watchBusyApplications(onRest: (application: string) => void, clock: Clock): BusyApplications {
  let busy = new Set<string>();
  let lookedAt = Number.NEGATIVE_INFINITY;

  function busyIn(core: Pick<ObserverCore, 'entries'>): Set<string> {
    return new Set([...core.entries()].flatMap((entry) => (isAtRest(entry, clock.now()) ? [] : entry.id)));
  }

  return {
    busyNow(core) {
      busy = busyIn(core);
      lookedAt = clock.monotonic();
      return [...busy];
    },
    check(core) {
      if (busy.size === 0 || clock.monotonic() - lookedAt < between) return;
      lookedAt = clock.monotonic();
      const still = busyIn(core);
      const rested = [...busy].filter((id) => !still.has(id));
      busy = new Set([...busy].filter((id) => still.has(id)));
      for (const application of rested) onRest(application);
    },
  };
}

/**
 * It is observed, all resources are in their desired state, none was corrected lately, and its status says what was
 * applied. `now`: epoch milliseconds.
 */
function isAtRest(
  { actor, resources, pendingRemovals, inFlight, errors, newest }: ApplicationEntry,
  now: number,
): boolean {
  if (actor.getSnapshot().value !== 'observing' || pendingRemovals.size > 0 || inFlight.size > 0 || errors.length > 0)
    return false;
  const written = new Map(newest.inventory.map(({ identity, hash }) => [identityKey(identity), hash]));
  // A row of what is gone is one that a replay would delete.
  if ([...written.keys()].some((key) => !resources.has(key))) return false;
  return [...resources.values()].every(
    (each) =>
      each.actor?.getSnapshot().value === 'inSync' &&
      written.get(each.key) === each.appliedHash &&
      each.mutatedByAdmission.length === 0 &&
      !wasCorrectedRecently(each.correctionHistory, [...each.correctionHistory.keys()], now),
  );
}
