import { arrayOf, type JsonObject, objectOf } from '../../base/json.ts';
import { done, failed, type Outcome } from '../model/applyFailure.ts';
import type { ApplicationOwner } from '../model/managers.ts';
import { listed } from '../model/wording.ts';
import { claimedBy, isEnding, isProvenOf, notApplied, ownershipOf, uidOf } from '../ownership/ownership.ts';
import type { Target } from '../plan/resourceApi.ts';
import type { ObserverApi } from './observerApi.ts';

/** Others write at the same time: what they make of it is decided on anew. */
const mostTries = 5;

/**
 * Deletes an object that an application has applied, and what it owns after it. Only with proof, in the version that was
 * read with it: never what another application has taken, nor another object of its name. `missing`: it was gone before.
 * `otherUid`: nothing proves that the application has applied it. `terminating`: it is deleted, and not gone yet.
 */
export async function deleteResource(
  api: ObserverApi,
  target: Target,
  owner: ApplicationOwner,
  appliedUid: string | undefined,
  signal: AbortSignal,
): Promise<Outcome<undefined>> {
  for (let tries = 1; ; tries += 1) {
    const found = await readProven(api, target, owner, appliedUid, signal);
    if (!found.ok) return found;
    if (isEnding(found.value)) return stillThere(found.value);
    const removed = await api.remove(target, found.value, signal);
    if (removed.ok) return isGoneNow(api, target, found.value, signal);
    if (removed.failure.is !== 'conflict' || tries === mostTries) return removed;
  }
}

/** Finalizers, and the grace period of a pod, put off the end of what is deleted. */
async function isGoneNow(
  api: ObserverApi,
  target: Target,
  deleted: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<undefined>> {
  const found = await api.read(target, signal);
  if (found.ok) return uidOf(found.value) === uidOf(deleted) ? stillThere(found.value) : done(undefined);
  return found.failure.is === 'missing' ? done(undefined) : found;
}

function stillThere(live: JsonObject): Outcome<undefined> {
  const finalizers = arrayOf(objectOf(live['metadata'])['finalizers']).map(String);
  const which = finalizers.length === 0 ? 'its grace period' : `its finalizers ${listed(finalizers)}`;
  return failed('terminating', `waits for ${which}`);
}

/** The object as it is now, where it is proven to be the application's. */
export async function readProven(
  api: ObserverApi,
  target: Target,
  owner: ApplicationOwner,
  appliedUid: string | undefined,
  signal: AbortSignal,
): ReturnType<ObserverApi['read']> {
  const found = await api.read(target, signal);
  if (!found.ok) {
    // What weeder may not read it does not observe: only a reply can say that it was applied.
    const isUnseen = found.failure.is === 'forbidden' && appliedUid === undefined;
    return isUnseen ? notApplied(owner, target.identity) : found;
  }
  const ownership = ownershipOf(found.value, owner);
  if (ownership.is === 'anothers') return claimedBy(ownership.by, owner, target.identity);
  return isProvenOf(found.value, owner, appliedUid) ? found : notApplied(owner, target.identity);
}
