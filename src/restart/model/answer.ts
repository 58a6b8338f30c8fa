import type { ApiFailure, FailureKind } from '@weeder/kube-runtime/client';
import {
  denialOf,
  describeFailure,
  hasCause,
  hasOwnMessage,
  isAdmissionNotReady,
  isDenied,
  isOtherUid,
  refuserOf,
} from '@weeder/kube-runtime/client';
import { type SourceKind, sourcePlurals } from './refs.ts';

/** The class of a refusal, for metrics and for callers that decide by it. */
export type RefusalClass =
  | FailureKind
  /** 429: a PodDisruptionBudget forbids the eviction now. */
  | 'budget'
  /** 422: another object has the name now, with another uid. */
  | 'otherUid'
  /** 422: the field is immutable, such as the template of a Job. */
  | 'immutable';

/** A request that failed and may be repeated. */
export interface Refusal {
  /** One or two sentences for humans: what happened, and what to do about it. */
  readonly reason: string;
  readonly failure: RefusalClass;
  /** The delay that the server requested, in milliseconds; 0: none. */
  readonly retryAfter: number;
}

/** The API server's response to one request. */
export type Answer<T> =
  | { readonly is: 'ok'; readonly value: T }
  /** 404. */
  | { readonly is: 'notFound' }
  /** 409: the object has changed since the decision. Read it and decide again. */
  | { readonly is: 'conflicted' }
  | ({ readonly is: 'refused' } & Refusal);

export function answered<T>(value: T): Answer<T> {
  return { is: 'ok', value };
}

/** A refusal says what to do about it: for a missing permission, it names the rule that grants it. */
export function answerTo(failure: ApiFailure, server: string): Answer<never> {
  if (failure.kind === 'notFound') return { is: 'notFound' };
  if (failure.kind === 'conflict') return { is: 'conflicted' };
  const reason = failure.kind === 'cancelled' ? failure.message : describeFailure(failure, server);
  return { is: 'refused', reason, failure: classOf(failure), retryAfter: failure.retryAfterMs ?? 0 };
}

function classOf(failure: ApiFailure): RefusalClass {
  const { kind, message } = failure;
  if (kind === 'throttled' && hasCause(failure, 'DisruptionBudget')) return 'budget';
  if (isAdmissionNotReady(failure)) return 'unavailable';
  if (isOtherUid(failure)) return 'otherUid';
  return kind === 'invalid' && message.includes('field is immutable') ? 'immutable' : kind;
}

/** What was requested from the API server; used to name the rule that grants a missing permission. */
export interface RequestTarget {
  readonly verb: 'get' | 'create' | 'update';
  readonly kind: SourceKind;
  readonly namespace: string;
}

/**
 * Returns the failure without any text of the response: a server or proxy may echo the requested Secret, which would
 * then appear in logs and Events. Only the class, the status, the origin of the refusal and the delay remain.
 */
export function confidential(failure: ApiFailure, target: RequestTarget): ApiFailure {
  const { verb, namespace } = target;
  const { kind, status, retryAfterMs } = failure;
  if (hasOwnMessage(failure)) return failure;
  return {
    kind,
    message: isDenied(failure, verb)
      ? denialOf(verb, sourcePlurals[target.kind], namespace)
      : (refuserOf(failure) ?? 'its message is withheld, because it may contain a value'),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
