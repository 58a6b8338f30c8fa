import type { ApplyFailure } from '../model/applyFailure.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { Desired, LastKnownGood } from './desired.ts';
import { rejectedRetryInterval } from './rejection.ts';

/** Takes the plan for the applied one if its hash is that of the last apply, by whichever process. */
export function withAppliedPlan(desired: Desired, appliedHash: string | undefined): Desired {
  const { plan } = desired;
  return plan === undefined || plan.hash !== appliedHash ? desired : { ...desired, appliedPlan: plan };
}

/**
 * Returns what to fall back to after a plan was refused permanently: the plan that was applied before it, with the
 * current account. Undefined if an earlier process applied that plan, if it was applied in another version of its kind,
 * which has other fields, or if the refused plan was not the newest.
 */
export function lastKnownGoodAfter(
  { plan, appliedPlan }: Desired,
  appliedHash: string | undefined,
  refused: ResourcePlan,
  { is: failure, reason }: ApplyFailure,
  now: number,
): LastKnownGood | undefined {
  const isNewest = plan?.hash === refused.hash && refused.hash !== appliedHash;
  if (!isNewest || appliedPlan?.target.apiVersion !== refused.target.apiVersion) return undefined;
  const { target, mayRecreate } = refused;
  return { plan: { ...appliedPlan, target, mayRecreate }, reason, failure, until: now + rejectedRetryInterval };
}

/** Returns the milliseconds until the current manifest is retried. */
export function retryDelayOf({ until }: LastKnownGood, now: number): number {
  return until > now ? until - now : rejectedRetryInterval;
}

/** Returns why the current manifest is refused while the last applied one stays; undefined if it is not. */
export function refusalOf({ lastKnownGood, retriedRefusal, plan }: Desired): string | undefined {
  if (lastKnownGood !== undefined) return lastKnownGood.reason;
  return retriedRefusal?.hash === plan?.hash ? retriedRefusal?.reason : undefined;
}

/** Drops the last known good plan once the current manifest is due to be retried. */
export function withoutExpired(desired: Desired, now: number): Desired {
  const { plan, lastKnownGood } = desired;
  if (lastKnownGood === undefined || now < lastKnownGood.until) return desired;
  const retriedRefusal = plan && { hash: plan.hash, reason: lastKnownGood.reason };
  return { ...desired, retriedRefusal, lastKnownGood: undefined };
}
