import { type ApplicationEntry, memoryOf, type PendingRemoval, type ResourceEntry } from '../entries/entries.ts';
import { removalOf } from '../entries/inventoryRows.ts';
import { identityKey } from '../objects/identity.ts';
import type { ResourceStreams } from '../streams/resourceStreams.ts';
import type { Resources } from '../streams/resources.ts';

// The only writer of the resources of an application, and of its pending removals.

interface ResourceEffects {
  readonly streams: Pick<ResourceStreams, 'add'>;
  readonly resources: Pick<Resources, 'remove'>;
}

/**
 * Schedules the removal of resources that were applied and are no longer in the manifests, and cancels it for those
 * that are in them again.
 */
export function replaceResources(
  { streams, resources }: ResourceEffects,
  entry: ApplicationEntry,
  planned: ReadonlyMap<string, ResourceEntry>,
): void {
  for (const [key, resource] of entry.resources) {
    if (planned.has(key)) continue;
    entry.resources.delete(key);
    resources.remove(resource);
    // It may have been applied without a record if the response was lost.
    if (memoryOf(resource.actor).appliedHash !== undefined || !entry.isDetectOnly)
      entry.pendingRemovals.set(key, removalOf(resource));
  }
  for (const [key, resource] of planned) {
    entry.resources.set(key, resource);
    entry.pendingRemovals.delete(key);
    const { plan } = resource.desired;
    if (plan !== undefined) streams.add(resource, plan);
  }
}

/** Schedules the removal of all resources of the application. */
export function scheduleAllRemovals(resources: Pick<Resources, 'remove'>, entry: ApplicationEntry): void {
  for (const [key, resource] of entry.resources) {
    resources.remove(resource);
    entry.pendingRemovals.set(key, removalOf(resource));
  }
  entry.resources.clear();
}

/** Schedules one removal. */
export function scheduleRemoval({ pendingRemovals }: ApplicationEntry, row: PendingRemoval): void {
  pendingRemovals.set(identityKey(row.identity), row);
}

/** Records the result of a removal. Returns false if nothing is left of it, or if the manifests have the resource again. */
export function recordRemoval(
  { pendingRemovals }: ApplicationEntry,
  row: PendingRemoval,
  left: PendingRemoval | undefined,
): boolean {
  const key = identityKey(row.identity);
  if (pendingRemovals.get(key) !== row) return false;
  if (left === undefined) pendingRemovals.delete(key);
  else pendingRemovals.set(key, left);
  return left !== undefined;
}
