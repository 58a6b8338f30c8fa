import type { JsonObject } from '@weeder/kube-runtime/base';
import type { ApplyFailure, Outcome } from '../objects/applyFailure.ts';
import type { ApplicationOwner } from '../objects/fieldManagers.ts';
import type { Identity, Manifest } from '../objects/identity.ts';
import type { Drift } from '../objects/projection.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import type { FieldMask } from '../schema/fieldMask.ts';

export type { ApplyFailure, Outcome } from '../objects/applyFailure.ts';

/** Where the requests about a resource are sent, and the account that they impersonate. */
export interface Target {
  readonly identity: Identity;
  readonly apiVersion: string;
  /** The path of the object: `/apis/apps/v1/namespaces/shop/deployments/web`. */
  readonly path: string;
  /** The path of its collection: `/apis/apps/v1/namespaces/shop/deployments`. */
  readonly collection: string;
  /** Such as `system:serviceaccount:shop:default`; undefined: weeder's own permissions. */
  readonly account: string | undefined;
}

/** A manifest that was applied, or that is to be applied, with the mask of its observed fields. */
interface DesiredManifest {
  readonly manifest: Manifest;
  readonly mask: FieldMask;
}

/** All that is needed to apply a resource. */
export interface ResourcePlan extends DesiredManifest {
  readonly target: Target;
  readonly topology: SchemaNode;
  readonly owner: ApplicationOwner;
  /** The hash of manifest and mask. */
  readonly hash: string;
  /** Whether the object may be deleted and recreated to change an immutable field. */
  readonly mayRecreate: boolean;
  /** The manifest that was applied last, if it is known. */
  readonly previous?: DesiredManifest;
  /** The uid in the response to the last apply: only this object may be deleted to be recreated. */
  readonly appliedUid?: string;
  /** The fields that keep their live value in this apply, by `pathText`, because the API server refuses another one. */
  readonly kept?: ReadonlySet<string>;
}

/** The result of an apply. */
export interface Applied {
  /** The API server's response. */
  readonly object: JsonObject;
  /** The apply has changed the resourceVersion. */
  readonly hasChanged: boolean;
  /**
   * True if this apply created the object, so that every field of it is from the manifest or from the API server. False
   * if the object existed before and may contain fields of other clients: then only `dryRunApply` returns the desired
   * state of its lists.
   */
  readonly isNew: boolean;
  /** The drifts that the API server refuses to correct, and why. The others are corrected. */
  readonly refused?: { readonly drifts: readonly Drift[]; readonly failure: ApplyFailure };
}

/** The API server's response to a manifest, without applying it. */
export interface DryRun {
  readonly object: JsonObject;
  /** False: a dry-run apply on the live object, which may contain foreign elements. */
  readonly isIndependent: boolean;
}

/** What the account of an application may do to an object. */
export type AccessVerb = 'get' | 'patch';

/** Objects of one kind that are deleted with the object that has them. */
export interface Collection extends Pick<Identity, 'group' | 'kind'> {
  /** `/api/v1/namespaces/shop/configmaps`. */
  readonly path: string;
}

/** A page of a collection. */
export interface Page {
  readonly metadata: readonly JsonObject[];
  /** The number of objects behind it. */
  readonly remaining: number;
  /** Where the next page begins; undefined if there is none. */
  readonly next: string | undefined;
}

/** What is deleted with a definition or a Namespace. */
export interface Contents {
  /** Where to look, for this version of the object. */
  collections(live: JsonObject): Promise<Outcome<readonly Collection[]>>;
  /** Returns true for an object that is not to be kept. */
  mayBeLost(identity: Identity, metadata: JsonObject): boolean;
  /** A clause that says what the others are, and one that says how to allow their loss. */
  readonly others: string;
  readonly remedy: string;
}

