import { done, failed, type Outcome } from './applyFailure.ts';
import { identityText } from './identity.ts';
import type { ApplicationOwner } from './managers.ts';
import type { ObserverApi } from './observerApi.ts';
import { claimedBy, isEnding, ownershipOf, uidOf } from './ownership.ts';
import type { Target } from './resourceApi.ts';

/**
 * Deletes what an application has applied, and what it owns after it: the object of this uid, or, where none is known,
 * the one that has the application's label (A10). Never what another application has taken, nor another object of its
 * name. One that is being deleted already is left to go. `missing`: it is gone.
 */
export async function deleteResource(
  api: ObserverApi,
  target: Target,
  owner: ApplicationOwner,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<Outcome<undefined>> {
  const found = await api.read(target, signal);
  if (!found.ok) return found;
  const ownership = ownershipOf(found.value, owner);
  if (ownership.is === 'anothers') return claimedBy(ownership.by, owner, target.identity);
  const liveUid = uidOf(found.value);
  const isIt = uid === undefined ? ownership.is === 'ours' : liveUid === uid;
  if (!isIt || liveUid === undefined)
    return failed('otherUid', `${identityText(target.identity)} is not the one that ${owner.name} has applied.`);
  return isEnding(found.value) ? done(undefined) : api.remove(target, liveUid, signal);
}
