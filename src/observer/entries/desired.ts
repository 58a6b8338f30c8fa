import type { ApplyFailure } from '../objects/applyFailure.ts';
import type { Drift } from '../objects/projection.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { UnresolvedManifest } from '../spec/application.ts';

/** The last manifest that was applied, while the API server refuses the current one. */
interface LastKnownGood {
  /** Uses the current account. */
  readonly plan: ResourcePlan;
  /** Why the current manifest is refused, for users. */
  readonly reason: string;
  readonly failure: ApplyFailure['type'];
  /** By the monotonic clock: when the current manifest is retried. */
  readonly until: number;
}

/** A request that the API server refuses permanently. It is not repeated for a while, whatever happens to the object. */
export interface Rejection {
  /** `apply`: the manifest of an existing object. `correct`: only the fields of `paths`. */
  readonly of: 'dryRun' | 'create' | 'apply' | 'correct';
  readonly paths: ReadonlySet<string>;
  readonly reason: string;
  readonly failure: ApplyFailure['type'];
  /** By the monotonic clock: when it is retried. */
  readonly until: number;
}

/** How often a permanently refused request is retried. Milliseconds. */
const rejectedRetryInterval = 300_000;

/** What is applied for a resource, and what the API server refuses of it. */
export interface Desired {
  readonly manifest: UnresolvedManifest;
  /** The errors of the manifest, and of its entry in the observer schema, as text; '' if there are none. */
  readonly fieldError: string;
  /** Undefined if the resource has an error, or if the cluster does not know its kind. */
  readonly plan: ResourcePlan | undefined;
  /** The plan that replaces `plan` when another client scales the resource; undefined if it would be the same. */
  readonly planIfScaled: ResourcePlan | undefined;
  /** The manager that has its replicas by the subresource `scale`: they are not observed then. */
  readonly scaledBy: string | undefined;
  /** A HorizontalPodAutoscaler among the manifests scales it. */
  readonly isAutoscaled: boolean;
  /** The plan of the last apply; undefined if this process does not know it. */
  readonly appliedPlan: ResourcePlan | undefined;
  /** The last applied plan, which is observed while the current manifest is refused permanently. */
  readonly lastKnownGood: LastKnownGood | undefined;
  /** Why the manifest with this hash was refused, while it is retried: until the result, the status stays as it was. */
  readonly retriedRefusal: { readonly hash: string; readonly reason: string } | undefined;
  /** The last request that was refused permanently. */
  readonly rejection: Rejection | undefined;
}

/** Returns what is desired of a resource before it is planned, or planned again. Refusals no longer count. */
export function unplanned(manifest: UnresolvedManifest, before?: Desired): Desired {
  return {
    manifest,
    fieldError: '',
    plan: undefined,
    planIfScaled: undefined,
    scaledBy: before?.scaledBy,
    isAutoscaled: before?.isAutoscaled ?? false,
    appliedPlan: before?.appliedPlan,
    lastKnownGood: undefined,
    retriedRefusal: before?.retriedRefusal,
    rejection: undefined,
  };
}

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
  { type: failure, reason }: ApplyFailure,
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

/** Adds a refusal. A refused field is retried with those that were refused before it. */
export function withRejection(
  desired: Desired,
  of: Rejection['of'],
  { type: failure, reason }: Pick<ApplyFailure, 'type' | 'reason'>,
  drifts: readonly Drift[],
  now: number,
): Desired {
  const before = of === 'correct' ? rejectionOf(desired, of, now) : undefined;
  const paths = new Set([...(before?.paths ?? []), ...drifts.map(({ path }) => path)]);
  const until = before?.until ?? now + rejectedRetryInterval;
  return { ...desired, rejection: { of, paths, reason, failure, until } };
}

/** Drops refusals after a success, except those of fields that were not tried again. */
export function afterSuccess(desired: Desired, of: Rejection['of'], now: number): Desired {
  if (of === 'correct' && rejectionOf(desired, of, now) !== undefined) return desired;
  return { ...desired, rejection: undefined };
}

/** Returns the refusal of such a request, until it is due to be retried. */
export function rejectionOf({ rejection }: Desired, of: Rejection['of'], now: number): Rejection | undefined {
  return rejection?.of === of && now < rejection.until ? rejection : undefined;
}

/** Returns the drifts that may be corrected, and the paths of those that the API server refuses to correct. */
export function splitDrifts(
  desired: Desired,
  drifts: readonly Drift[],
  now: number,
): { readonly open: readonly Drift[]; readonly refused: ReadonlySet<string> } {
  const refused = rejectionOf(desired, 'correct', now)?.paths ?? new Set<string>();
  return { open: drifts.filter(({ path }) => !refused.has(path)), refused };
}
