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

/** The failed look, as an event. */
export function lookFailed({ is, reason, retryAfter }: ApplyFailure): ResourceEvent {
  return { type: `look.${states[is]}`, reason, retryAfter, failure: is };
}

/** There is no proof that the account may see the object. */
export function unverified(during: 'look' | 'write', { is, reason, retryAfter }: ApplyFailure): ResourceEvent {
  return { type: `${during}.unverified`, reason, retryAfter, failure: is };
}

/** The failed write, as an event. */
export function writeFailed({ is, reason, retryAfter }: ApplyFailure): ResourceEvent {
  return { type: `write.${states[is]}`, reason, retryAfter, failure: is };
}
