import type { ApplicationEntry, LeftResource } from './applicationEntry.ts';
import { identityKey } from './identity.ts';
import type { ObserverEffects } from './observerEffects.ts';
import { inDeletionOrder } from './order.ts';
import { removeResource } from './removeResource.ts';

/**
 * One attempt for each resource that left the manifests (A10). While there is a fault, nothing is pruned: what seems to
 * have left may be what is meant by what cannot be read.
 */
export async function pruneLeft(effects: ObserverEffects, entry: ApplicationEntry, signal: AbortSignal): Promise<void> {
  if (entry.isDetectOnly || entry.valid === undefined || entry.faults.length > 0) return;
  for (const row of inDeletionOrder([...entry.left.values()])) {
    if (signal.aborted) return;
    if (mayBeMeant(entry, row)) continue;
    await prune(effects, entry, row, signal);
  }
}

/**
 * As long as nothing is known of a kind, not even whether it lives in namespaces, a manifest of it may mean any object of
 * its name.
 */
function mayBeMeant({ resources }: ApplicationEntry, { identity: { group, kind, name } }: LeftResource): boolean {
  return [...resources.values()].some(
    ({ plan, identity }) =>
      plan === undefined && identity.group === group && identity.kind === kind && identity.name === name,
  );
}

async function prune(effects: ObserverEffects, entry: ApplicationEntry, row: LeftResource, signal: AbortSignal) {
  const key = identityKey(row.identity);
  const reason = await removeResource(effects, entry, row, signal);
  // It may be among the manifests again.
  if (entry.left.get(key) !== row) return;
  if (reason === '') entry.left.delete(key);
  else entry.left.set(key, { ...row, reason });
  effects.status.changed(entry);
}
