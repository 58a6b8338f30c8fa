import { isObject, type JsonObject } from '../../base/json.ts';

/** A stored metav1.ObjectMeta. Times are RFC 3339 with whole seconds. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string | undefined;
  /** Undefined for cluster-scoped objects. */
  readonly namespace?: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number | undefined;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences?: readonly JsonObject[] | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly managedFields?: readonly JsonObject[] | undefined;
}

/** A stored object. It is immutable: each change creates a new object. */
export interface KubeObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** An object as sent by a client, whose metadata may be incomplete. */
export interface Draft {
  readonly metadata: Readonly<Partial<ObjectMeta>>;
  readonly [field: string]: unknown;
}

/**
 * Orders the metadata as kube-apiserver does, and omits empty fields. Clients read name, uid and resourceVersion from
 * the first bytes of a watch line.
 */
export function orderedMeta(meta: ObjectMeta): ObjectMeta {
  return {
    name: meta.name,
    generateName: meta.generateName || undefined,
    namespace: meta.namespace || undefined,
    uid: meta.uid,
    resourceVersion: meta.resourceVersion,
    generation: meta.generation || undefined,
    creationTimestamp: meta.creationTimestamp,
    deletionTimestamp: meta.deletionTimestamp || undefined,
    deletionGracePeriodSeconds: meta.deletionGracePeriodSeconds ?? undefined,
    labels: hasAny(meta.labels) ? meta.labels : undefined,
    annotations: hasAny(meta.annotations) ? meta.annotations : undefined,
    ownerReferences: hasAny(meta.ownerReferences) ? meta.ownerReferences : undefined,
    finalizers: hasAny(meta.finalizers) ? meta.finalizers : undefined,
    managedFields: hasAny(meta.managedFields) ? meta.managedFields : undefined,
  };
}

/** Returns the object with changed metadata. */
export function withMeta(object: KubeObject, change: Partial<ObjectMeta>): KubeObject {
  return { ...object, metadata: orderedMeta({ ...object.metadata, ...change }) };
}

/** Formats a time as metav1.Time. */
export function timestamp(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -5)}Z`;
}

/** Returns the value at a path such as `spec.nodeName` as text; empty if there is none. */
export function textAt(object: KubeObject, path: readonly string[]): string {
  let value: unknown = object;
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function hasAny(value: object | undefined): boolean {
  return value !== undefined && value !== null && Object.keys(value).length > 0;
}
