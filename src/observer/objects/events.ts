import type { ActorFailed, Retry } from '../../controller/report/commonEvents.ts';
import type { ApplicationOwner } from './fieldManagers.ts';
import type { Identity } from './identity.ts';
import type { Drift } from './projection.ts';

/** The application as an object. */
export interface AboutApplication {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A resource of the application. */
export interface AboutResource {
  readonly application: AboutApplication;
  readonly resource: Identity;
  readonly apiVersion: string;
  /** Undefined if the object does not exist, or if the account of the application may not read it. */
  readonly uid: string | undefined;
}

/** How a resource was changed to match its manifest. */
type AppliedHow = 'created' | 'updated' | 'recreated';

/** What the observer has found or done. Drifts may have values, so reporters must redact those of Secrets. */
export type ObserverEvent =
  /** A spec was applied: each resource was tried once. */
  | ({
      readonly type: 'application.applied';
      readonly generation: number;
      /** The number of resources, and of those that failed or wait. */
      readonly resources: number;
      readonly failed: number;
    } & OfApplication)
  /** No resource of the application is applied. */
  | ({ readonly type: 'application.invalid'; readonly reason: string } & OfApplication)
  /** Some of its resources have errors and are not applied. */
  | ({ readonly type: 'application.partlyInvalid'; readonly reason: string } & OfApplication)
  | ({
      readonly type: 'application.paused';
      /** Epoch milliseconds. */
      readonly until: number;
    } & OfApplication)
  /** The ServiceAccount that should apply it has not existed for some time. */
  | ({ readonly type: 'application.serviceAccountNotFound'; readonly reason: string } & OfApplication)
  /**
   * weeder may not read the ServiceAccount, and applies the resources without the check. Reported once for each
   * namespace.
   */
  | ({ readonly type: 'application.serviceAccountUnverified'; readonly reason: string } & OfApplication)
  /** Its resources were deleted or released. */
  | ({ readonly type: 'application.deleted'; readonly policy: 'delete' | 'orphan' } & OfApplication)
  /** A request for the application as a whole failed. */
  | ({ readonly type: 'application.refused' } & Retry & OfApplication)
  | ({ readonly type: 'resource.applied'; readonly how: AppliedHow } & AboutResource)
  | ({
      readonly type: 'resource.drifted';
      readonly drifts: readonly Drift[];
      /** The field manager that changed it; undefined if unknown. */
      readonly conflictingManager: string | undefined;
      /** False: the drift is reported, and not corrected. */
      readonly isCorrected: boolean;
    } & AboutResource)
  | ({
      readonly type: 'resource.corrected';
      readonly drifts: readonly Drift[];
      /** Milliseconds since the drift was detected. */
      readonly took: number;
    } & AboutResource)
  /** The object does not exist. */
  | ({ readonly type: 'resource.missing'; readonly isCorrected: boolean } & AboutResource)
  /** Admission mutates these fields each time, so its result becomes the desired state. */
  | ({ readonly type: 'resource.mutatedByAdmission'; readonly paths: readonly string[] } & AboutResource)
  /** Admission or defaults have changed, so the new result of the same manifest becomes the desired state. */
  | ({ readonly type: 'resource.desiredStateChanged'; readonly paths: readonly string[] } & AboutResource)
  /** The resource was changed back after a correction. The next correction waits for this number of milliseconds. */
  | ({
      readonly type: 'resource.correctionBackOff';
      readonly conflictingManager: string | undefined;
      readonly wait: number;
    } & AboutResource)
  /** The correction waits for a maintenance window. `reason`: a clause. */
  | ({ readonly type: 'resource.correctionPending'; readonly reason: string } & AboutResource)
  /** The object is being deleted, and weeder waits for the end of the deletion. */
  | ({ readonly type: 'resource.terminating' } & AboutResource)
  /** A removed object still exists a minute after its deletion. `reason`: what it waits for, in a clause. */
  | ({ readonly type: 'resource.deletionDelayed'; readonly reason: string } & AboutResource)
  | ({ readonly type: 'resource.ownershipConflict'; readonly reason: string } & AboutResource)
  /** The API server does not serve its kind. */
  | ({ readonly type: 'resource.noKindMatch'; readonly reason: string } & AboutResource)
  /** The API server refuses it permanently. */
  | ({ readonly type: 'resource.refused' } & Retry & AboutResource)
  /** A transient failure. weeder retries. */
  | ({ readonly type: 'resource.failed' } & Retry & AboutResource)
  /** It was removed from the manifests, or its application was deleted. */
  | ({ readonly type: 'resource.deleted' } & AboutResource)
  | ({ readonly type: 'resource.released' } & Release & AboutResource)
  /**
   * It was neither deleted nor released, because no object is proven to be applied by the application. `reason` has
   * details for the operator only: the account of the application may lack the permission to read them.
   */
  | ({ readonly type: 'resource.deletionSkipped'; readonly reason: string } & AboutResource)
  | ActorFailed;

/** Why an object was released. Without any of these: by the deletion policy. */
export interface Release {
  /** The application that takes it over. */
  readonly to?: ApplicationOwner;
  /** One that lists it, and whose account may not patch it. */
  readonly listedBy?: string;
  /** The mark by which its author keeps it. */
  readonly keptBy?: string;
}

interface OfApplication {
  readonly application: AboutApplication;
}

export type ReportObserver = (event: ObserverEvent) => void;