/** The requests that the machines make about one resource. No promise rejects. */
export interface ResourceApi {
  /**
   * Returns true if the account may do this to the object or, with `kind`, to every object of its kind in its
   * namespace. The request impersonates the account, and the result depends only on its permissions.
   */
  may(target: Target, verb: AccessVerb, extent: 'kind' | 'object', signal: AbortSignal): Promise<Outcome<boolean>>;
  /** Dry-runs a patch that changes nothing, as the account. The response to a success contains the object. */
  tryPatch(target: Target, signal: AbortSignal): Promise<Outcome<undefined>>;
  /** Reads the live object; undefined if it does not exist. Uses weeder's own permissions, as the streams do. */
  read(target: Target, signal: AbortSignal): Promise<Outcome<JsonObject | undefined>>;
  /**
   * Creates the resource, or applies it to an existing object of its name. `isAbsent`: the object did not exist a
   * moment ago, so it is not read first. Default: false.
   */
  create(plan: ResourcePlan, signal: AbortSignal, isAbsent?: boolean): Promise<Outcome<Applied>>;
  /** Applies the observed fields to `live`, in which these drifts were found. */
  correct(
    plan: ResourcePlan,
    live: JsonObject,
    drifts: readonly Drift[],
    signal: AbortSignal,
  ): Promise<Outcome<Applied>>;
  /** Applies a manifest or mask that differs from `plan.previous`. */
  update(plan: ResourcePlan, live: JsonObject, signal: AbortSignal): Promise<Outcome<Applied>>;
  /** Returns what the API server would make of the manifest, or made of it last if admission refuses dry runs. */
  dryRunApply(plan: ResourcePlan, signal: AbortSignal): Promise<Outcome<DryRun>>;
  /** Does the same for a resource that is in sync, to detect whether the result has changed. */
  dryRunAgain(plan: ResourcePlan, signal: AbortSignal): Promise<Outcome<DryRun>>;
  /**
   * Removes the label, the annotation and the managers of an application that does not exist from this version of the
   * object, and returns the new version. `conflict`: the object has changed since.
   */
  removeStaleClaim(plan: ResourcePlan, live: JsonObject, signal: AbortSignal): Promise<Outcome<JsonObject>>;
  /**
   * Deletes the object only with proof (`isProvenApplied`); `appliedUid` is from the response to an apply. Returns the
   * mark of an object that its author keeps (`keepMarkOf`), which is released instead. `missing`: the object does not
   * exist. `otherUid`: nothing proves that the application has applied the object of this name. `claimed`: another
   * application owns it. `terminating`: it is being deleted and still exists. With `contents` nothing is deleted while
   * there are such objects, or while the account may not list them.
   */
  delete(
    target: Target,
    owner: ApplicationOwner,
    appliedUid: string | undefined,
    signal: AbortSignal,
    contents?: Contents,
  ): Promise<Outcome<string | undefined>>;
  /**
   * Removes the label, the annotation and the managers, and leaves the rest of the object as it is. With `to` they
   * become those of that application, which then owns the fields. Requires the same proof.
   */
  release(
    target: Target,
    owner: ApplicationOwner,
    appliedUid: string | undefined,
    signal: AbortSignal,
    to?: ApplicationOwner,
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

/** The kinds that the cluster serves, and the topologies of their objects. No promise rejects. */
export interface RestMapper {
  /** `typeMissing`: the cluster does not serve the kind, as far as is known. Repeated calls cause no more requests. */
  find(apiVersion: string, kind: string, signal: AbortSignal): Promise<Outcome<RestMapping>>;
  /**
   * Resolves once the kind is served and its topology is known, by reads that begin after this call. `isExpected`: its
   * definition has just been applied. `cancelled`: the signal aborted the wait.
   */
  awaitServed(
    apiVersion: string,
    kind: string,
    signal: AbortSignal,
    isExpected?: boolean,
  ): Promise<Outcome<RestMapping>>;
  /** Finds the kind under any served version of its group. `typeMissing`: no version has it. */
  findInGroup(group: string, kind: string, signal: AbortSignal): Promise<Outcome<RestMapping>>;
  /** Returns the kinds of namespaced objects, each in one version. Uses a read that begins after this call. */
  namespacedKinds(): Promise<Outcome<readonly RestMapping[]>>;
  /** `typeMissing`: the cluster does not publish the schema yet. */
  topologyOf(kind: RestMapping, signal: AbortSignal): Promise<Outcome<SchemaNode>>;
  /** Resolves once the schema of the kind is another one than `known`. `cancelled`: the signal aborted the wait. */
  whenChanged(
    kind: Pick<RestMapping, 'group' | 'version' | 'kind'>,
    known: SchemaNode,
    signal: AbortSignal,
  ): Promise<Outcome<undefined>>;
}

/**
 * The maximum of concurrent requests of one type: applies, dry runs, or requests about applications themselves. A busy
 * API server takes 30 to 60 ms for each, so with half as many weeder would mostly wait. With many more, an API server
 * ends streams that it cannot serve.
 */
export const maxConcurrentRequests = 16;

/** The bodies that the two managers of a resource apply. */
export interface ApplyBodies {
  /** All fields of the manifest, with the claim. */
  readonly whole: JsonObject;
  /** The observed fields, with the claim. Only this body is ever forced. */
  readonly observed: JsonObject;
  /** The unobserved fields; undefined if every field is observed. */
  readonly unobserved: JsonObject | undefined;
  /** Only the identity of the object: a manager that applies this gives up all its fields. */
  readonly nothing: JsonObject;
}
