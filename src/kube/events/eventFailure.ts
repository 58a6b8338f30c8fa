import { putBounded } from '../../base/bounded.ts';
import type { Clock } from '../../base/clock.ts';
import { type ApiFailure, isRecoverable } from '../client/failure.ts';
import { isDenied } from '../client/refuser.ts';
import type { EventLog } from './eventLosses.ts';

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

/** In which namespaces Events may be written, as far as the API server's answers tell. */
export interface EventPermissions {
  /** False for some minutes after a refusal. */
  mayTry(namespace: string): boolean;
  /** `why` names the missing rule. */
  refused(namespace: string, why: string): void;
  allowed(namespace: string): void;
}

/** Somebody may grant it meanwhile. Milliseconds. */
const tryAgainAfter = 600_000;
const mostNamespaces = 4_096;

/** Tells of a missing permission once, however many namespaces it is missing in, until it was there in all of them. */
export function createEventPermissions(clock: Clock, log: EventLog): EventPermissions {
  /** When to try again, by namespace. */
  const refusals = new Map<string, number>();
  return {
    mayTry: (namespace) => clock.monotonic() >= (refusals.get(namespace) ?? 0),
    refused(namespace, why) {
      if (refusals.size === 0) log.warn({ namespace, cause: why }, 'Events are not allowed; weeder goes on without');
      putBounded(refusals, namespace, clock.monotonic() + tryAgainAfter, mostNamespaces);
    },
    allowed(namespace) {
      refusals.delete(namespace);
    },
  };
}
