import { describeFailure } from '../../kube/client/describeFailure.ts';
import type { ApiFailure, FailureKind } from '../../kube/client/failure.ts';
import { isDenied, refuserOf } from '../../kube/client/refuser.ts';
import type { SourceKind } from './refs.ts';

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

/** A refusal says what to do about it: for a missing permission, the rule that grants it. */
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

/** What was asked of the API server; for the rule that a missing permission is granted by. */
export interface Asked {
  readonly verb: 'get' | 'create' | 'update';
  readonly kind: SourceKind;
  readonly namespace: string;
}

/** These say what became of the connection, and nothing that came over it. */
const ownWords: ReadonlySet<FailureKind> = new Set(['network', 'timeout', 'credentials', 'cancelled']);

/**
 * The failure without a word of the answer: a server, or something in front of it, may echo the Secret that was asked
 * for, and then it would stand in logs and Events. Only the class, the status, who refused it and the time to wait are left.
 */
export function confidential(failure: ApiFailure, asked: Asked): ApiFailure {
  const { kind, status, retryAfterMs } = failure;
  if (ownWords.has(kind)) return failure;
  return {
    kind,
    message: isDenied(failure, asked.verb)
      ? denial(asked)
      : (refuserOf(failure) ?? 'its message is withheld, because it may contain a value'),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** As the API server says it, so that the missing rule can be named. */
function denial({ verb, kind, namespace }: Asked): string {
  const resource = kind === 'Secret' ? 'secrets' : 'configmaps';
  return `cannot ${verb} resource "${resource}" in API group "" in the namespace "${namespace}"`;
}
