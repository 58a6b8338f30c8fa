import { type JsonObject, objectOf, textOf, timeOf } from '@weeder/kube-runtime/base';
import { nameIn, shortTextIn, uidIn, uidOf } from '@weeder/kube-runtime/objects';

/** An object that creates pods. */
export interface PodOwner {
  readonly kind: OwnerKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A controller could not create a pod of its object. */
export interface FailedCreate {
  readonly owner: PodOwner;
  /** The webhook that could not be called. Undefined: the creation failed for another reason, such as a quota. */
  readonly webhook: string | undefined;
  /** Of the newest attempt that the Event counts; epoch milliseconds by the clock of the controller. */
  readonly at: number;
  /** Identifies the Event. */
  readonly event: string;
  /** Another value says that the creation has failed again. */
  readonly version: string;
}

/** By kind: the version of its API. */
export const ownerApis = {
  ReplicaSet: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  Job: 'batch/v1',
  ReplicationController: 'v1',
} as const;
export type OwnerKind = keyof typeof ownerApis;

/**
 * Reads an Event of `v1` with the reason FailedCreate. Undefined: weeder does not help its object. The API server does
 * not verify what an Event says of an object, except that both are in one namespace.
 */
export function failedCreateOf(object: unknown): FailedCreate | undefined {
  const event = objectOf(object);
  const { namespace: home, resourceVersion } = objectOf(event['metadata']);
  const { kind, namespace, name, uid } = objectOf(event['involvedObject']);
  const known = { namespace: nameIn(namespace), name: nameIn(name), uid: uidIn(uid) };
  if (event['reason'] !== 'FailedCreate' || !isOwnerKind(kind) || namespace !== home) return undefined;
  if (known.namespace === undefined || known.name === undefined || known.uid === undefined) return undefined;
  return {
    owner: { kind, namespace: known.namespace, name: known.name, uid: known.uid },
    webhook: webhookIn(event['message']),
    at: newestTimeOf(event),
    event: uidOf(event),
    version: textOf(resourceVersion) ?? '',
  };
}

const call = /failed calling webhook "([^"]+)"/;

function webhookIn(message: unknown): string | undefined {
  return nameIn(callIn(message)?.[1]);
}

/** The part of a message from which the webhook is read; empty if it has none. */
export function callFailure(message: unknown): string {
  return callIn(message)?.[0] ?? '';
}

/** A match is a slice: of the copy, it keeps no more than that in memory. */
function callIn(message: unknown): RegExpExecArray | null {
  return call.exec(shortTextIn(message) ?? '');
}

function newestTimeOf(event: JsonObject): number {
  const times = [objectOf(event['series'])['lastObservedTime'], event['lastTimestamp'], event['eventTime']];
  return times.map(timeOf).find((time) => time !== undefined) ?? 0;
}

function isOwnerKind(kind: unknown): kind is OwnerKind {
  return typeof kind === 'string' && Object.hasOwn(ownerApis, kind);
}
