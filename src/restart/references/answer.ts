import type { ApiFailure, FailureType } from '@weeder/kube-runtime/client';
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
  | FailureType
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
  | { readonly type: 'ok'; readonly value: T }
  /** 404. */
  | { readonly type: 'notFound' }
  /** 409: the object has changed since the decision. Read it and decide again. */
  | { readonly type: 'conflicted' }
  | ({ readonly type: 'refused' } & Refusal);

export function answered<T>(value: T): Answer<T> {
  return { type: 'ok', value };
}

/** A refusal says what to do about it: for a missing permission, it names the rule that grants it. */
export function answerTo(failure: ApiFailure, server: string): Answer<never> {
  if (failure.type === 'notFound') return { type: 'notFound' };
  if (failure.type === 'conflict') return { type: 'conflicted' };
  const reason = failure.type === 'cancelled' ? failure.message : describeFailure(failure, server);
  return { type: 'refused', reason, failure: classOf(failure), retryAfter: failure.retryAfterMs ?? 0 };
}

function classOf(failure: ApiFailure): RefusalClass {
  const { type, message } = failure;
  if (type === 'throttled' && hasCause(failure, 'DisruptionBudget')) return 'budget';
  if (isAdmissionNotReady(failure)) return 'unavailable';
  if (isOtherUid(failure)) return 'otherUid';
  return type === 'invalid' && message.includes('field is immutable') ? 'immutable' : type;
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
  const { type, status, retryAfterMs } = failure;
  if (hasOwnMessage(failure)) return failure;
  return {
    type,
    message: isDenied(failure, verb)
      ? denialOf(verb, sourcePlurals[target.kind], namespace)
      : (refuserOf(failure) ?? 'its message is withheld, because it may contain a value'),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
