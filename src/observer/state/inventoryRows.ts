import { redactedDrifts } from '../model/confidential.ts';
import type { Identity, Json } from '../model/identity.ts';
import type { Drift } from '../model/projection.ts';
import type { InventoryEntry, ShownDrift } from '../spec/inventory.ts';
import { mayDisclose } from './access.ts';
import type { ApplicationEntry, PendingRemoval, ResourceEntry } from './entries.ts';

/** Everything that the application has applied or is about to apply: the rows of `status.resources`. */
export function rowsOf({ resources, pendingRemovals }: ApplicationEntry): InventoryEntry[] {
  return [...[...resources.values()].map(rowOf), ...pendingRemovals.values()];
}

/** A resource that is not among the manifests any more. */
export function removalOf(resource: ResourceEntry): PendingRemoval {
  return { ...rowOf(resource), state: 'leaving', drifts: [], reason: '' };
}

/** What an inventory of before the start says, of which it is not known yet whether it is among the manifests. */
export function removalFromRow(row: InventoryEntry): PendingRemoval {
  return { ...row, drifts: [], reason: '' };
}

/** A resource that no inventory lists: nothing is known of any apply. */
export function unlistedRemoval(identity: Identity, apiVersion: string): PendingRemoval {
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
    drifts: shownDrifts(identity, mayDisclose(resource) ? drifts : []),
    initialised,
  };
}

/** So many of a resource stand in the status; all of them are in the log, `weeder explain` and on the page. */
const mostDrifts = 20;
/** Characters of a value. */
const longestValue = 256;
const longestPath = 512;

/** Drifts as the status holds them: the first 20, their values as JSON and cut, and none of a Secret. */
export function shownDrifts(identity: Identity, drifts: readonly Drift[]): readonly ShownDrift[] {
  return redactedDrifts(identity, drifts.slice(0, mostDrifts)).map(({ path, is, desired, found }) => ({
    path: cut(path, longestPath),
    is,
    ...(desired === undefined ? {} : { desired: shown(desired) }),
    ...(found === undefined ? {} : { found: shown(found) }),
  }));
}

function shown(value: Json): string {
  return cut(JSON.stringify(value), longestValue);
}

/** Never through the middle of a character that takes two places. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
