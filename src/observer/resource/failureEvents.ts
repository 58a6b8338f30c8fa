import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import type { ApplyFailure } from '../model/applyFailure.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { ResourceEntry } from '../state/entries.ts';
import { lastKnownGoodAfter } from '../state/lastKnownGood.ts';
import { setBaseline } from '../state/observeObject.ts';

/** The suffix of the machine's event for each failure. */
const states = {
  missing: 'failed',
  typeMissing: 'typeMissing',
  conflict: 'failed',
  claimed: 'claimed',
  immutable: 'refused',
  permanent: 'refused',
  namespaceTerminating: 'terminating',
  forbidden: 'failed',
  transient: 'failed',
  cancelled: 'failed',
  otherUid: 'failed',
  terminating: 'terminating',
} as const satisfies Readonly<Record<ApplyFailure['is'], string>>;

/**
 * The longest retry delay while an address or port may still be allocated to a deleted Service, in milliseconds. It is
 * released after a minute at most: if the repair loop of kube-apiserver lags, it allocates the address to the deleted
 * Service again, and releases it after a grace period of 60 s.
 */
const longestWaitForAddress = 10_000;

/** Returns the fields that every failure event has. */
function refused({ is, reason, retryAfter, isTaken }: ApplyFailure) {
  return { reason, retryAfter, failure: is, ...(isTaken === true && { maxRetryDelay: longestWaitForAddress }) };
}

/** Returns the event for a failed check. */
export function checkFailed(failure: ApplyFailure): ResourceEvent {
  return { type: `check.${states[failure.is]}`, ...refused(failure) };
}

/** Returns the event for a missing proof that the account may see the object. */
export function unverified(during: 'check' | 'write', failure: ApplyFailure): ResourceEvent {
  return { type: `${during}.unverified`, ...refused(failure) };
}

/** Returns the event for a failed write. */
export function writeFailed(failure: ApplyFailure): ResourceEvent {
  return { type: `write.${states[failure.is]}`, ...refused(failure) };
}

/** From this number of consecutive conflicts on, a retry waits. */
const patientConflicts = 3;

export const conflicted: ResourceEvent = { type: 'write.conflicted' };

/** Returns the event for a failed write of this plan. `now`: by the monotonic clock. */
export function writeRefused(
  entry: ResourceEntry,
  plan: ResourcePlan,
  failure: ApplyFailure,
  now: number,
): ResourceEvent {
  const event = writeFailed(failure);
  if (event.type === 'write.refused')
    return { ...event, hasLastApplied: fallBackToLastApplied(entry, plan, failure, now) };
  if (failure.is !== 'conflict' && failure.is !== 'otherUid' && failure.is !== 'missing') return event;
  // The object has changed since the write was decided on.
  entry.found = 'lost';
  return recheck(entry, failure);
}

/**
 * Checks the resource again after a conflict. Several conflicts in a row count as a failure, so that there is a pause.
 */
export function recheck(
  entry: ResourceEntry,
  failure: ApplyFailure = { is: 'conflict', reason: 'It changes all the time.', retryAfter: 0, fields: [] },
): ResourceEvent {
  entry.conflicts += 1;
  return entry.conflicts < patientConflicts ? conflicted : writeFailed(failure);
}

/** Falls back to the last applied plan, if it is known: it is compared and corrected from now on. */
function fallBackToLastApplied(
  entry: ResourceEntry,
  refused: ResourcePlan,
  failure: ApplyFailure,
  now: number,
): boolean {
  const lastKnownGood = lastKnownGoodAfter(entry, refused, failure, now);
  if (lastKnownGood === undefined) return false;
  entry.lastKnownGood = lastKnownGood;
  if (entry.baseline !== undefined) setBaseline(entry, entry.baseline, now);
  return true;
}
