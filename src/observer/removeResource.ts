import type { ApplicationEntry } from './applicationEntry.ts';
import { type ApplyFailure, failed, type Outcome } from './applyFailure.ts';
import type { InventoryEntry } from './inventory.ts';
import type { ObserverEffects } from './observerEffects.ts';
import { accountOf, targetOf } from './planResources.ts';
import type { Kind } from './resourceApi.ts';

/** It is gone, it goes with its namespace, or it is none of ours. */
const settled: ReadonlySet<ApplyFailure['is']> = new Set([
  'missing',
  'otherUid',
  'claimed',
  'terminating',
  'namespaceTerminating',
]);

/** Nothing is there that is proven to be applied by the application. */
const skipped: ReadonlySet<ApplyFailure['is']> = new Set(['missing', 'otherUid', 'claimed']);

/**
 * Deletes or releases what was applied once, as the application wants it. Where the version of its last apply is not
 * served any more, it is the same object under another one; only a kind that is in no version of its group is gone, with
 * all of its objects (A10). Gives what is in the way; '': it is done.
 */
export async function removeResource(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  row: InventoryEntry,
  signal: AbortSignal,
): Promise<string> {
  const { kinds } = effects;
  const { identity, apiVersion } = row;
  const known = await kinds.find(apiVersion, identity.kind, signal);
  let removed: Outcome<undefined> = known.ok ? await removeAs(effects, entry, row, known.value, signal) : known;
  if (!removed.ok && removed.failure.is === 'typeMissing') {
    const served = await kinds.findServed(identity.group, identity.kind, signal);
    if (!served.ok && served.failure.is === 'typeMissing') return '';
    removed = served.ok ? await removeAs(effects, entry, row, served.value, signal) : served;
  }
  return removed.ok || settled.has(removed.failure.is) ? '' : removed.failure.reason;
}

/** As an object of this kind and version. */
async function removeAs(
  { api, slots, report, mayUseOwnRights }: ObserverEffects,
  entry: ApplicationEntry,
  { identity, appliedUid: uid }: InventoryEntry,
  kind: Kind,
  signal: AbortSignal,
): Promise<Outcome<undefined>> {
  const application = entry.valid ?? entry.newest;
  const target = targetOf(kind, identity, accountOf(application, mayUseOwnRights));
  const release = await slots.take(entry.id, target.apiVersion, signal);
  if (release === undefined) return failed('cancelled', 'its turn has not come');
  const isReleased = application.spec.deletionPolicy === 'orphan';
  // A request that has left is not taken back.
  const until = new AbortController().signal;
  const outcome = isReleased
    ? await api.release(target, entry.owner, uid, until)
    : await api.delete(target, entry.owner, uid, until);
  release();
  const about = { application: entry.about, resource: identity, apiVersion: target.apiVersion, uid };
  if (outcome.ok) report({ type: isReleased ? 'resource.released' : 'resource.deleted', ...about });
  else if (skipped.has(outcome.failure.is))
    report({ type: 'resource.deletionSkipped', ...about, reason: outcome.failure.reason });
  return outcome;
}
