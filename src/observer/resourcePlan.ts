import type { JsonObject } from '../json.ts';
import type { Identity, Manifest } from './identity.ts';
import type { ApplicationOwner } from './managers.ts';
import type { Shape } from './schema/shape.ts';
import type { At } from './structure/structure.ts';

/** Where one object is, and in whose name it is changed. */
export interface Target {
  /** Of the object: `/apis/apps/v1/namespaces/shop/deployments/web`. */
  readonly path: string;
  /** Of the objects of its kind: `/apis/apps/v1/namespaces/shop/deployments`. */
  readonly collection: string;
  /** What the API calls the kind: `deployments`. */
  readonly plural: string;
  readonly identity: Identity;
  readonly apiVersion: string;
  /** `system:serviceaccount:shop:default`; undefined: with weeder's own rights (A15). */
  readonly account: string | undefined;
}

/** What was applied last, or is to be. */
export interface Wanted {
  readonly manifest: Manifest;
  readonly shape: Shape;
}

/** All that is needed to make one resource what its manifest says, and to keep it so. */
export interface ResourcePlan extends Wanted {
  readonly target: Target;
  readonly structure: At;
  readonly owner: ApplicationOwner;
  /** Of manifest and shape. */
  readonly hash: string;
  /** Whether it may be deleted and made anew when a field that can never be changed is another one (A19). */
  readonly mayRecreate: boolean;
  /** What was applied last, where that is known. */
  readonly before?: Wanted;
}

/** What an apply came to. */
export interface Applied {
  /** The API server's reply: the observed part of it is what is wanted from now on (A6). */
  readonly object: JsonObject;
  /** The reply has another resourceVersion than what was there before. False: admission keeps it as it is. */
  readonly hasChanged: boolean;
}
