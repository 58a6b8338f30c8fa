import { arrayOf, type JsonObject, objectOf } from './json.ts';

/** Returns the pod's condition of a type, or an empty object. */
export function conditionOf(pod: JsonObject, type: string): JsonObject {
  return objectOf(arrayOf(objectOf(pod['status'])['conditions']).find((each) => objectOf(each)['type'] === type));
}

export function isPodReady(pod: JsonObject): boolean {
  return conditionOf(pod, 'Ready')['status'] === 'True';
}
