import { type JsonObject, numberOf } from '@weeder/kube-runtime/base';

/** The status that a workload's controller reports, in common terms for the kinds that are rolled out. */
export interface WorkloadStatus {
  /** The generation that the status is about; undefined: the kind has none, or nothing is reported yet. */
  readonly observedGeneration: number | undefined;
  /** All pods; for a DaemonSet, the nodes with one. A StatefulSet's terminating pods count until they are deleted. */
  readonly pods: number;
  /** Pods with the newest template. */
  readonly updated: number;
  /** Pods that have been ready for `minReadySeconds`, whatever their template. */
  readonly available: number;
  /**
   * A StatefulSet's revisions: the one before the rollout, and the newest. Both are the same when the rollout is over.
   */
  readonly currentRevision: string | undefined;
  readonly updateRevision: string | undefined;
  /** The template generation of a DaemonSet; its pods are labelled with it. */
  readonly templateGeneration: string | undefined;
  /** The Deployment's own `progressDeadlineSeconds` have passed. */
  readonly isOverdue: boolean;
  /**
   * Why its controller cannot create or delete pods, by the condition `ReplicaFailure`, such as `FailedCreate: pods
   * "web-1" is forbidden: exceeded quota: …`. The controllers of StatefulSets and DaemonSets set no conditions.
   */
  readonly replicaFailure: string | undefined;
}

/** Of a kind whose controller reports no progress of a template. */
export const noStatus: WorkloadStatus = {
  observedGeneration: undefined,
  pods: 0,
  updated: 0,
  available: 0,
  currentRevision: undefined,
  updateRevision: undefined,
  templateGeneration: undefined,
  isOverdue: false,
  replicaFailure: undefined,
};

/** What the statuses of Deployments and StatefulSets have in common. */
export function replicaStatus(status: JsonObject): WorkloadStatus {
  return {
    ...noStatus,
    observedGeneration: numberOf(status['observedGeneration']),
    pods: countOf(status, 'replicas'),
    updated: countOf(status, 'updatedReplicas'),
    available: countOf(status, 'availableReplicas'),
  };
}

/** 0 if the status has no such number. */
export function countOf(status: JsonObject, name: string): number {
  return numberOf(status[name]) ?? 0;
}
