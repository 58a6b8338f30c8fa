import { type JsonObject, textOf, objectOf as valuesOf } from '../base/json.ts';
import { ok } from '../base/result.ts';
import { decode } from './meta/decode.ts';
import type { KubeObject } from './meta/objects.ts';
import type { Outcome } from './meta/status.ts';
import { patch } from './patch/patch.ts';
import { type ApplyOptions, apply } from './registry/apply.ts';
import type { WriteOptions } from './registry/assemble.ts';
import { create } from './registry/create.ts';
import { type DeleteOptions, type Removed, remove } from './registry/delete.ts';
import { evict } from './registry/evict.ts';
import type { Resource } from './registry/resource.ts';
import { replace, type Updated } from './registry/update.ts';
import { type LabelSelector, matchesSelector } from './selectors/matchesSelector.ts';
import type { Selection } from './selectors/selection.ts';
import { openCursor } from './storage/cursor.ts';
import type { ChangeType } from './storage/history.ts';
import type { Storage } from './storage/storage.ts';

/** Selects objects: undefined means all namespaces, or all labels. */
interface ListFilter {
  readonly namespace?: string;
  readonly labelSelector?: LabelSelector;
}

/**
 * The API without HTTP, for controllers in the same process. The same rules apply, and a failure is the same Status.
 * Objects are immutable: neither the server nor a reader changes one in place.
 */
export interface ApiStore {
  /** The resourceVersion of the last change. */
  readonly resourceVersion: string;
  get(resource: Resource, namespace: string, name: string): KubeObject | undefined;
  list(resource: Resource, which?: ListFilter): readonly KubeObject[];
  /** Returns the objects whose controller is this owner. Takes no longer if there are others. */
  ownedBy(resource: Resource, owner: KubeObject): readonly KubeObject[];
  /**
   * Reports each existing object as ADDED and then each change, in order and asynchronously. Returns a function that
   * ends the watch. `onEvent` may write.
   */
  watch(resource: Resource, which: ListFilter, onEvent: (type: ChangeType, object: KubeObject) => void): () => void;
  /** Creates an object in `object.metadata.namespace`. Fails with 400, 403, 404, 409, 422. */
  create(resource: Resource, object: JsonObject, options?: WriteOptions): Outcome<KubeObject>;
  /** Replaces an object (PUT). Fails with 409 if its resourceVersion is not the latest. */
  update(resource: Resource, object: KubeObject, options?: WriteOptions): Outcome<KubeObject>;
  /** Applies a JSON merge patch. */
  patch(
    resource: Resource,
    namespace: string,
    name: string,
    body: JsonObject,
    options?: WriteOptions,
  ): Outcome<KubeObject>;
  /** Server-side apply: fails with 409 if it would change a field of another manager, unless it is forced. */
  apply(resource: Resource, body: JsonObject, options: ApplyOptions): Outcome<KubeObject>;
  delete(resource: Resource, namespace: string, name: string, options?: DeleteOptions): Outcome<Removed>;
  evict(namespace: string, name: string, options?: DeleteOptions): Outcome<Removed>;
  /** Discards the history: older watches and continue tokens get 410, as after a compaction of etcd. */
  compact(): void;
}

export function apiStore(storage: Storage): ApiStore {
  return {
    get resourceVersion() {
      return String(storage.version);
    },
    get: (resource, namespace, name) => storage.collectionOf(resource).get(namespace, name),
    list(resource, which = {}) {
      const selection = selectionOf(which);
      return [...storage.collectionOf(resource).scan({ namespace: which.namespace })].filter(selection.matches);
    },
    ownedBy: (resource, { metadata: { namespace = '', uid } }) =>
      storage.collectionOf(resource).controlledBy(namespace, uid),
    watch: (resource, which, onEvent) => follow(storage, resource, selectionOf(which), onEvent),
    create(resource, object, options) {
      const draft = decode(resource, object);
      if (!draft.ok) return draft;
      return create(storage, resource, draft.value.metadata.namespace ?? '', draft.value, options);
    },
    update(resource, object, options) {
      const { namespace = '', name } = object.metadata;
      return objectOf(replace(storage, resource, namespace, name, object, options));
    },
    patch: (resource, namespace, name, body, options) =>
      objectOf(patch(storage, resource, namespace, name, 'application/merge-patch+json', body, options)),
    apply(resource, body, options) {
      const { namespace, name } = valuesOf(body['metadata']);
      return objectOf(apply(storage, resource, textOf(namespace) ?? '', textOf(name) ?? '', body, options));
    },
    delete: (resource, namespace, name, options) => remove(storage, resource, namespace, name, options),
    evict: (namespace, name, options) => evict(storage, namespace, name, options),
    compact: storage.compact,
  };
}

function objectOf(updated: Outcome<Updated>): Outcome<KubeObject> {
  return updated.ok ? ok(updated.value.object) : updated;
}

function selectionOf({ namespace, labelSelector }: ListFilter): Selection {
  return {
    namespace,
    matches: ({ metadata }) => labelSelector === undefined || matchesSelector(labelSelector, metadata.labels),
    isAll: labelSelector === undefined,
  };
}

function follow(
  storage: Storage,
  resource: Resource,
  selection: Selection,
  onEvent: (type: ChangeType, object: KubeObject) => void,
): () => void {
  let isOpen = true;
  const pump = () => {
    while (isOpen) {
      const item = cursor?.next();
      if (item === undefined || item === 'waiting' || item === 'expired') return;
      if (item !== 'initialEnd') onEvent(item.type, item.object);
    }
  };
  const cursor = openCursor(storage, resource, selection, 'now', () => queueMicrotask(pump));
  queueMicrotask(pump);
  return () => {
    isOpen = false;
    cursor?.close();
  };
}
