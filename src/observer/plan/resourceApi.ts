import type { JsonObject } from '../../base/json.ts';
import type { Outcome } from '../model/applyFailure.ts';
import type { ApplicationOwner } from '../model/fieldManagers.ts';
import type { Identity, Manifest } from '../model/identity.ts';
import type { Drift } from '../model/projection.ts';
import type { SchemaNode } from '../model/schemaNode.ts';
import type { FieldMask } from '../schema/fieldMask.ts';

export type { ApplyFailure, Outcome } from '../model/applyFailure.ts';

/** Where the requests about a resource go, and in whose place. */
export interface Target {
  readonly identity: Identity;
  readonly apiVersion: string;
  /** Of the object: `/apis/apps/v1/namespaces/shop/deployments/web`. */
  readonly path: string;
  /** Of its collection: `/apis/apps/v1/namespaces/shop/deployments`. */
  readonly collection: string;
  /** Such as `system:serviceaccount:shop:default`; undefined: weeder's own rights. */
  readonly account: string | undefined;
}

/** What was applied last, or is to be. */
interface DesiredManifest {
  readonly manifest: Manifest;
  readonly mask: FieldMask;
}

/** Everything that has to be known of a resource to apply it. */
export interface ResourcePlan extends DesiredManifest {
  readonly target: Target;
  readonly topology: SchemaNode;
  readonly owner: ApplicationOwner;
  /** Of manifest and mask. */
  readonly hash: string;
  /** Whether the object may be deleted and recreated to change an immutable field. */
  readonly mayRecreate: boolean;
  /** What was applied last, where that is known. */
  readonly previous?: DesiredManifest;
  /** Of the object in the reply to the last apply: only that one may be deleted to be recreated. */
  readonly appliedUid?: string;
}

/** The result of an apply. */
export interface Applied {
  /** The API server's own reply. */
  readonly object: JsonObject;
  /** It has another resourceVersion than before. */
  readonly hasChanged: boolean;
  /**
   * Made by this apply alone, so that everything in it is ours or the server's. False: it was there before, and may hold
   * what others have put into it: what is desired of its lists only `dryRunApply` can say.
   */
  readonly isNew: boolean;
}

/** What the API server makes of a manifest, without it being applied. */
export interface DryRun {
  readonly object: JsonObject;
  /** False: a dry-run apply on the live object, which may hold what an intruder has added. */
  readonly isIndependent: boolean;
}

/** What the account of an application may do to an object. */
export type AccessVerb = 'get' | 'patch';

/** What the machines ask of the API server about one resource. Nothing here rejects. */
export interface ResourceApi {
  /**
   * Whether the account may do this to the object or, with `kind`, to every object of its kind in its namespace. Asked
   * under the account, and answered from its rights alone.
   */
  may(target: Target, verb: AccessVerb, extent: 'kind' | 'object', signal: AbortSignal): Promise<Outcome<boolean>>;
  /** A dry run, under the account, of a patch that changes nothing: a success is answered with the object. */
  tryPatch(target: Target, signal: AbortSignal): Promise<Outcome<undefined>>;
  /** As it is now; undefined: there is none. With weeder's own rights, as the streams. */
  read(target: Target, signal: AbortSignal): Promise<Outcome<JsonObject | undefined>>;
  /**
   * The whole resource, from nothing, or where somebody left one of its name. `isAbsent`: a moment ago it was
   * not there, and need not be asked for. Default: false.
   */
  create(plan: ResourcePlan, signal: AbortSignal, isAbsent?: boolean): Promise<Outcome<Applied>>;
  /** The observed part again, on `live`, where these drifts were found. */
  correct(
    plan: ResourcePlan,
    live: JsonObject,
    drifts: readonly Drift[],
    signal: AbortSignal,
  ): Promise<Outcome<Applied>>;
  /** Another manifest or mask than `plan.before`. */
  update(plan: ResourcePlan, live: JsonObject, signal: AbortSignal): Promise<Outcome<Applied>>;
  /** What the API server would make of the manifest. */
  dryRunApply(plan: ResourcePlan, signal: AbortSignal): Promise<Outcome<DryRun>>;
  /** The same, of what is in sync: whether it still does. */
  dryRunAgain(plan: ResourcePlan, signal: AbortSignal): Promise<Outcome<DryRun>>;
  /**
   * Takes label, annotation and managers of an application that does not exist away from this version of the object; the
   * object as it is then. `conflict`: it is another version by now.
   */
  removeStaleClaim(plan: ResourcePlan, live: JsonObject, signal: AbortSignal): Promise<Outcome<JsonObject>>;
  /**
   * Only with proof (`isProvenOf`); `appliedUid` is from the reply to an apply. `missing`: it is gone. `otherUid`: nothing
   * proves that the application has applied what has its name. `claimed`: another application has it. `terminating`: it
   * is deleted, and not gone yet.
   */
  delete(
    target: Target,
    owner: ApplicationOwner,
    appliedUid: string | undefined,
    signal: AbortSignal,
  ): Promise<Outcome<undefined>>;
  /** Takes label, annotation and managers away, and leaves the rest as it is. With the same proof, or not at all. */
  release(
    target: Target,
    owner: ApplicationOwner,
    appliedUid: string | undefined,
    signal: AbortSignal,
  ): Promise<Outcome<undefined>>;
}

/** A kind as the cluster serves it. */
export interface RestMapping {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

/** Which kinds the cluster serves, and how their objects are built. Nothing here rejects. */
export interface RestMapper {
  /** `typeMissing`: the cluster does not know it, as far as is known. Asking for it often costs no more requests. */
  find(apiVersion: string, kind: string, signal: AbortSignal): Promise<Outcome<RestMapping>>;
  /**
   * Resolves once it is served, and `structureOf` it is known, as the API server says after this call. `isExpected`: its
   * definition has just been applied. `cancelled`: the signal ended the wait.
   */
  awaitServed(
    apiVersion: string,
    kind: string,
    signal: AbortSignal,
    isExpected?: boolean,
  ): Promise<Outcome<RestMapping>>;
  /** The kind under whatever version of its group it is served now. `typeMissing`: under none. */
  findInGroup(group: string, kind: string, signal: AbortSignal): Promise<Outcome<RestMapping>>;
  /** `typeMissing`: the cluster does not say it yet. */
  topologyOf(kind: RestMapping, signal: AbortSignal): Promise<Outcome<SchemaNode>>;
}

/**
 * So many requests of a kind are under way at once: applies, trials, or what concerns applications themselves. A busy API
 * server takes 30 to 60 ms for each, so with half as many weeder waits most of the time; with many more, an API server
 * ends streams that it cannot serve.
 */
export const maxConcurrentRequests = 16;

/** What the two managers of a resource apply. */
export interface ApplyBodies {
  /** Everything in the manifest, with the claim. */
  readonly whole: JsonObject;
  /** The observed fields, with the claim: the only thing that is ever forced. */
  readonly observed: JsonObject;
  /** What is not observed; undefined: everything is. */
  readonly unobserved: JsonObject | undefined;
  /** Nothing but which object it is: a manager that applies this owns nothing any more. */
  readonly nothing: JsonObject;
}
