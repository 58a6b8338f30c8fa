import { putBounded } from '../base/bounded.ts';
import type { Clock } from '../base/clock.ts';
import type { ApiFailure } from '../client/failure.ts';
import { isDenied, isRecoverable } from '../client/failureClass.ts';
import type { EventLog } from './eventLosses.ts';

/** What to do with an Event that could not be written. */
type Consequence = 'exists' | 'expired' | 'namespaceDeleted' | 'stopped' | 'forbidden' | 'refused' | 'unreachable';

/** `exists`: the API server already has the Event, and the request was to update its series. */
export function consequenceOf(failure: ApiFailure, exists: boolean): Consequence {
  switch (failure.type) {
    case 'cancelled':
      return 'stopped';
    case 'notFound':
      // Events are deleted after an hour, or with their namespace.
      return exists ? 'expired' : 'namespaceDeleted';
    case 'conflict':
      // The Event exists: the response to an earlier attempt was lost.
      return exists ? 'unreachable' : 'exists';
    case 'forbidden':
      if (failure.message.includes('because it is being terminated')) return 'namespaceDeleted';
      // If a quota or a policy refuses one Event, it may still accept the next.
      return isDenied(failure) ? 'forbidden' : 'refused';
    case 'invalid':
      // If admission refuses an Event, it would refuse a retry, too.
      return 'refused';
    default:
      return isRecoverable(failure) ? 'unreachable' : 'refused';
  }
}

/** The namespaces in which a request is permitted, as far as the API server's responses show. */
export interface Permissions {
  /** False for some minutes after a refusal. */
  mayTry(namespace: string): boolean;
  /** `why` names the missing rule; `retryIn`, in milliseconds, is for some minutes by default. */
  refused(namespace: string, why: string, retryIn?: number): void;
  allowed(namespace: string): void;
}

/** The permission may have been granted in the meantime. Milliseconds. */
const retryAfter = 600_000;
const maxNamespaces = 4_096;

/** Logs a missing permission once with this sentence, for however many namespaces, until all of them have granted it. */
export function createPermissions(clock: Clock, log: EventLog, sentence: string): Permissions {
  /** The time of the next attempt, by namespace. */
  const refusals = new Map<string, number>();
  return {
    mayTry: (namespace) => clock.monotonic() >= (refusals.get(namespace) ?? 0),
    refused(namespace, why, retryIn = retryAfter) {
      if (refusals.size === 0) log.warn({ namespace, cause: why }, sentence);
      putBounded(refusals, namespace, clock.monotonic() + retryIn, maxNamespaces);
    },
    allowed(namespace) {
      refusals.delete(namespace);
    },
  };
}
