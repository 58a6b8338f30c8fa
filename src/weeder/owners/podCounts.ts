import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { OwnerKind } from './failedCreate.ts';

/** The pods of an object, as the API server serves it: by its status, and by its spec. */
interface PodCounts {
  readonly existing: number;
  readonly wanted: number;
}

/** Of an object that is deleted, and of a Job that is suspended or has ended, no pods are wanted. */
export function podCountsOf(kind: OwnerKind, object: JsonObject): PodCounts {
  const [spec, status] = [objectOf(object['spec']), objectOf(object['status'])];
  const isTerminating = objectOf(object['metadata'])['deletionTimestamp'] !== undefined;
  const { existing, wanted } = countsBy[kind](spec, status);
  return { existing, wanted: isTerminating ? 0 : wanted };
}

const byReplicas = (spec: JsonObject, status: JsonObject): PodCounts => ({
  existing: numberOf(status['replicas']),
  wanted: numberOf(spec['replicas'], 1),
});

const countsBy: Readonly<Record<OwnerKind, (spec: JsonObject, status: JsonObject) => PodCounts>> = {
  ReplicaSet: byReplicas,
  StatefulSet: byReplicas,
  ReplicationController: byReplicas,
  DaemonSet: (_spec, status) => ({
    existing: numberOf(status['currentNumberScheduled']),
    wanted: numberOf(status['desiredNumberScheduled']),
  }),
  Job: (spec, status) => ({ existing: numberOf(status['active']), wanted: wantedByJob(spec, status) }),
};

/** Without `completions`, a Job needs no further pods once one has succeeded. */
function wantedByJob(spec: JsonObject, status: JsonObject): number {
  const { suspend, completions, parallelism } = spec;
  const conditions = Array.isArray(status['conditions']) ? status['conditions'].map(objectOf) : [];
  const hasEnded = conditions.some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
  if (suspend === true || hasEnded) return 0;
  const [atOnce, succeeded] = [numberOf(parallelism, 1), numberOf(status['succeeded'])];
  if (typeof completions !== 'number') return succeeded > 0 ? 0 : atOnce;
  return Math.min(atOnce, completions - succeeded);
}

function numberOf(value: unknown, otherwise = 0): number {
  return typeof value === 'number' ? value : otherwise;
}
