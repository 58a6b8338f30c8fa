import type { JsonObject } from '../../base/json.ts';
import { type KubeObject, withMeta } from '../meta/objects.ts';
import { remove } from '../registry/delete.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import type { Storage } from '../storage/storage.ts';

/** An object that another one owns. */
interface Dependant {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

/**
 * Starts the garbage collector. It deletes dependants after their last owner (background) or before it (foreground), or
 * removes their owner references (orphan). Owners of kinds that the server does not serve count as existing.
 */
export function startGarbageCollector(storage: Storage): void {
  /** By the uid of the owner, and then by the uid of the dependant. */
  const dependants = new Map<string, Map<string, Dependant>>();
  /** The owner references by the uid of the dependant. */
  const references = new Map<string, readonly JsonObject[]>();

  function track(resource: Resource, { metadata }: KubeObject, isRemoved: boolean): void {
    const { uid, name, namespace = '', ownerReferences } = metadata;
    const previous = references.get(uid);
    if (previous === ownerReferences && !isRemoved) return;
    for (const { uid: owner } of previous ?? []) dependants.get(String(owner))?.delete(uid);
    references.delete(uid);
    if (isRemoved || ownerReferences === undefined) return;
    references.set(uid, ownerReferences);
    for (const { uid: owner } of ownerReferences) {
      const owned = dependants.get(String(owner)) ?? new Map<string, Dependant>();
      dependants.set(String(owner), owned.set(uid, { resource, namespace, name }));
    }
  }

  function ownedBy(uid: string): readonly Dependant[] {
    return [...(dependants.get(uid)?.values() ?? [])];
  }

  function exists(reference: JsonObject, namespace: string): boolean {
    const { apiVersion, kind, name, uid } = reference;
    const resource = storage.resources.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
    if (resource === undefined) return true;
    const ownerNamespace = resource.isNamespaced ? namespace : '';
    return storage.collectionOf(resource).get(ownerNamespace, String(name))?.metadata.uid === uid;
  }

  function current({ resource, namespace, name }: Dependant): KubeObject | undefined {
    return storage.collectionOf(resource).get(namespace, name);
  }

  /** Deletes a dependant if none of its owners exists. */
  function collect(dependant: Dependant): void {
    const { resource, namespace, name } = dependant;
    const refs = current(dependant)?.metadata.ownerReferences ?? [];
    if (refs.length > 0 && !refs.some((each) => exists(each, namespace))) remove(storage, resource, namespace, name);
  }

  function removeFinalizer({ resource, namespace, name }: Dependant, finalizer: string): void {
    const object = storage.collectionOf(resource).get(namespace, name);
    if (object === undefined) return;
    const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    const updated = withMeta(object, { finalizers });
    const isBlocked = finalizers.length > 0 || (object.metadata.deletionGracePeriodSeconds ?? 0) > 0;
    if (isBlocked) storage.put(resource, updated);
    else storage.remove(resource, object);
  }

  function completeDeletion(owner: Dependant, uid: string): void {
    const finalizers = current(owner)?.metadata.finalizers ?? [];
    if (finalizers.includes(orphan)) {
      for (const dependant of ownedBy(uid)) removeOwnerReference(dependant, uid);
      removeFinalizer(owner, orphan);
    } else if (finalizers.includes(foreground)) {
      for (const { resource, namespace, name } of ownedBy(uid)) remove(storage, resource, namespace, name);
      if (ownedBy(uid).length === 0) removeFinalizer(owner, foreground);
    }
  }

  function removeOwnerReference(dependant: Dependant, owner: string): void {
    const object = current(dependant);
    if (object === undefined) return;
    const ownerReferences = object.metadata.ownerReferences?.filter(({ uid }) => uid !== owner);
    storage.put(dependant.resource, withMeta(object, { ownerReferences }));
  }

  storage.onChange((resource, object, isRemoved) => {
    const { uid, name, namespace = '', ownerReferences, deletionTimestamp, finalizers } = object.metadata;
    const changed: Dependant = { resource, namespace, name };
    track(resource, object, isRemoved);
    // Deferred, because a controller learns of a change through a watch.
    if (!isRemoved && deletionTimestamp !== undefined && finalizers !== undefined) {
      queueMicrotask(() => completeDeletion(changed, uid));
    }
    if (!isRemoved && ownerReferences !== undefined) queueMicrotask(() => collect(changed));
    if (!isRemoved) return;
    const owned = ownedBy(uid);
    dependants.delete(uid);
    if (owned.length > 0) queueMicrotask(() => owned.forEach(collect));
    for (const reference of ownerReferences ?? []) queueMicrotask(() => completeDeletionOf(reference, namespace));
  });

  /** Continues the foreground deletion of an owner after the deletion of a dependant. */
  function completeDeletionOf({ apiVersion, kind, name, uid }: JsonObject, namespace: string): void {
    const resource = storage.resources.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
    if (resource === undefined) return;
    const owner = { resource, namespace: resource.isNamespaced ? namespace : '', name: String(name) };
    const object = current(owner);
    if (object === undefined || object.metadata.uid !== uid) return;
    if (object.metadata.deletionTimestamp !== undefined) completeDeletion(owner, object.metadata.uid);
  }
}
