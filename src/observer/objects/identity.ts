import type { ExactInteger, JsonObject } from '@weeder/kube-runtime/base';

/** Identifies an object. It has no apiVersion, because the object is the same under all versions. */
export interface Identity {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** A JSON value. */
export type Json = null | boolean | number | ExactInteger | string | readonly Json[] | { readonly [key: string]: Json };

/** One object of an application's manifests, with its namespace resolved. */
export interface Manifest {
  readonly identity: Identity;
  readonly apiVersion: string;
  /** Without status. A Secret's `stringData` is merged into `data`. The namespace is set if the kind is namespaced. */
  readonly object: JsonObject;
}

/** Unique among all objects: `apps/Deployment/shop/web`. */
export function identityKey({ group, kind, namespace, name }: Identity): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

/** For users: `Deployment shop/web`, `Namespace shop`, and `Widget.example.org shop/web` for a custom resource. */
export function identityText({ group, kind, namespace, name }: Identity): string {
  return `${kindText({ group, kind })} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** `Deployment`, and `Widget.example.org` for a custom resource. */
export function kindText({ group, kind }: Pick<Identity, 'group' | 'kind'>): string {
  return isBuiltIn(group) ? kind : `${kind}.${group}`;
}

/** The groups of Kubernetes itself have no dot, or a suffix that is reserved for them. */
export function isBuiltIn(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}
