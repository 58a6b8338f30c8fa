import { describeFailure } from '../../kube/client/describeFailure.ts';
import type { ApiFailure, FailureKind } from '../../kube/client/failure.ts';

/** The class of a refusal, for metrics and for whoever decides by it. */
export type RefusalClass =
  | FailureKind
  /** 429: a PodDisruptionBudget forbids the eviction now. */
  | 'budget'
  /** 422: the object has another uid by now, though the same name. */
  | 'otherUid'
  /** 422: the field can never be changed, such as the template of a Job. */
  | 'immutable';

/** Something was not done, and may be tried again. */
export interface Refusal {
  /** One sentence or two, for people: what happened, and what to do about it. */
  readonly reason: string;
  readonly failure: RefusalClass;
  /** How long the server asks to wait, in milliseconds; 0: it does not say. */
  readonly retryAfter: number;
}

/** What the API server said to one request. */
export type Answer<T> =
  | { readonly is: 'ok'; readonly value: T }
  /** 404. */
  | { readonly is: 'gone' }
  /** 409: it is not what it was when that was decided. Read and decide again. */
  | { readonly is: 'conflicted' }
  | ({ readonly is: 'refused' } & Refusal);

export function answered<T>(value: T): Answer<T> {
  return { is: 'ok', value };
}

/** Refusals are told with what to do about them: a missing permission, for one, by the rule that grants it. */
export function answerTo(failure: ApiFailure, server: string): Answer<never> {
  if (failure.kind === 'notFound') return { is: 'gone' };
  if (failure.kind === 'conflict') return { is: 'conflicted' };
  const reason = failure.kind === 'cancelled' ? failure.message : describeFailure(failure, server);
  return { is: 'refused', reason, failure: classOf(failure), retryAfter: failure.retryAfterMs ?? 0 };
}

function classOf({ kind, causes = [], message }: ApiFailure): RefusalClass {
  if (kind === 'throttled' && causes.some(({ reason }) => reason === 'DisruptionBudget')) return 'budget';
  if (kind !== 'invalid') return kind;
  if (causes.some(({ field }) => field === 'metadata.uid')) return 'otherUid';
  return message.includes('field is immutable') ? 'immutable' : kind;
}
