import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import type { ApplyFailure } from '../model/applyFailure.ts';

/** What a failure is to the machine: a place to wait in, of its own or for the next try. */
const states = {
  missing: 'failed',
  typeMissing: 'typeMissing',
  conflict: 'failed',
  claimed: 'claimed',
  immutable: 'refused',
  permanent: 'refused',
  namespaceTerminating: 'ending',
  forbidden: 'failed',
  transient: 'failed',
  cancelled: 'failed',
  otherUid: 'failed',
  terminating: 'ending',
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
export function lookFailed(failure: ApplyFailure): ResourceEvent {
  return { type: `look.${states[failure.is]}`, ...refused(failure) };
}

/** There is no proof that the account may see the object. */
export function unverified(during: 'look' | 'write', failure: ApplyFailure): ResourceEvent {
  return { type: `${during}.unverified`, ...refused(failure) };
}

/** The failed write, as an event. */
export function writeFailed(failure: ApplyFailure): ResourceEvent {
  return { type: `write.${states[failure.is]}`, ...refused(failure) };
}
