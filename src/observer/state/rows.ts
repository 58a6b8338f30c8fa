import type { Identity } from '../model/identity.ts';
import type { InventoryEntry } from '../spec/inventory.ts';
import { mayTell } from './accessProof.ts';
import type { ApplicationEntry, LeftResource, ResourceEntry } from './entries.ts';
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

/** A resource that no inventory lists: nothing is known of any apply. */
export function unlisted(identity: Identity, apiVersion: string): LeftResource {
  const nothing = { appliedUid: undefined, hash: undefined, drifts: [], initialised: new Map() };
  return { identity, apiVersion, ...nothing, state: 'leaving', reason: '' };
}

function rowOf(resource: ResourceEntry): InventoryEntry {
  const { identity, manifest, plan, appliedHash: hash, state, drifts, initialised } = resource;
  return {
    identity,
    apiVersion: plan?.target.apiVersion ?? manifest.apiVersion,
    appliedUid: resource.appliedUid,
    hash,
    state,
    drifts: shownDrifts(identity, mayTell(resource) ? drifts : []),
    initialised,
  };
}
