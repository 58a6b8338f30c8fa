import type { Actor } from 'xstate';
import type { application } from '../../../machines/observer/application.ts';
import type { ResourceMemory, resource } from '../../../machines/observer/resource.ts';
import type { AboutApplication } from '../objects/events.ts';
import type { ApplicationOwner } from '../objects/fieldManagers.ts';
import type { Identity } from '../objects/identity.ts';
import type { Application, ReportedError } from '../spec/application.ts';
import type { InventoryEntry } from '../spec/inventory.ts';
import type { Desired } from './desired.ts';
import type { Live } from './live.ts';

/** A resource that was applied, and is to be deleted or released. */
export interface PendingRemoval extends InventoryEntry {
  /** What blocked the last attempt; '' if nothing did, or if there was none yet. */
  readonly reason: string;
  /** The Retry-After of the last attempt in milliseconds; 0 if it had none. */
  readonly retryAfter: number;
  /** By the monotonic clock: when it was due first, or began to terminate; undefined before that. */
  readonly since: number | undefined;
  /** The object terminates for longer than usual. */
  readonly isDelayed: boolean;
}

/** The removal of one resource. */
export interface ActiveRemoval {
  /**
   * The result; undefined while the removal is in progress. `left`: what still has to be removed, undefined if nothing.
   */
  end: { readonly left: PendingRemoval | undefined } | undefined;
}

/** The live objects that are kept because they are not in the desired state. */
export interface KeptObjects {
  /** The object of the resource was observed and compared. May drop the objects of others. */
  observed(resource: ResourceEntry): void;
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
  /** Shared by all applications. */
  readonly keptObjects: KeptObjects;
  /** Requests about its resources that are in flight. */
  readonly inFlight: Set<Promise<unknown>>;
  /** The newest generation that was reported as applied. */
  reportedGeneration: number;
  /** The status on the API server, as far as it is known. */
  status: unknown;
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

/** In epoch milliseconds. What is known since `from` is not checked again before `until`. */
export interface Wait {
  readonly from: number;
  readonly until: number;
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
  /** Replaced by `transitions.ts`. */
  desired: Desired;
  /** Replaced by `transitions.ts`. */
  live: Live;
  /** The proof that the ServiceAccount may see the object. Without one nothing about the object may be reported. */
  proof: AccessProof | undefined;
  /** The wait for its next attempt; undefined if there is none, or only a short one. */
  wait: Wait | undefined;
  /** The write in flight: there is one at a time, even if its caller no longer waits. */
  writing: Promise<unknown> | undefined;
  /** Replaced only if it has failed. */
  actor: Actor<typeof resource>;
}

/** Returns what its machine remembers. */
export function memoryOf(actor: ResourceEntry['actor']): ResourceMemory {
  return actor.getSnapshot().context.memory;
}

/** Returns true while its application is observed. */
export function isObserved({ actor }: ResourceEntry): boolean {
  return !actor.getSnapshot().matches('unobserved');
}
