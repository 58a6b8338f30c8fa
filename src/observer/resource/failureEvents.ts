import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import type { ApplyFailure } from '../model/applyFailure.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { ResourceEntry } from '../state/entries.ts';
import { lastKnownGoodAfter } from '../state/lastKnownGood.ts';
import { setBaseline } from '../state/observeObject.ts';

/** What a failure is to the machine: a place to wait in, of its own or for the next try. */
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
 * The address of a deleted Service is free again after a minute at most: the repair loop of kube-apiserver, when it is
 * behind, allocates it once more for the deleted Service, and cleans that up after its grace period of 60 s. The longest
 * pause until then, in milliseconds.
 */
const longestWaitForAddress = 10_000;

/** What the machine gets to know of any failure. */
function refused({ is, reason, retryAfter, isTaken }: ApplyFailure) {
  return { reason, retryAfter, failure: is, ...(isTaken === true && { maxRetryDelay: longestWaitForAddress }) };
}

/** The failed look, as an event. */
export function checkFailed(failure: ApplyFailure): ResourceEvent {
  return { type: `check.${states[failure.is]}`, ...refused(failure) };
}

/** There is no proof that the account may see the object. */
export function unverified(during: 'check' | 'write', failure: ApplyFailure): ResourceEvent {
  return { type: `${during}.unverified`, ...refused(failure) };
}

/** The failed write, as an event. */
export function writeFailed(failure: ApplyFailure): ResourceEvent {
  return { type: `write.${states[failure.is]}`, ...refused(failure) };
}

/** How many conflicts in a row are retried without a pause. */
const patientConflicts = 3;

export const conflicted: ResourceEvent = { type: 'write.conflicted' };

/** A write of this plan that was not done, as an event. `now`: by the monotonic clock. */
export function writeRefused(
  entry: ResourceEntry,
  plan: ResourcePlan,
  failure: ApplyFailure,
  now: number,
): ResourceEvent {
  const event = writeFailed(failure);
  if (event.type === 'write.refused') return { ...event, hasLastApplied: keepLastApplied(entry, plan, failure, now) };
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

/** Falls back to what was applied last, if that is known: it is compared and corrected from now on. */
function keepLastApplied(entry: ResourceEntry, refused: ResourcePlan, failure: ApplyFailure, now: number): boolean {
  const kept = lastKnownGoodAfter(entry, refused, failure, now);
  if (kept === undefined) return false;
  entry.lastKnownGood = kept;
  if (entry.baseline !== undefined) setBaseline(entry, entry.baseline, now);
  return true;
}
