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
export type ObserverFact =
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
  /** A part of it is not applied, or not as somebody may expect. */
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
      /** The field manager that changed it; undefined: nobody knows. */
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
  /** It is not there any more, or not yet. */
  | ({ readonly type: 'resource.missing'; readonly isCorrected: boolean } & AboutResource)
  /** The API server changes it each time that it is applied: as it makes it is how it is desired from now on. */
  | ({ readonly type: 'resource.mutatedByAdmission'; readonly paths: readonly string[] } & AboutResource)
  /** Admission or defaults have changed: the API server makes something else of the same manifest, and that is desired now. */
  | ({ readonly type: 'resource.desiredStateChanged'; readonly paths: readonly string[] } & AboutResource)
  /** Somebody keeps changing it back: the next correction waits. Milliseconds. */
  | ({
      readonly type: 'resource.correctionBackOff';
      readonly conflictingManager: string | undefined;
      readonly wait: number;
    } & AboutResource)
  /** It is being deleted, and its end is waited for. */
  | ({ readonly type: 'resource.terminating' } & AboutResource)
  | ({ readonly type: 'resource.ownershipConflict'; readonly reason: string } & AboutResource)
  /** The cluster does not know its kind. */
  | ({ readonly type: 'resource.noKindMatch'; readonly reason: string } & AboutResource)
  /** It will not be taken as it is. */
  | ({ readonly type: 'resource.refused' } & Refusal & AboutResource)
  /** It is tried again. */
  | ({ readonly type: 'resource.failed' } & Refusal & AboutResource)
  /** It left the manifests, or its application ended. */
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

export type ReportObserver = (fact: ObserverFact) => void;
