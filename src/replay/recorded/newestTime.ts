import { arrayOf, type JsonObject, largest, numberOf, objectOf, timeOf } from '@weeder/kube-runtime/base';
import { containerStatusesOf } from '@weeder/kube-runtime/objects';

const triggerTime = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Returns the newest time that the API server and the kubelet have written into an object; epoch milliseconds. */
export function newestTime({ metadata, status }: JsonObject): number | undefined {
  const meta = objectOf(metadata);
  const podStatus = objectOf(status);
  const states = containerStatusesOf(podStatus).flatMap(({ state, lastState }) => [state, lastState]);
  const named = [
    meta['creationTimestamp'],
    objectOf(meta['annotations'])[triggerTime],
    ...arrayOf(meta['managedFields']).map((field) => objectOf(field)['time']),
    ...arrayOf(podStatus['conditions']).map((condition) => objectOf(condition)['lastTransitionTime']),
    ...states.flatMap((state) => Object.values(objectOf(state)).flatMap(timesOfState)),
  ];
  return largest([...named.map(timeOf), deletionRequestedAt(meta)].filter((time) => time !== undefined));
}

/** Returns true if nothing has happened to the object since its creation, according to the times in it. */
export function isUnchangedSinceCreation(object: JsonObject): boolean {
  const createdAt = timeOf(objectOf(object['metadata'])['creationTimestamp']);
  return createdAt !== undefined && createdAt === newestTime(object);
}

/** `deletionTimestamp` is the end of the grace period. */
function deletionRequestedAt(meta: JsonObject): number | undefined {
  const ends = timeOf(meta['deletionTimestamp']);
  if (ends === undefined) return undefined;
  const grace = 1000 * (numberOf(meta['deletionGracePeriodSeconds']) ?? 0);
  return grace >= 0 && grace <= ends ? ends - grace : undefined;
}

function timesOfState(state: unknown): unknown[] {
  const { startedAt, finishedAt } = objectOf(state);
  return [startedAt, finishedAt];
}
