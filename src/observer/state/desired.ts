import type { ApplyFailure } from '../model/applyFailure.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { UnresolvedManifest } from '../spec/application.ts';

/** The last manifest that was applied, while the API server refuses the current one. */
export interface LastKnownGood {
  /** Uses the current account. */
  readonly plan: ResourcePlan;
  /** Why the current manifest is refused, for users. */
  readonly reason: string;
  readonly failure: ApplyFailure['is'];
  /** By the monotonic clock: when the current manifest is retried. */
  readonly until: number;
}

/** A request that the API server refuses permanently. It is not repeated for a while, whatever happens to the object. */
export interface Rejection {
  /** `apply`: the manifest of an existing object. `correct`: only the fields of `paths`. */
  readonly of: 'dryRun' | 'create' | 'apply' | 'correct';
  readonly paths: ReadonlySet<string>;
  readonly reason: string;
  readonly failure: ApplyFailure['is'];
  /** By the monotonic clock: when it is retried. */
  readonly until: number;
}

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
