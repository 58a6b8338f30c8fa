import { numberOf, objectOf } from '../../base/json.ts';
import { failed, ok } from '../../base/result.ts';
import { type KubeObject, type ObjectMeta, timestamp, withMeta } from '../meta/objects.ts';
import { notFound, type Outcome, preconditionFailed, type Status } from '../meta/status.ts';
import type { Storage } from '../storage/storage.ts';
import { namespaces, pods } from '../strategies/resources.ts';
import type { Resource } from './resource.ts';

/** The supported part of metav1.DeleteOptions. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  /** `Foreground` and `Orphan` add a finalizer, which the garbage collector removes. */
  readonly propagationPolicy?: string | undefined;
  readonly dryRun?: boolean;
}

/** The object in its last state if it is deleted, or else terminating. */
export interface Removed {
  readonly object: KubeObject;
  readonly isDeleted: boolean;
}

/**
 * Deletes an object, at once or after its grace period and finalizers. Fails with 404, or 409 if a precondition does
 * not hold.
 */
export function remove(
  storage: Storage,
  resource: Resource,
  namespace: string,
  name: string,
  options: DeleteOptions = {},
): Outcome<Removed> {
  const current = storage.collectionOf(resource).get(namespace, name);
  if (current === undefined) return failed(notFound(resource, name));
  const refused = preconditionError(resource, current, options);
  if (refused !== undefined) return failed(refused);
  const terminating = terminatingObject(storage, resource, current, options);
  const isBlocked = terminating.metadata.finalizers !== undefined || resource === namespaces;
  const isDeleted = !isBlocked && (terminating.metadata.deletionGracePeriodSeconds ?? 0) === 0;
  if (options.dryRun) return ok({ object: terminating, isDeleted });
  // A pod is stored as terminating before it is removed, even without a grace period.
  const latest =
    terminating !== current && (!isDeleted || resource.isGraceful) ? storage.put(resource, terminating) : current;
  return ok(isDeleted ? { object: storage.remove(resource, latest), isDeleted } : { object: latest, isDeleted });
}

function preconditionError(
  resource: Resource,
  { metadata }: KubeObject,
  { uid, resourceVersion }: DeleteOptions,
): Status | undefined {
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    return preconditionFailed(resource, metadata.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    return preconditionFailed(resource, metadata.name, why);
  }
  return undefined;
}

/** Returns the object as terminating; unchanged if it is terminating already and its grace period is not shortened. */
function terminatingObject(
  storage: Storage,
  resource: Resource,
  current: KubeObject,
  options: DeleteOptions,
): KubeObject {
  const { metadata } = current;
  const now = storage.clock.now();
  const isFirst = metadata.deletionTimestamp === undefined;
  const grace = resource === pods ? graceOf(current, options) : 0;
  const isShorter = grace < (metadata.deletionGracePeriodSeconds ?? 0);
  if (!isFirst && !isShorter) return current;
  const terminating: Partial<ObjectMeta> = {
    deletionTimestamp: timestamp(now + grace * 1_000),
    ...(resource === namespaces ? {} : { deletionGracePeriodSeconds: grace }),
    ...(isFirst && metadata.generation !== undefined ? { generation: metadata.generation + 1 } : {}),
    finalizers: [
      ...(metadata.finalizers ?? []),
      ...(resource.deletionFinalizer === undefined ? [] : [resource.deletionFinalizer]),
      ...policyFinalizers(options),
    ],
  };
  const updated = withMeta(current, terminating);
  return resource === namespaces ? { ...updated, status: { phase: 'Terminating' } } : updated;
}

/** A pod without a node, or one that has finished, needs no grace period. */
function graceOf({ spec, status }: KubeObject, { gracePeriodSeconds }: DeleteOptions): number {
  const { nodeName, terminationGracePeriodSeconds } = objectOf(spec);
  const phase = objectOf(status)['phase'];
  if (!nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  const requested = gracePeriodSeconds ?? numberOf(terminationGracePeriodSeconds) ?? 30;
  return requested < 0 ? 1 : requested;
}

function policyFinalizers({ propagationPolicy }: DeleteOptions): readonly string[] {
  if (propagationPolicy === 'Foreground') return ['foregroundDeletion'];
  return propagationPolicy === 'Orphan' ? ['orphan'] : [];
}
