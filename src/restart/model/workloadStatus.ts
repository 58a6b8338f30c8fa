import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { truncate } from '../../base/truncate.ts';
import { trueConditions } from '../../kube/objects/status.ts';
import type { WorkloadKind } from '../../kube/objects/workloadKinds.ts';

/** The status that a workload's controller reports, in common terms for the three kinds that are rolled out. */
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

const nothing: WorkloadStatus = {
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

/** A message may quote a whole response of the API server. Bytes. */
const longestMessage = 300;

/** Reads a workload's `status`. A DaemonSet's template generation is in its annotations. */
export function readStatus(status: JsonObject, annotations: JsonObject, kind: WorkloadKind): WorkloadStatus {
  const count = (name: string): number => numberOf(status[name]) ?? 0;
  const observed = { ...nothing, observedGeneration: numberOf(status['observedGeneration']) };
  switch (kind) {
    case 'Deployment':
      return {
        ...observed,
        ...replicaCounts(count),
        isOverdue: isOverdue(status),
        replicaFailure: replicaFailureIn(status),
      };
    case 'StatefulSet':
      return {
        ...observed,
        ...replicaCounts(count),
        currentRevision: textOf(status['currentRevision']),
        updateRevision: textOf(status['updateRevision']),
      };
    case 'DaemonSet':
      return {
        ...observed,
        pods: count('currentNumberScheduled'),
        updated: count('updatedNumberScheduled'),
        available: count('numberAvailable'),
        templateGeneration: textOf(annotations['deprecated.daemonset.template.generation']),
      };
    case 'CronJob':
    case 'Job':
      return nothing;
  }
}

function replicaCounts(count: (name: string) => number) {
  return { pods: count('replicas'), updated: count('updatedReplicas'), available: count('availableReplicas') };
}

function isOverdue(status: JsonObject): boolean {
  return arrayOf(status['conditions']).some((each) => objectOf(each)['reason'] === 'ProgressDeadlineExceeded');
}

function replicaFailureIn(status: JsonObject): string | undefined {
  const failure = trueConditions(status).find(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) return undefined;
  const text = [textOf(failure['reason']), textOf(failure['message'])].filter((each) => each !== undefined).join(': ');
  return printable(truncate(text, longestMessage));
}
