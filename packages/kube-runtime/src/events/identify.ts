import type { Clock } from '../base/clock.ts';
import { objectOf } from '../base/json.ts';
import { acceptOf } from '../client/accept.ts';
import type { KubeClient } from '../client/client.ts';
import { describeFailure } from '../client/describeFailure.ts';
import type { ApiFailure } from '../client/failure.ts';
import { apiPath } from '../objects/apiPath.ts';
import { controllerOf, hasController } from '../objects/owners.ts';
import { canExist } from './bounds.ts';
import type { ObjectRef } from './event.ts';
import { createPermissions, type Permissions } from './eventFailure.ts';
import type { EventLog } from './eventLosses.ts';

/**
 * Returns the object of an Event with its exact name and uid, if those are in the owner reference of what it controls
 * and that can be read; otherwise as it is. The promise never rejects.
 */
export type Identify = (object: ObjectRef, signal: AbortSignal) => Promise<ObjectRef>;

/** A kind of objects that controllers create for their pods, and that have a controller themselves. */
interface Intermediate {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

const intermediates: readonly Intermediate[] = [
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' },
  { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs' },
];

/** The Event waits for the response. Milliseconds. */
const timeoutMs = 2_000;

/** Whether the object may have a controller, by its kind. */
export function isIntermediate(object: ObjectRef): boolean {
  return intermediates.some((each) => isOf(each, object));
}

/**
 * Reads the metadata of the one object. A failure is logged once until a read succeeds; after a refusal, nothing is read
 * in the namespace for some minutes.
 */
export function identifyThrough(client: KubeClient, clock: Clock, log: EventLog): Identify {
  const sentence = 'the workload of an Event cannot be read; without its uid, kubectl describe does not show the Event';
  const kinds = intermediates.map((each) => ({ ...each, permission: createPermissions(clock, log, sentence) }));

  async function read(object: ObjectRef, signal: AbortSignal): Promise<ObjectRef | undefined> {
    const { namespace, name } = object;
    const kind = kinds.find((each) => isOf(each, object));
    if (!kind?.permission.mayTry(namespace)) return undefined;
    const path = apiPath(kind.apiVersion, kind.plural, { namespace, name });
    const form = { accept: acceptOf('metadata', 'get'), isConfidential: true };
    const result = await client.call({ method: 'GET', path, ...form, rank: 'last', timeoutMs, signal });
    if (!result.ok) recordFailure(kind.permission, namespace, result.failure);
    else kind.permission.allowed(namespace);
    return result.ok ? controllerIn(result.body, object) : undefined;
  }

  /** The object may be gone. Whatever else is no refusal may be over at the next attempt. */
  function recordFailure({ refused }: Permissions, namespace: string, failure: ApiFailure): void {
    const { type } = failure;
    if (type === 'notFound' || type === 'cancelled') return;
    refused(namespace, describeFailure(failure, client.server), type === 'forbidden' ? undefined : 0);
  }

  return async ({ controllerOf: controlled, ...object }, signal) =>
    controlled === undefined ? object : ((await read(controlled, signal)) ?? object);
}

function isOf(type: Intermediate, { apiVersion, kind }: ObjectRef): boolean {
  return type.apiVersion === apiVersion && type.kind === kind;
}

/** Returns the controller of this object, or the object itself if it has none. */
function controllerIn(body: unknown, object: ObjectRef): ObjectRef | undefined {
  const meta = objectOf(objectOf(body)['metadata']);
  if (meta['uid'] !== object.uid) return undefined;
  const controller = controllerOf(meta);
  if (controller === undefined) return hasController(meta) ? undefined : object;
  const { apiVersion, kind, name, uid } = controller;
  if (apiVersion === undefined || kind === undefined || name === undefined) return undefined;
  const found = { apiVersion, kind, namespace: object.namespace, name, uid };
  return canExist(found) ? found : undefined;
}
