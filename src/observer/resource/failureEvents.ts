import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import type { Rejection } from '../entries/desired.ts';
import type { ResourceEntry } from '../entries/entries.ts';
import { type FailedWrite, forgetObject, recordRefused } from '../entries/transitions.ts';
import { type ApplyFailure, refusalOf } from '../objects/applyFailure.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';

/** The machine's event for each failure. */
const types = {
  missing: 'effect.failed',
  typeMissing: 'effect.typeMissing',
  conflict: 'effect.failed',
  claimed: 'effect.claimed',
  immutable: 'effect.rejected',
  permanent: 'effect.rejected',
  namespaceTerminating: 'effect.terminating',
  forbidden: 'effect.failed',
  transient: 'effect.failed',
  cancelled: 'effect.failed',
  otherUid: 'effect.failed',
  terminating: 'effect.terminating',
} as const satisfies Readonly<Record<ApplyFailure['type'], ResourceEvent['type']>>;

/**
 * The longest retry delay while an address or port may still be allocated to a deleted Service, in milliseconds. It is
 * released after a minute at most: if the repair loop of kube-apiserver lags, it allocates the address to the deleted
 * Service again, and releases it after a grace period of 60 s.
 */
const longestWaitForAddress = 10_000;

/** Returns the fields that every failure event has. */
function fieldsOf(failure: ApplyFailure) {
  return { ...refusalOf(failure), ...(failure.isTaken === true && { maxRetryDelay: longestWaitForAddress }) };
}

/** Returns the event for a failed check or write. */
export function effectFailed(failure: ApplyFailure): ResourceEvent {
  return { type: types[failure.type], ...fieldsOf(failure) };
}

/** Returns the event for a missing proof that the account may see the object. */
export function unverified(failure: ApplyFailure): ResourceEvent {
  return { type: 'effect.unverified', ...fieldsOf(failure) };
}

/** Returns the event for a request that would be refused again. */
export function stillRejected(
  rejection: Rejection | undefined,
  now: number,
  soonest = Number.POSITIVE_INFINITY,
): ResourceEvent | undefined {
  if (rejection === undefined) return undefined;
  const { reason, failure, until } = rejection;
  return { type: 'effect.rejected', reason, failure, nextAttemptIn: Math.min(until - now, soonest) };
}

/** From this number of consecutive conflicts on, a retry waits. */
const patientConflicts = 3;

export const conflicted: ResourceEvent = { type: 'write.conflicted' };

/** Returns the event for a failed write of this plan. `now`: by the monotonic clock. */
export function writeFailed(entry: ResourceEntry, plan: ResourcePlan, write: FailedWrite, now: number): ResourceEvent {
  const { failure } = write;
  const event = effectFailed(failure);
  if (event.type === 'effect.rejected' && recordRefused(entry, plan, write, now))
    return { ...event, type: 'write.fellBack' };
  if (failure.type !== 'conflict' && failure.type !== 'otherUid' && failure.type !== 'missing') return event;
  forgetObject(entry, 'lost');
  return recheck(entry.actor, failure);
}

/**
 * Checks the resource again after a conflict. Several conflicts in a row count as a failure, so that there is a pause.
 */
export function recheck(
  actor: ResourceEntry['actor'],
  failure: ApplyFailure = { type: 'conflict', reason: 'It changes all the time.', retryAfter: 0, fields: [] },
): ResourceEvent {
  actor.send({ type: 'write.ended', hasConflicted: true });
  return actor.getSnapshot().context.conflicts < patientConflicts ? conflicted : effectFailed(failure);
}
