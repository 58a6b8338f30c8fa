import { ownerOf } from '../objects/fieldManagers.ts';
import { identityKey } from '../objects/identity.ts';
import type { Application } from '../spec/application.ts';
import type { ApplicationEntry, KeptObjects } from './entries.ts';
import { removalFromRow } from './inventoryRows.ts';

/** Returns the entry of an application that has not been validated yet. `status`: see `ApplicationEntry`. */
export function createEntry(
  application: Application,
  status: unknown,
  actor: ApplicationEntry['actor'],
  keptObjects: KeptObjects,
): ApplicationEntry {
  const { namespace, name, uid, inventory } = application;
  return {
    id: `${namespace}/${name}`,
    about: { namespace, name, uid },
    owner: ownerOf(application),
    actor,
    newest: application,
    valid: undefined,
    settledAt: 0,
    isDetectOnly: false,
    resources: new Map(),
    pendingRemovals: new Map(inventory.map((row) => [identityKey(row.identity), removalFromRow(row)])),
    errors: [],
    accountError: '',
    checkedManifests: new Set(),
    activeRemovals: new Map(),
    keptObjects,
    inFlight: new Set(),
    reportedGeneration: application.observedGeneration,
    status,
  };
}
