import { type ApiFailure, describeFailure, isRecoverable, notLeading } from '@weeder/kube-runtime/client';

/** The event of a machine for a request that failed; `Of`: the beginning of its type. */
export type FailedAnswer<Of extends string> =
  | { readonly type: `${Of}.notFound` | `${Of}.conflicted` }
  | { readonly type: `${Of}.rejected`; readonly reason: string }
  | {
      readonly type: `${Of}.failed`;
      readonly reason: string;
      readonly failure?: string;
      readonly retryAfter?: number;
    };

/**
 * A refusal comes with what to do about it: for a missing permission, the rule that grants it. `unwanted`: why a request
 * is cancelled, if not because another replica leads.
 */
export function failedAnswer<Of extends string>(
  of: Of,
  failure: ApiFailure,
  { server, unwanted }: { readonly server: string; readonly unwanted: string },
): FailedAnswer<Of> {
  if (failure.type === 'notFound') return { type: `${of}.notFound` };
  if (failure.type === 'conflict') return { type: `${of}.conflicted` };
  if (failure.type === 'cancelled') {
    const reason = failure === notLeading ? failure.message : unwanted;
    return { type: `${of}.failed`, reason, failure: failure.type };
  }
  const reason = describeFailure(failure, server);
  if (!isRecoverable(failure)) return { type: `${of}.rejected`, reason };
  return { type: `${of}.failed`, reason, failure: failure.type, retryAfter: failure.retryAfterMs ?? 0 };
}
