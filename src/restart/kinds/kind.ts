import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { noStatus, type WorkloadStatus } from './workloadStatus.ts';

/**
 * How pods with an older template are replaced. `inPlace`: they stay if only annotations differ, so that a restart evicts
 * them. `partition`: only those with this ordinal or a higher one; `isCount`: all but this number of pods.
 */
export type UpdateStrategy =
  | 'rolling'
  | 'recreate'
  | 'onDelete'
  | 'inPlace'
  | { readonly partition: number; readonly isCount?: true };

/** What shows which workload created a pod, and with which template. */
interface PodOrigin {
  readonly owner: { readonly kind: string; readonly name: string; readonly uid: string } | undefined;
  readonly templateHash: string | undefined;
  readonly rolloutHash: string | undefined;
  readonly revision: string | undefined;
  readonly templateGeneration: string | undefined;
}

/**
 * Everything in which a kind of workload differs from the others, for restart control: one file for each kind, and no
 * other file compares kinds. A new kind of Kubernetes is a file here, and its row in
 * packages/kube-runtime/src/objects/workloadKinds.ts; another one with a descriptor of its own is a file and a row in
 * `kinds.ts`.
 */
export interface Kind {
  /** The fields that lead to its pod template. */
  readonly templatePath: readonly string[];
  /** The field that may name a workload of the same namespace, whose template then counts; undefined: it has none. */
  readonly templateReference?: readonly string[] | undefined;
  /** Its template may count for a workload that names it. */
  readonly sharesTemplate?: boolean;
  /**
   * How a restart is requested. `rollout`: by a change of the template, which its controller rolls out. `nextRun`: by
   * the same change, which reaches the pods of later runs only; the workload has no pods and no selector of its own.
   * `recreation`: the template is immutable, and a new object replaces the workload.
   */
  readonly restart: 'rollout' | 'nextRun' | 'recreation';
  /** A rollout is requested by the time in a field, and the template stays; undefined: by an annotation of the template. */
  readonly restartTimes?: RestartTimes | undefined;
  readonly isPaused: (spec: JsonObject) => boolean;
  readonly updateStrategy: (spec: JsonObject) => UpdateStrategy;
  /** The desired number of pods; 0 if it has none of its own. */
  readonly replicas: (spec: JsonObject, status: JsonObject) => number;
  readonly status: (status: JsonObject, annotations: JsonObject) => WorkloadStatus;
  /** Whether its controller reports the end of a rolling update, beside the numbers of pods. */
  readonly hasEndedUpdate: (status: WorkloadStatus) => boolean;
  /** Whether the workload created the pod, which is in its namespace. */
  readonly isOwner: (workload: { readonly name: string; readonly uid: string }, pod: PodOrigin) => boolean;
  /** Whether the pod has an older template, as far as the status names the newest one. */
  readonly hasOlderTemplate: (pod: PodOrigin, status: WorkloadStatus) => boolean;
  /** A rollout waits for each pod, also for one of the older template that cannot become ready. */
  readonly waitsForEachPod: boolean;
  /** Why its controller creates no further pods is only in Events: the number of missing pods leads to them. */
  readonly reportsByEvents: boolean;
  /** How all of its pods are removed at once, and return. */
  readonly emptying: Emptying;
}

/** The fields that lead to the time of the requested restart, and to that of the latest one that has ended. */
export interface RestartTimes {
  readonly requested: readonly string[];
  readonly ended: readonly string[];
}

interface Emptying {
  /** Volumes are deleted together with the pods. */
  readonly losesVolumes: (spec: JsonObject) => boolean;
  /** Whether the spec leaves no place for a pod. */
  readonly isEmpty: (spec: JsonObject, template: JsonObject) => boolean;
  /** The merge patch that removes the pods. */
  readonly empty: JsonObject;
  /** The merge patch that brings them back. `replicas`: as many as before; undefined: another client has scaled it. */
  readonly restore: (replicas: number | undefined) => JsonObject;
}

/** By `spec.replicas`. */
export const scaling: Emptying = {
  losesVolumes: (spec) => objectOf(spec['persistentVolumeClaimRetentionPolicy'])['whenScaled'] === 'Delete',
  isEmpty: (spec) => spec['replicas'] === 0,
  empty: { spec: { replicas: 0 } },
  restore: (replicas) => (replicas === undefined ? {} : { spec: { replicas } }),
};

/** Returns an object with the value at the end of this path, such as `templatePath`. */
export function below(path: readonly string[], value: JsonObject | string): JsonObject {
  return objectOf(path.reduceRight<JsonObject | string>((inner, field) => ({ [field]: inner }), value));
}

/** Returns what is at the end of this path. */
export function at(path: readonly string[], object: unknown): unknown {
  return path.reduce((value, field) => objectOf(value)[field], object);
}

/** Whether the pod names the workload as its controller. */
export function isController({ uid }: { readonly uid: string }, { owner }: PodOrigin): boolean {
  return owner?.uid === uid;
}

/** A kind whose controller does not replace running pods. */
export const withoutRollout = {
  isPaused: () => false,
  updateStrategy: () => 'rolling',
  status: () => noStatus,
  hasEndedUpdate: () => true,
  isOwner: isController,
  hasOlderTemplate: () => false,
  waitsForEachPod: false,
  reportsByEvents: false,
  emptying: scaling,
} as const satisfies Partial<Kind>;
