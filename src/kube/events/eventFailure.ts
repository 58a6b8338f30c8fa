import { type ApiFailure, isRecoverable } from '../client/failure.ts';
import { isDenied } from '../client/refuser.ts';

/** What becomes of an Event that was not written. */
type Consequence = 'exists' | 'expired' | 'gone' | 'stopped' | 'forbidden' | 'refused' | 'unreachable';

/** `exists`: the API server has it already, and its series was to be written. */
export function consequenceOf(failure: ApiFailure, exists: boolean): Consequence {
  switch (failure.kind) {
    case 'cancelled':
      return 'stopped';
    case 'notFound':
      // Events are kept for an hour, and for as long as their namespace.
      return exists ? 'expired' : 'gone';
    case 'conflict':
      // It exists: the answer to an earlier try was lost.
      return exists ? 'unreachable' : 'exists';
    case 'forbidden':
      if (failure.message.includes('because it is being terminated')) return 'gone';
      // What a quota or a policy refuses of one Event says nothing of the next one.
      return isDenied(failure) ? 'forbidden' : 'refused';
    case 'invalid':
      // Admission that refuses an Event refuses it again.
      return 'refused';
    default:
      return isRecoverable(failure) ? 'unreachable' : 'refused';
  }
}
