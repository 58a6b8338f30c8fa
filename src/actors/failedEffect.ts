import { messageOf } from '@weeder/kube-runtime/base';

/** The class of a failure that a machine has received. An effect that threw has none. */
export function failureOf(event: object): string {
  return 'failure' in event && typeof event.failure === 'string' ? event.failure : 'other';
}

/** The message of a failure, or of an effect that threw. */
export function reasonOf(event: object): string {
  if ('reason' in event && typeof event.reason === 'string') return event.reason;
  return 'error' in event ? messageOf(event.error) : 'no reason given';
}

/** Whether weeder itself withheld or ended the request: nothing was refused, and an earlier refusal still counts. */
export function isCancelled({ failure }: { readonly failure: string }): boolean {
  return failure === 'cancelled';
}
