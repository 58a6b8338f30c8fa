import type { Actor } from 'xstate';
import type { application } from '../../../machines/observer/application.ts';
import type { ResourceMemory, resource } from '../../../machines/observer/resource.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ApplyFailure } from '../model/applyFailure.ts';
import type { AboutApplication } from '../model/events.ts';
import type { ApplicationOwner } from '../model/fieldManagers.ts';
import type { Identity, Json } from '../model/identity.ts';
import type { Drift, Projection } from '../model/projection.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { Application, ReportedError, UnresolvedManifest } from '../spec/application.ts';
import type { InventoryEntry } from '../spec/inventory.ts';

/** A resource that was applied, and is to be deleted or released. */
export interface PendingRemoval extends InventoryEntry {
  /** What blocked the last attempt; '' if nothing did, or if there was none yet. */
  readonly reason: string;
  /** The Retry-After of the last attempt in milliseconds; 0 if it had none. */
  readonly retryAfter: number;
}

/** The removal of one resource. */
export interface ActiveRemoval {
  /**
   * The result; undefined while the removal is in progress. `left`: what still has to be removed, undefined if nothing.
   */
  end: { readonly left: PendingRemoval | undefined } | undefined;
}

/** The state of a managed application. */
export interface ApplicationEntry {
  /** `namespace/name`. */
  readonly id: string;
  readonly about: AboutApplication;
  readonly owner: ApplicationOwner;
  readonly actor: Actor<typeof application>;
  /** The version that was observed last. */
  newest: Application;
  /** The version that was validated last; undefined before the first validation. */
  valid: Application | undefined;
  /** By the monotonic clock: until then a failure of the validated generation may end by itself. */
  settledAt: number;
  /** Nothing is written for it: mode detect, or a dry run of weeder. */
  isDetectOnly: boolean;
  /** The resources of the manifests, by key. */
  readonly resources: Map<string, ResourceEntry>;
  /** Resources that were applied and are no longer in the manifests, by key. */
  readonly pendingRemovals: Map<string, PendingRemoval>;
  /** The errors of its spec, its manifests and its observer schema. */
  errors: readonly ReportedError[];
  /** Why nothing is applied, if the ServiceAccount of the application does not exist; '' if it does. */
  accountError: string;
  /** While the application is deleted: the manifests that have a pending removal, or had one. */
  readonly checkedManifests: Set<string>;
  /** Slow removals, by key, until a caller reads their result. */
  readonly activeRemovals: Map<string, ActiveRemoval>;
  /** Requests about its resources that are in flight. */
  readonly inFlight: Set<Promise<unknown>>;
  /** The newest generation that was reported as applied. */
  reportedGeneration: number;
  /** The status on the API server, as far as it is known. */
  status: unknown;
}

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

/**
 * A proof that the account of an application may see the object of a resource. Without one, nothing that weeder has
 * read with its own permissions is written to a status, a condition or an Event: otherwise a user who may create
 * Applications would see objects that they may not read.
 */
interface AccessProof {
  readonly account: string;
  /** By the monotonic clock: when it has to be renewed. */
  readonly until: number;
  /** A response to a write by the account has contained the object, so the account can read the object. */
  readonly hasReplied: boolean;
}

/** The last observed version of an object. */
export interface Found {
  readonly uid: string;
  readonly resourceVersion: string;
  /** It has a `deletionTimestamp`. */
  readonly isTerminating: boolean;
  /** The value of the ownership label; undefined if it has none. */
  readonly label: string | undefined;
  /** The whole object; undefined once it is in the desired state, to save memory. */
  readonly object: JsonObject | undefined;
  /** The last comparison; undefined before the first. */
  readonly compared: Compared | undefined;
}

/** What an object was compared with, and the differences. */
export interface Compared {
  readonly plan: ResourcePlan;
  readonly baseline: Projection;
  readonly drifts: readonly Drift[];
}

/** A correction that was made. */
interface Correction {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly drifts: readonly Drift[];
  readonly conflictingManager: string | undefined;
}

/**
 * The state of a resource: its last apply, its baseline, and its corrections. It outlives the observers of its
 * application, as its actor does, so that this does not have to be determined again after an update.
 */
export interface ResourceEntry {
  readonly application: ApplicationEntry;
  /** From `identityKey`. */
  readonly key: string;
  readonly identity: Identity;
  manifest: UnresolvedManifest;
  /** Undefined if the resource has an error, or if the cluster does not know its kind. */
  plan: ResourcePlan | undefined;
  /** The errors of its entry in the observer schema, as text; '' if there are none. */
  fieldError: string;
  /** The plan of the last apply; undefined if this process does not know it. */
  appliedPlan: ResourcePlan | undefined;
  /**
   * By path: values that the API server has filled in for fields that the schema lists and the manifest does not have.
   */
  initialised: ReadonlyMap<string, Json>;
  /** The last applied plan, which is observed while the current manifest is refused permanently. */
  lastKnownGood: LastKnownGood | undefined;
  /** Why the manifest with this hash was refused, while it is retried: until the result, the status stays as it was. */
  retriedRefusal: { readonly hash: string; readonly reason: string } | undefined;
  /** The last request that was refused permanently. */
  rejection: Rejection | undefined;
  /** The value of its ownership label, if no application has that label. */
  staleLabel: string | undefined;
  /** The desired state of its observed fields. Undefined until it is known. */
  baseline: Projection | undefined;
  /**
   * `unknown`: a GET is needed. `lost`: the stream no longer has it, which may mean a lost label; a GET is needed.
   * `missing`: it does not exist.
   */
  found: Found | 'unknown' | 'lost' | 'missing';
  /** The resourceVersion of weeder's last write: older versions are ignored. */
  writtenVersion: string | undefined;
  /** The proof that the ServiceAccount may see the object. Without one nothing about the object may be reported. */
  proof: AccessProof | undefined;
  drifts: readonly Drift[];
  /** By the monotonic clock: when the current drift was detected. */
  driftedAt: number | undefined;
  readonly corrections: Correction[];
  /** The plan that replaces `plan` when another client scales the resource; undefined if it would be the same. */
  planIfScaled: ResourcePlan | undefined;
  /** The manager that has its replicas by the subresource `scale`: they are not observed then. */
  scaledBy: string | undefined;
  /** A HorizontalPodAutoscaler among the manifests scales it. */
  isAutoscaled: boolean;
  /** The write in flight: there is one at a time, even if its caller no longer waits. */
  writing: Promise<unknown> | undefined;
  /** Replaced only if it has failed. */
  actor: Actor<typeof resource>;
}

/** The number of corrections that are retained for each resource. */
export const maxCorrections = 20;

/** Returns what its machine remembers. */
export function memoryOf({ actor }: Pick<ResourceEntry, 'actor'>): ResourceMemory {
  return actor.getSnapshot().context.memory;
}

/** Returns true while its application is observed. */
export function isObserved({ actor }: ResourceEntry): boolean {
  return !actor.getSnapshot().matches('unobserved');
}

/** Returns the object if one was found. */
export function foundOf({ found }: ResourceEntry): Found | undefined {
  return typeof found === 'object' ? found : undefined;
}
