import { messageOf } from '@weeder/kube-runtime/base';

/** The class of a failure that a machine has received. An effect that threw has none. */
function failureOf(event: object): string {
  return 'failure' in event && typeof event.failure === 'string' ? event.failure : 'other';
}

/** The message of a failure, or of an effect that threw. */
export function reasonOf(event: object): string {
  if ('reason' in event && typeof event.reason === 'string') return event.reason;
  return 'error' in event ? messageOf(event.error) : 'no reason given';
}

/**
 * Why a request was refused. Undefined: weeder itself withheld or ended it, so that an earlier refusal still counts.
 */
export function refusalOf(event: object): { readonly reason: string; readonly failure: string } | undefined {
  const failure = failureOf(event);
  return failure === 'cancelled' ? undefined : { reason: reasonOf(event), failure };
}
