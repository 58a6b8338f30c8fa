import type { ResourceEntry } from './entries.ts';

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
