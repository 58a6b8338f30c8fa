import type { ExactInteger } from '../../base/exactInteger.ts';
import type { JsonObject } from '../../base/json.ts';

/** Which object: never under which version of the API, for it is the same one under all of them. */
export interface Identity {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Empty for what is in no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** What JSON can say. */
export type Json = null | boolean | number | ExactInteger | string | readonly Json[] | { readonly [key: string]: Json };

/** One object of an application's manifests, with its namespace resolved. */
export interface Manifest {
  readonly identity: Identity;
  readonly apiVersion: string;
  /** Without status; a Secret's `stringData` is in `data`; with its namespace where it has one. */
  readonly object: JsonObject;
}

/** Unique among all objects: `apps/Deployment/shop/web`. */
export function identityKey({ group, kind, namespace, name }: Identity): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

/** For people: `Deployment shop/web`, `Namespace shop`, and `Widget.example.org shop/web` of what is not Kubernetes' own. */
export function identityText({ group, kind, namespace, name }: Identity): string {
  return `${kindText({ group, kind })} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** `Deployment`, and `Widget.example.org` of what is not Kubernetes' own. */
export function kindText({ group, kind }: Pick<Identity, 'group' | 'kind'>): string {
  return isBuiltIn(group) ? kind : `${kind}.${group}`;
}

/** Groups of Kubernetes' own are without a dot, or end as only they may. */
export function isBuiltIn(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}
