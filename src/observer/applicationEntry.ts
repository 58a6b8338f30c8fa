import type { Actor } from 'xstate';
import type { Application } from './application.ts';
import type { ApplicationLogic } from './applicationActor.ts';
import type { AboutApplication } from './facts.ts';
import type { ShownFault } from './invalid.ts';
import type { InventoryEntry } from './inventory.ts';
import type { ApplicationOwner } from './managers.ts';
import type { ResourceEntry } from './resourceEntry.ts';

/** What was applied once, and is to be deleted or released. */
export interface LeftResource extends InventoryEntry {
  /** What was in the way the last time; '': nothing yet. */
  readonly reason: string;
}

/** The removal of one resource. */
export interface Removal {
  /** How it ended: `left` is what is in the way, undefined where nothing is. Undefined: it is under way. */
  end: { readonly left: LeftResource | undefined } | undefined;
}

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
  readonly left: Map<string, LeftResource>;
  /** What is wrong with its spec, its manifests and its schema. */
  faults: readonly ShownFault[];
  /** Why nothing is applied, where the account is missing in whose place it would be; '': it is not. */
  accountFault: string;
  /** While it is deleted: which of the manifests have had a row among those that left. */
  readonly taken: Set<string>;
  /** By key: removals that were slow, until somebody asks for their end. */
  readonly removals: Map<string, Removal>;
  /** Requests about its resources that are under way. */
  readonly inFlight: Set<Promise<unknown>>;
  /** The newest of which it was told that it was applied. */
  toldGeneration: number;
  /** The status as the API server has it, as far as that is known. */
  status: unknown;
}
