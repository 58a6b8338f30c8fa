import type { Actor } from 'xstate';
import type { application } from '../../../machines/observer/application.ts';
import type { resource } from '../../../machines/observer/resource.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CorrectionHistory } from '../drift/correctionBackoff.ts';
import type { ApplyFailure } from '../model/applyFailure.ts';
import type { AboutApplication } from '../model/events.ts';
import type { ApplicationOwner } from '../model/fieldManagers.ts';
import type { Identity, Json } from '../model/identity.ts';
import type { Drift, Projection } from '../model/projection.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { Application, ReportedError, UnresolvedManifest } from '../spec/application.ts';
import type { InventoryEntry, ResourceState } from '../spec/inventory.ts';

/** What was applied once, and is to be deleted or released. */
export interface PendingRemoval extends InventoryEntry {
  /** What was in the way the last time; '': nothing yet. */
  readonly reason: string;
}

/** The removal of one resource. */
export interface ActiveRemoval {
  /** How it ended: `left` is what is in the way, undefined where nothing is. Undefined: it is under way. */
  end: { readonly left: PendingRemoval | undefined } | undefined;
}

/** What is known of an application that is managed. */
export interface ApplicationEntry {
  /** `namespace/name`. */
  readonly id: string;
  readonly about: AboutApplication;
  readonly owner: ApplicationOwner;
  readonly actor: Actor<typeof application>;
  /** As it was observed last. */
  newest: Application;
  /** As it was when it was validated last; undefined: never yet. */
  valid: Application | undefined;
  /** Nothing is written for it: mode detect, or a dry run of weeder. */
  isDetectOnly: boolean;
  /** Those of the manifests, by key. */
  readonly resources: Map<string, ResourceEntry>;
  /** By key: what was applied once and is no longer among the manifests. */
  readonly pendingRemovals: Map<string, PendingRemoval>;
  /** What is wrong with its spec, its manifests and its schema. */
  errors: readonly ReportedError[];
  /** Why nothing is applied, where the account is missing in whose place it would be; '': it is not. */
  accountError: string;
  /** While it is deleted: which of the manifests have had a row among those that left. */
  readonly checkedManifests: Set<string>;
  /** By key: removals that were slow, until somebody asks for their end. */
  readonly activeRemovals: Map<string, ActiveRemoval>;
  /** Requests about its resources that are under way. */
  readonly inFlight: Set<Promise<unknown>>;
  /** The newest generation that was reported as applied. */
  reportedGeneration: number;
  /** The status as the API server has it, as far as that is known. */
  status: unknown;
}

/** The last manifest that was applied, for as long as the API server refuses the current one. */
export interface LastKnownGood {
  /** With the account of now. */
  readonly plan: ResourcePlan;
  /** Why the manifest of now is refused: for people. */
  readonly reason: string;
  readonly failure: ApplyFailure['is'];
  /** By the monotonic clock: when the manifest of now is tried again. */
  readonly until: number;
}

/**
 * That the account of an application may see the object of a resource. Before there is one, nothing that was found with
 * weeder's own rights is in a status, a condition or an Event: whoever may make an Application would see what they may
 * not read.
 */
interface AccessProof {
  readonly account: string;
  /** By the monotonic clock: from then on it has to be renewed. */
  readonly until: number;
  /** A reply to a write under the account has held the object: who may patch it can see it. */
  readonly hasReplied: boolean;
}

/** An object as it was observed last. */
export interface Found {
  readonly uid: string;
  readonly resourceVersion: string;
  /** It has a `deletionTimestamp`. */
  readonly isTerminating: boolean;
  /** The value of the label that says whose it is; undefined: it has none. */
  readonly label: string | undefined;
  /** Whole, for as long as it is not as it is desired; where it is, nothing of it has to be kept. */
  readonly object: JsonObject | undefined;
  /** Its last comparison; undefined: it has not been compared yet. */
  readonly compared: Compared | undefined;
}

/** What an object was compared with, and what was different. */
export interface Compared {
  readonly plan: ResourcePlan;
  readonly baseline: Projection;
  readonly drifts: readonly Drift[];
}

/** One correction that was made. */
interface Correction {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly drifts: readonly Drift[];
  readonly conflictingManager: string | undefined;
}

/**
 * What is known of a resource: what was applied, its baseline, and its corrections. It outlives the observers of its
 * application, so that an update does not have to find this out again.
 */
export interface ResourceEntry {
  readonly application: ApplicationEntry;
  /** As `identityKey` gives it. */
  readonly key: string;
  readonly identity: Identity;
  manifest: UnresolvedManifest;
  /** Undefined: it has an error, or the cluster does not know its kind. */
  plan: ResourcePlan | undefined;
  /** What is wrong with what the schema says of it, in sentences; '': nothing. */
  fieldError: string;
  /** What was applied last; undefined: this process has never known it. */
  appliedPlan: ResourcePlan | undefined;
  /** The hash of what was applied last, by this process or one before it; undefined: nothing was. */
  appliedHash: string | undefined;
  /** Of the object in the reply to the last apply; undefined: no reply has come yet. A found object's uid is none. */
  appliedUid: string | undefined;
  /** By path: what the API server filled in where the schema lists a field that the manifest does not have. */
  initialised: ReadonlyMap<string, Json>;
  /** What was applied before, which is observed while the current manifest is refused permanently. */
  lastKnownGood: LastKnownGood | undefined;
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
  /** The field manager that owns the drifted fields. */
  conflictingManager: string | undefined;
  state: ResourceState;
  /** Why it is in this state, where that needs a reason. */
  reason: string;
  correctionHistory: CorrectionHistory;
  readonly corrections: Correction[];
  /** Paths of fields that the API server changes each time that they are applied. */
  mutatedByAdmission: readonly string[];
  /** The plan that takes the place of the other one when somebody scales it; undefined: there is no difference. */
  planIfScaled: ResourcePlan | undefined;
  /** Who has its replicas by the subresource `scale`; they are not observed then. */
  scaledBy: string | undefined;
  /** A HorizontalPodAutoscaler among the manifests has them. */
  isAutoscaled: boolean;
  /** Conflicts in a row. */
  conflicts: number;
  /** The write in flight: there is one at a time, even if its caller no longer waits. */
  writing: Promise<unknown> | undefined;
  /** While it is observed. */
  actor: Actor<typeof resource> | undefined;
}

/** So many corrections are remembered of each resource, the newest ones. */
export const mostCorrections = 20;

/** There is one, and this is it. */
export function foundOf({ found }: ResourceEntry): Found | undefined {
  return typeof found === 'object' ? found : undefined;
}
