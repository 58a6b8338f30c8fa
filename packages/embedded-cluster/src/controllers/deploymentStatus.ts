import { type KubeObject, timestamp } from '../apiserver/meta/objects.ts';
import { type JsonObject, numberOf, objectOf, timeOf } from '../base/json.ts';
import { conditionOf } from '../base/podConditions.ts';
import { nonZero } from './reconciling.ts';
import { limitsOf } from './rollingUpdate.ts';

interface Sets {
  readonly current: KubeObject | undefined;
  readonly old: readonly KubeObject[];
}

interface Condition {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Calculates the status of a Deployment from its ReplicaSets. `now`: Unix ms. */
export function deploymentStatus(deployment: KubeObject, { current, old }: Sets, now: number): JsonObject {
  const sets = [...(current === undefined ? [] : [current]), ...old];
  const count = (field: string) => sets.reduce((total, set) => total + countOf(set['status'], field), 0);
  const available = count('availableReplicas');
  const desired = sets.reduce((total, set) => total + countOf(set['spec'], 'replicas'), 0);
  const counts = nonZero({
    replicas: count('replicas'),
    updatedReplicas: current === undefined ? 0 : countOf(current['status'], 'replicas'),
    readyReplicas: count('readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, desired - available),
  });
  const minimum = countOf(deployment['spec'], 'replicas') - limitsOf(deployment).unavailable;
  const hasProgressed = progressed(objectOf(deployment['status']), counts);
  return {
    observedGeneration: deployment.metadata.generation,
    ...counts,
    conditions: [
      written(deployment, 'Available', available >= minimum ? isAvailable : isUnavailable, now, false),
      written(
        deployment,
        'Progressing',
        progressBy(deployment, current, counts, hasProgressed, now),
        now,
        hasProgressed,
      ),
    ],
  };
}

/** Returns the deadline for the progress of a rollout, Unix ms; undefined if no rollout is in progress. */
export function progressDeadline(deployment: KubeObject): number | undefined {
  const { lastUpdateTime, reason } = conditionOf(deployment, 'Progressing');
  const since = timeOf(lastUpdateTime);
  const seconds = numberOf(objectOf(deployment['spec'])['progressDeadlineSeconds']);
  if (since === undefined || seconds === undefined || finalReasons.some((each) => each === reason)) return undefined;
  return since + seconds * 1_000;
}

const finalReasons = ['NewReplicaSetAvailable', 'DeploymentPaused', 'ProgressDeadlineExceeded'];
const isAvailable: Condition = {
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};
const isUnavailable: Condition = {
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};
const isPaused: Condition = { status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' };

function progressBy(
  deployment: KubeObject,
  current: KubeObject | undefined,
  counts: JsonObject,
  hasProgressed: boolean,
  now: number,
): Condition {
  const { paused, replicas } = objectOf(deployment['spec']);
  if (paused === true) return isPaused;
  const set = `ReplicaSet "${current?.metadata.name ?? ''}"`;
  const { replicas: totalReplicas = 0, updatedReplicas = 0, availableReplicas = 0 } = counts;
  if ([totalReplicas, updatedReplicas, availableReplicas].every((count) => count === replicas)) {
    return { status: 'True', reason: 'NewReplicaSetAvailable', message: `${set} has successfully progressed.` };
  }
  const before = conditionOf(deployment, 'Progressing');
  const isSame = String(before['message']).startsWith(set);
  // A completed rollout remains complete, even if its pods fail later.
  if (isSame && before['reason'] === 'NewReplicaSetAvailable') return conditionIn(before);
  const overdueAt = progressDeadline(deployment);
  const isOverdue = overdueAt !== undefined && overdueAt <= now;
  if (isSame && !hasProgressed && (isOverdue || before['reason'] === 'ProgressDeadlineExceeded')) {
    return { status: 'False', reason: 'ProgressDeadlineExceeded', message: `${set} has timed out progressing.` };
  }
  return { status: 'True', reason: 'ReplicaSetUpdated', message: `${set} is progressing.` };
}

function conditionIn({ status, reason, message }: JsonObject): Condition {
  const conditionStatus = (['True', 'False', 'Unknown'] as const).find((each) => each === status) ?? 'Unknown';
  return { status: conditionStatus, reason: String(reason), message: String(message) };
}

/** Progress means more new pods, fewer old ones, or more available ones. */
function progressed(before: JsonObject, now: JsonObject): boolean {
  const old = (counts: JsonObject) => countOf(counts, 'replicas') - countOf(counts, 'updatedReplicas');
  const grew = ['updatedReplicas', 'readyReplicas', 'availableReplicas'];
  return old(now) < old(before) || grew.some((field) => countOf(now, field) > countOf(before, field));
}

/** Sets lastTransitionTime and lastUpdateTime. */
function written(deployment: KubeObject, type: string, next: Condition, now: number, isChanged: boolean): JsonObject {
  const before = conditionOf(deployment, type);
  const isUpdated = isChanged || before['reason'] !== next.reason || before['message'] !== next.message;
  const keepsTime = next.reason === 'NewReplicaSetAvailable' && before['message'] === next.message;
  return {
    type,
    status: next.status,
    lastUpdateTime: isUpdated && !keepsTime ? timestamp(now) : before['lastUpdateTime'],
    lastTransitionTime: before['status'] === next.status ? before['lastTransitionTime'] : timestamp(now),
    reason: next.reason,
    message: next.message,
  };
}

function countOf(counts: unknown, field: string): number {
  return numberOf(objectOf(counts)[field]) ?? 0;
}
