import type { ResourceEntry } from './resourceEntry.ts';

/**
 * That the account of an application may see the object of a resource. Before there is one, nothing that was found with
 * weeder's own rights is in a status, a condition or an Event: whoever may make an Application would see what they may
 * not read.
 */
export interface Proof {
  readonly account: string;
  /** By the monotonic clock: from then on it has to be renewed. */
  readonly until: number;
  /** A reply to a write under the account has held the object: who may patch it can see it. */
  readonly hasReplied: boolean;
}

/** An account that may see an object is asked for again after this time: the right may be taken away. Milliseconds. */
export const believedFor = 300_000;

/** Whether there is a proof that is not due for renewal. `now`: by the monotonic clock. */
export function isProved({ plan, proof }: ResourceEntry, now: number): boolean {
  const account = plan?.target.account;
  if (plan === undefined || account === undefined) return plan !== undefined;
  return proof?.account === account && now < proof.until;
}

/** Whether what was found of the object may be told. One that is due for renewal holds until the answer is there. */
export function mayTell({ plan, proof }: ResourceEntry): boolean {
  const account = plan?.target.account;
  return plan !== undefined && (account === undefined || proof?.account === account);
}

/** An apply under the account was answered with the object. `now`: by the monotonic clock. */
export function noteReply(entry: ResourceEntry, account: string | undefined, now: number): void {
  if (account !== undefined) entry.proof = { account, until: now + believedFor, hasReplied: true };
}
