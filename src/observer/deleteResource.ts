import { done, type Outcome } from './applyFailure.ts';
import type { ApplicationOwner } from './managers.ts';
import type { ObserverApi } from './observerApi.ts';
import { claimedBy, isEnding, isProvenOf, notApplied, ownershipOf } from './ownership.ts';
import type { Target } from './resourceApi.ts';

/** Others write at the same time: what they make of it is decided on anew. */
const mostTries = 5;

/**
 * Deletes an object that an application has applied, and what it owns after it. Only with proof, in the version that was
 * read with it: never what another application has taken, nor another object of its name. One that is being deleted
 * already is left to go. `missing`: it is gone. `otherUid`: nothing proves that the application has applied it.
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
    if (isEnding(found.value)) return done(undefined);
    const removed = await api.remove(target, found.value, signal);
    if (removed.ok || removed.failure.is !== 'conflict' || tries === mostTries) return removed;
  }
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
    // Each apply reads first: what may not be read was never applied, unless a reply says so.
    const isUnseen = found.failure.is === 'forbidden' && appliedUid === undefined;
    return isUnseen ? notApplied(owner, target.identity) : found;
  }
  const ownership = ownershipOf(found.value, owner);
  if (ownership.is === 'anothers') return claimedBy(ownership.by, owner, target.identity);
  return isProvenOf(found.value, owner, appliedUid) ? found : notApplied(owner, target.identity);
}
