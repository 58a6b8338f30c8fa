import type { ApplyFailure } from '../model/applyFailure.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { LastKnownGood, ResourceEntry } from './entries.ts';

/** How often a permanently refused manifest is tried again. Milliseconds. */
const retryInterval = 300_000;

/** Remembers the plan as applied if its hash is that of the last apply, whichever process has made it. */
export function rememberApplied(entry: ResourceEntry): void {
  if (entry.plan !== undefined && entry.plan.hash === entry.appliedHash) entry.appliedPlan = entry.plan;
}

/**
 * What is to be kept after a plan was refused for good: what was applied before it, in the place of the account of now.
 * Undefined: a process before this one applied it, it was applied in another version of its kind, which has other
 * fields, or it was not the newest plan that was refused.
 */
export function lastKnownGoodAfter(
  { plan, appliedPlan, appliedHash }: ResourceEntry,
  refused: ResourcePlan,
  { is: failure, reason }: ApplyFailure,
  now: number,
): LastKnownGood | undefined {
  const isNewest = plan?.hash === refused.hash && refused.hash !== appliedHash;
  if (!isNewest || appliedPlan?.target.apiVersion !== refused.target.apiVersion) return undefined;
  const { target, mayRecreate } = refused;
  return { plan: { ...appliedPlan, target, mayRecreate }, reason, failure, until: now + retryInterval };
}

/** Milliseconds until the current manifest is tried again. */
export function retryDelayOf({ until }: LastKnownGood, now: number): number {
  return until > now ? until - now : retryInterval;
}

/** Drops the last known good plan once the current manifest is due to be tried again. */
export function expireLastKnownGood(entry: ResourceEntry, now: number): void {
  if (entry.lastKnownGood === undefined || entry.application.isDetectOnly || now < entry.lastKnownGood.until) return;
  entry.lastKnownGood = undefined;
}
