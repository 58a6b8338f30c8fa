import type { ApplicationEntry, LeftResource } from './applicationEntry.ts';
import type { InventoryEntry } from './inventory.ts';
import type { Drift } from './projection.ts';
import type { ResourceEntry } from './resourceEntry.ts';
import { shownDrifts } from './shownDrifts.ts';

/** Everything that the application has applied or is about to apply: the rows of `status.resources`. */
export function rowsOf({ resources, left }: ApplicationEntry): InventoryEntry[] {
  return [...[...resources.values()].map(rowOf), ...left.values()];
}

/** A resource that is not among the manifests any more. */
export function leftRow(resource: ResourceEntry): LeftResource {
  return { ...rowOf(resource), state: 'leaving', drifts: [], reason: '' };
}

/** What an inventory of before the start says, of which it is not known yet whether it is among the manifests. */
export function leftOf(row: InventoryEntry): LeftResource {
  return { ...row, drifts: [], reason: '' };
}

function rowOf(resource: ResourceEntry): InventoryEntry {
  const { identity, manifest, plan, appliedHash: hash, state, drifts, initialised } = resource;
  return {
    identity,
    apiVersion: plan?.target.apiVersion ?? manifest.apiVersion,
    appliedUid: resource.appliedUid,
    hash,
    state,
    drifts: shownDrifts(identity, mayTell(resource) ? drifts : drifts.map(withoutValues)),
    initialised,
  };
}

/**
 * The stream is read with weeder's rights, and the status by everybody who may read the application: what is found in an
 * object is told only where an apply in the place of the tenant has made it one of the application's (A15).
 */
function mayTell({ application, appliedHash, found }: ResourceEntry): boolean {
  return appliedHash !== undefined || (typeof found === 'object' && found.label === application.owner.label);
}

function withoutValues({ path, is }: Drift): Drift {
  return { path, is, wanted: undefined, found: undefined };
}
