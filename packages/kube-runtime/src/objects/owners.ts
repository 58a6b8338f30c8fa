import { arrayOf, type JsonObject, objectOf, textOf } from '../base/json.ts';

/** The owner reference of an object's controller, by the object's metadata. An object has one controller at most. */
export function controllerOf(meta: JsonObject): JsonObject | undefined {
  return arrayOf(meta['ownerReferences'])
    .map(objectOf)
    .find(({ controller }) => controller === true);
}

/**
 * The Deployment of a ReplicaSet, by the name of the ReplicaSet and the metadata of one of its pods: the Deployment
 * controller appends the label `pod-template-hash` to the name. Undefined: another owner has created the ReplicaSet.
 */
export function deploymentOf(replicaSet: string, podMeta: JsonObject): string | undefined {
  const hash = textOf(objectOf(podMeta['labels'])['pod-template-hash']);
  return hash !== undefined && replicaSet.endsWith(`-${hash}`) ? replicaSet.slice(0, -hash.length - 1) : undefined;
}
