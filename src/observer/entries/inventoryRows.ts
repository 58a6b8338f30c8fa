import type { Identity } from '../objects/identity.ts';
import { shownDrifts } from '../objects/shownDrifts.ts';
import type { InventoryEntry } from '../spec/inventory.ts';
import { mayDisclose } from './access.ts';
import { type ApplicationEntry, memoryOf, type PendingRemoval, type ResourceEntry } from './entries.ts';

/** Returns the rows of `status.resources`: everything that the application has applied or is about to apply. */
export function rowsOf({ resources, pendingRemovals }: ApplicationEntry): InventoryEntry[] {
  return [...[...resources.values()].map(rowOf), ...pendingRemovals.values()];
}

const untried = { reason: '', retryAfter: 0, since: undefined, isDelayed: false } as const;

/** Returns the pending removal of a resource that is no longer in the manifests. */
export function removalOf(resource: ResourceEntry): PendingRemoval {
  return { ...rowOf(resource), state: 'leaving', drifts: [], ...untried };
}

/**
 * Returns the pending removal for a row from an earlier process. It is not known yet whether the manifests have the
 * resource.
 */
export function removalFromRow(row: InventoryEntry): PendingRemoval {
  return { ...row, drifts: [], ...untried };
}

/** Returns the pending removal of a resource that no inventory lists, so that nothing is known of an apply. */
export function unlistedRemoval(identity: Identity, apiVersion: string): PendingRemoval {
  const nothing = { appliedUid: undefined, hash: undefined, drifts: [], initialised: new Map() };
  return { identity, apiVersion, ...nothing, state: 'leaving', ...untried };
}

function rowOf(resource: ResourceEntry): InventoryEntry {
  const { identity, desired, live } = resource;
  const { appliedHash: hash, appliedUid, state } = memoryOf(resource.actor);
  return {
    identity,
    apiVersion: desired.plan?.target.apiVersion ?? desired.manifest.apiVersion,
    appliedUid,
    hash,
    state,
    drifts: shownDrifts(identity, mayDisclose(resource) ? live.drifts : []),
    initialised: live.initialised,
  };
}
