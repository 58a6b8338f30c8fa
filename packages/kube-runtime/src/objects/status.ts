import { arrayOf, type JsonObject, objectOf } from '../base/json.ts';

/** The conditions in the status of an object that are true. */
export function trueConditions(status: JsonObject): JsonObject[] {
  return arrayOf(status['conditions'])
    .map(objectOf)
    .filter((condition) => condition['status'] === 'True');
}

/** The statuses of the containers of a pod, with those of its init containers first. */
export function containerStatusesOf(podStatus: JsonObject): JsonObject[] {
  return [...arrayOf(podStatus['initContainerStatuses']), ...arrayOf(podStatus['containerStatuses'])].map(objectOf);
}

/** Whether a pod works as a whole: its containers and sidecars run, and are ready. */
export function isPodReady(podStatus: JsonObject): boolean {
  return trueConditions(podStatus).some(({ type }) => type === 'Ready');
}
