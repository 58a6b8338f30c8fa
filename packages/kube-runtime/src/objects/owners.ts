import { arrayOf, type JsonObject, objectOf, textOf } from '../base/json.ts';
import { apiVersionIn, kindIn, nameIn, uidIn } from './foreignText.ts';

/** The controller of an object. A part is undefined if the reference does not have it, as in a recording. */
export interface ControllerRef {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly name: string | undefined;
  readonly uid: string | undefined;
}

/** Recordings have these. */
const identifying = ['kind', 'name', 'uid'] as const;

/**
 * The controller of an object, by its metadata; an object has one at most. The API server does not verify owner
 * references: one with a kind, name or uid that no object can have counts as none.
 */
export function controllerOf(meta: JsonObject): ControllerRef | undefined {
  const reference = controllerReference(meta);
  if (reference === undefined) return undefined;
  const { apiVersion, kind, name, uid } = reference;
  const read = { apiVersion: apiVersionIn(apiVersion), kind: kindIn(kind), name: nameIn(name), uid: uidIn(uid) };
  const isPossible = identifying.every((part) => read[part] !== undefined || reference[part] === undefined);
  return isPossible ? read : undefined;
}

/** Whether the object has a controller, even if no object can be it. */
export function hasController(meta: JsonObject): boolean {
  return controllerReference(meta) !== undefined;
}

function controllerReference(meta: JsonObject): JsonObject | undefined {
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
