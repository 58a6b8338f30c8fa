import type { Actor } from 'xstate';
import type { Application } from './application.ts';
import type { ApplicationLogic } from './applicationActor.ts';
import type { ConditionSaid } from './conditions.ts';
import type { AboutApplication } from './facts.ts';
import type { InventoryEntry } from './inventory.ts';
import type { ApplicationOwner } from './managers.ts';
import type { ResourceEntry } from './resourceEntry.ts';

/** What is known of an application that is looked after. */
export interface ApplicationEntry {
  /** `namespace/name`. */
  readonly id: string;
  readonly about: AboutApplication;
  readonly owner: ApplicationOwner;
  readonly actor: Actor<ApplicationLogic>;
  /** As it was heard of last. */
  newest: Application;
  /** As it was when it was validated last; undefined: never yet. */
  valid: Application | undefined;
  /** Nothing is written for it: it only tells of drift, or the process is in a dry run. */
  isDetectOnly: boolean;
  /** Those of the manifests, by key. */
  readonly resources: Map<string, ResourceEntry>;
  /** By key: what was applied once and is no longer among the manifests. */
  readonly left: Map<string, InventoryEntry>;
  /** What is wrong with it as a whole, or with resources that are in no place yet; sentences. */
  faults: readonly string[];
  /** Nothing of it is applied. */
  isInvalid: boolean;
  /** Requests about its resources that are under way. */
  readonly inFlight: Set<Promise<unknown>>;
  /** Why its deletion does not come to its end; '': nothing is in the way. */
  hindrance: string;
  /** What was said of it last, for the times of its conditions. */
  said: readonly ConditionSaid[];
}
