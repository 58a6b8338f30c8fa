import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '../../base/json.ts';
import type { WorkloadKind } from '../../kube/objects/workloadKinds.ts';

/** What a workload's controller says of its pods, in one set of words for the three kinds that are rolled out. */
export interface WorkloadStatus {
  /** The generation that it is about; undefined: of a kind that has none, or nothing is said yet. */
  readonly observedGeneration: number | undefined;
  /** Pods in all; for a DaemonSet, nodes with one. A StatefulSet's ending pods count until they are gone. */
  readonly pods: number;
  /** Those with the newest template. */
  readonly updated: number;
  /** Those that have been ready for `minReadySeconds`, whatever their template. */
  readonly available: number;
  /** Names of a StatefulSet's revisions: that of before the rollout, and the newest. The same when it is over. */
  readonly currentRevision: string | undefined;
  readonly updateRevision: string | undefined;
  /** How often a DaemonSet's template has changed; its pods are labelled with it. */
  readonly templateGeneration: string | undefined;
  /** A Deployment's own `progressDeadlineSeconds` have passed. */
  readonly isOverdue: boolean;
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
};

/** Reads a workload's `status`. A DaemonSet's annotations say the number of its template. */
export function readStatus(status: JsonObject, annotations: JsonObject, kind: WorkloadKind): WorkloadStatus {
  const count = (name: string): number => numberOf(status[name]) ?? 0;
  const observed = { ...nothing, observedGeneration: numberOf(status['observedGeneration']) };
  switch (kind) {
    case 'Deployment':
      return { ...observed, ...replicaCounts(count), isOverdue: isOverdue(status) };
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
