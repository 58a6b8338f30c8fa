import type { ApplicationEntry, LeftResource } from './applicationEntry.ts';
import { type Identity, identityKey } from './identity.ts';
import type { ObserverEffects } from './observerEffects.ts';
import { deletionStage, inDeletionOrder } from './order.ts';
import { removeResource } from './removeResource.ts';

/**
 * One attempt for each resource that has left its application, in order. What cannot be deleted yet, or is not gone yet,
 * holds up the stages behind it and nothing else. Of a namespace that is being deleted with the application in it, what
 * lies in it goes with it, and nothing else is waited for: the namespace would wait for the application.
 */
export async function removeLeft(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  isHomeEnding: boolean,
  signal: AbortSignal,
): Promise<void> {
  let held = Number.POSITIVE_INFINITY;
  for (const row of inDeletionOrder([...entry.left.values()])) {
    if (signal.aborted) return;
    if (deletionStage(row.identity) > held || mayBeMeant(entry, row)) continue;
    const key = identityKey(row.identity);
    const goesAnyway = isHomeEnding && liesIn(row.identity, entry.about.namespace);
    const left = goesAnyway ? undefined : await removeResource(effects, entry, row, isHomeEnding, signal);
    // It may be among the manifests again.
    if (entry.left.get(key) !== row) continue;
    if (left === undefined) entry.left.delete(key);
    else {
      entry.left.set(key, left);
      held = deletionStage(row.identity);
    }
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

/** In this namespace, or the namespace itself. */
function liesIn({ group, kind, namespace, name }: Identity, home: string): boolean {
  return namespace === home || (group === '' && kind === 'Namespace' && name === home);
}
