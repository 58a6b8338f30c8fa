import { toldDrifts } from '../model/confidential.ts';
import type { Identity, Json } from '../model/identity.ts';
import type { Drift } from '../model/projection.ts';
import type { InventoryEntry, ShownDrift } from '../spec/inventory.ts';
import { mayTell } from './access.ts';
import type { ApplicationEntry, LeftResource, ResourceEntry } from './entries.ts';

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

/** So many of a resource stand in the status; all of them are in the log, `weeder explain` and on the page. */
const mostDrifts = 20;
/** Characters of a value. */
const longestValue = 256;
const longestPath = 512;

/** Drifts as the status holds them: the first 20, their values as JSON and cut, and none of a Secret. */
export function shownDrifts(identity: Identity, drifts: readonly Drift[]): readonly ShownDrift[] {
  return toldDrifts(identity, drifts.slice(0, mostDrifts)).map(({ path, is, wanted, found }) => ({
    path: cut(path, longestPath),
    is,
    ...(wanted === undefined ? {} : { wanted: shown(wanted) }),
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
