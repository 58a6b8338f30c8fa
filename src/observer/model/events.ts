import type { Identity } from './identity.ts';
import type { Drift } from './projection.ts';

/** Which application, as its object. */
export interface AboutApplication {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Which resource of it. */
export interface AboutResource {
  readonly application: AboutApplication;
  readonly resource: Identity;
  readonly apiVersion: string;
  /** Undefined: there is none, or the account of the application may not see it. */
  readonly uid: string | undefined;
}

/** How a resource came to be as its manifest says. */
export type AppliedHow = 'created' | 'updated' | 'recreated';

/** What the observer found and did. Drifts may hold values: whoever reports them redacts those of Secrets. */
export type ObserverEvent =
  /** A spec was applied: each of its resources was tried once. */
  | ({
      readonly type: 'application.applied';
      readonly generation: number;
      /** How many there are, and of how many something is in the way. */
      readonly resources: number;
      readonly failed: number;
    } & OfApplication)
  /** Nothing of it is applied. */
  | ({ readonly type: 'application.invalid'; readonly reason: string } & OfApplication)
  /** Some of its resources have errors, and are not applied. */
  | ({ readonly type: 'application.partlyInvalid'; readonly reason: string } & OfApplication)
  | ({
      readonly type: 'application.paused';
      /** Epoch milliseconds. */
      readonly until: number;
    } & OfApplication)
  /** For a while now there is no account in whose place it could be applied. */
  | ({ readonly type: 'application.serviceAccountNotFound'; readonly reason: string } & OfApplication)
  /** weeder may not read the ServiceAccount, and applies all the same. Reported once for each namespace. */
  | ({ readonly type: 'application.serviceAccountUnverified'; readonly reason: string } & OfApplication)
  /** Its resources are deleted or released. */
  | ({ readonly type: 'application.deleted'; readonly policy: 'delete' | 'orphan' } & OfApplication)
  /** Something could not be done for it as a whole. */
  | ({ readonly type: 'application.refused' } & Refusal & OfApplication)
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
  /** Admission mutates these fields each time: its result becomes the desired state. */
  | ({ readonly type: 'resource.mutatedByAdmission'; readonly paths: readonly string[] } & AboutResource)
  /** Admission or defaults have changed: the new result of the same manifest becomes the desired state. */
  | ({ readonly type: 'resource.desiredStateChanged'; readonly paths: readonly string[] } & AboutResource)
  /** The resource was changed back after a correction: the next one waits for so many milliseconds. */
  | ({
      readonly type: 'resource.correctionBackOff';
      readonly conflictingManager: string | undefined;
      readonly wait: number;
    } & AboutResource)
  /** It is being deleted; weeder waits until it is gone. */
  | ({ readonly type: 'resource.terminating' } & AboutResource)
  | ({ readonly type: 'resource.ownershipConflict'; readonly reason: string } & AboutResource)
  /** The API server does not serve its kind. */
  | ({ readonly type: 'resource.noKindMatch'; readonly reason: string } & AboutResource)
  /** The API server refuses it permanently. */
  | ({ readonly type: 'resource.refused' } & Refusal & AboutResource)
  /** A transient failure, which is retried. */
  | ({ readonly type: 'resource.failed' } & Refusal & AboutResource)
  /** It was removed from the manifests, or its application was deleted. */
  | ({ readonly type: 'resource.deleted' } & AboutResource)
  | ({ readonly type: 'resource.released' } & AboutResource)
  /**
   * Neither: nothing is there that is proven to be applied by the application. `reason` says what was found, and is for
   * the operator alone: the account of the application need not be allowed to know.
   */
  | ({ readonly type: 'resource.deletionSkipped'; readonly reason: string } & AboutResource)
  /** A mistake of ours. */
  | { readonly type: 'actor.failed'; readonly actor: string; readonly error: unknown };

interface OfApplication {
  readonly application: AboutApplication;
}

interface Refusal {
  readonly reason: string;
  /** Its class. */
  readonly failure: string;
  /** The how-manieth in a row. */
  readonly attempt: number;
  /** Milliseconds. */
  readonly retryIn: number;
}

export type ReportObserver = (event: ObserverEvent) => void;
