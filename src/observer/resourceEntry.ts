import type { Actor } from 'xstate';
import type { JsonObject } from '../json.ts';
import type { Proof } from './accessProof.ts';
import type { UnplacedManifest } from './application.ts';
import type { ApplicationEntry } from './applicationEntry.ts';
import type { DriftPace } from './driftPace.ts';
import type { Identity, Json } from './identity.ts';
import type { ResourceState } from './inventory.ts';
import type { Kept } from './kept.ts';
import type { Drift, Projection } from './projection.ts';
import type { ResourceLogic } from './resourceActor.ts';
import type { ResourcePlan } from './resourceApi.ts';

/** An object as it was heard of last. */
export interface Found {
  readonly uid: string;
  readonly resourceVersion: string;
  /** It has a `deletionTimestamp`. */
  readonly isEnding: boolean;
  /** The value of the label that says whose it is; undefined: it has none. */
  readonly label: string | undefined;
  /** Whole, for as long as it is not as it is wanted; where it is, nothing of it has to be kept. */
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
export interface Correction {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly drifts: readonly Drift[];
  readonly rival: string | undefined;
}

/**
 * What is known of a resource. It outlives the observers of its application, so that none of it has to be found out anew
 * after an update: what was applied, what it is compared with, and how often it had to be corrected.
 */
export interface ResourceEntry {
  readonly application: ApplicationEntry;
  /** As `identityKey` gives it. */
  readonly key: string;
  readonly identity: Identity;
  manifest: UnplacedManifest;
  /** Undefined: it has a fault, or the cluster does not know its kind. */
  plan: ResourcePlan | undefined;
  /** What is wrong with what the schema says of it, in sentences; '': nothing. */
  fault: string;
  /** What was applied last; undefined: this process has never known it. */
  appliedPlan: ResourcePlan | undefined;
  /** The hash of what was applied last, by this process or one before it; undefined: nothing was. */
  appliedHash: string | undefined;
  /** Of the object in the reply to the last apply; undefined: no reply has come yet. A found object's uid is none. */
  appliedUid: string | undefined;
  /** By path: what the API server filled in where the schema lists a field that the manifest does not have (A9). */
  initialised: ReadonlyMap<string, Json>;
  /** The manifest of now is refused for good, and this is compared and corrected; undefined: nothing is. */
  kept: Kept | undefined;
  /** The value of a label on it that is no application's: the object is nobody's. Undefined: none is known to be. */
  abandonedLabel: string | undefined;
  /** What is wanted of it; undefined: not known yet. */
  baseline: Projection | undefined;
  /** `unknown`: ask. `lost`: its stream has it no more, which may mean a lost label; ask. `missing`: it is not there. */
  found: Found | 'unknown' | 'lost' | 'missing';
  /** Of our own last write: what is told of older versions is no news (A12). */
  writtenVersion: string | undefined;
  /** That the account may see it; undefined: nothing that was found of it may be told. */
  proof: Proof | undefined;
  drifts: readonly Drift[];
  /** By the clock that never jumps: when the drift was heard of that is there now. */
  driftedAt: number | undefined;
  /** Whose field manager has the drifted fields. */
  rival: string | undefined;
  state: ResourceState;
  /** Why it is in this state, where that needs a reason. */
  reason: string;
  pace: DriftPace;
  readonly corrections: Correction[];
  /** Paths of fields that the API server changes each time that they are applied. */
  admitted: readonly string[];
  /** The plan that takes the place of the other one when somebody scales it; undefined: there is no difference. */
  planIfScaled: ResourcePlan | undefined;
  /** Who has its replicas by the subresource `scale`; they are not observed then. */
  scaledBy: string | undefined;
  /** A HorizontalPodAutoscaler among the manifests has them. */
  isAutoscaled: boolean;
  /** Conflicts in a row. */
  conflicts: number;
  /** The write of it that is under way: there is one at a time, also where nobody waits for it any more. */
  writing: Promise<unknown> | undefined;
  /** While it is observed. */
  actor: Actor<ResourceLogic> | undefined;
}

/** So many corrections are remembered of each resource, the newest ones. */
export const mostCorrections = 20;

/** There is one, and this is it. */
export function foundOf({ found }: ResourceEntry): Found | undefined {
  return typeof found === 'object' ? found : undefined;
}
