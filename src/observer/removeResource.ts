import type { ApplicationEntry } from './applicationEntry.ts';
import type { ApplyFailure } from './applyFailure.ts';
import type { InventoryEntry } from './inventory.ts';
import type { ObserverEffects } from './observerEffects.ts';
import { accountOf, targetOf } from './planResources.ts';

/** It is gone, it goes with its namespace, or it is none of ours. */
const settled: ReadonlySet<ApplyFailure['is']> = new Set([
  'missing',
  'typeMissing',
  'otherUid',
  'claimed',
  'terminating',
  'namespaceTerminating',
]);

/** Deletes or releases what was applied once, as the application wants it. Gives what is in the way; '': it is done. */
export async function removeResource(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  { identity, apiVersion, uid }: InventoryEntry,
  signal: AbortSignal,
): Promise<string> {
  const { api, kinds, slots, report, mayUseOwnRights } = effects;
  const application = entry.valid ?? entry.newest;
  const kind = await kinds.find(apiVersion, identity.kind, signal);
  if (!kind.ok) return settled.has(kind.failure.is) ? '' : kind.failure.reason;
  const target = targetOf(kind.value, identity, accountOf(application, mayUseOwnRights));
  const release = await slots.take(entry.id, signal);
  if (release === undefined) return 'its turn has not come';
  const isReleased = application.spec.deletionPolicy === 'orphan';
  // A request that has left is not taken back.
  const until = new AbortController().signal;
  const outcome = isReleased
    ? await api.release(target, entry.owner, until)
    : await api.delete(target, entry.owner, uid, until);
  release();
  if (!outcome.ok) return settled.has(outcome.failure.is) ? '' : outcome.failure.reason;
  const type = isReleased ? 'resource.released' : 'resource.deleted';
  report({ type, application: entry.about, resource: identity, apiVersion, uid });
  return '';
}
