import type { JsonObject } from '../../base/json.ts';
import type { Clock } from '../../clock/clock.ts';
import { type KubeObject, withMeta } from '../meta/objects.ts';
import type { Resource } from '../registry/resource.ts';
import { type Collection, collection } from './collection.ts';

/** The objects of all resources under one resourceVersion, as in etcd. It does not validate them. */
export interface Storage {
  readonly clock: Clock;
  /** Returns numbers from 0 up to 1, for generated names. */
  readonly random: () => number;
  /** Called with the defaulted fields of each write, dry runs included. */
  readonly admit: Admit;
  readonly resources: readonly Resource[];
  /** The resourceVersion of the last change. */
  readonly version: number;
  collectionOf(resource: Resource): Collection;
  /** Starts to serve a resource. */
  serve(resource: Resource): void;
  /** Stops serving a resource, and deletes its objects unless a new definition replaces it. */
  stopServing(resource: Resource, isReplaced: boolean): void;
  /** Stores an object under the next resourceVersion, and returns it. */
  put(resource: Resource, object: KubeObject): KubeObject;
  /** Removes an object, and returns it with the resourceVersion of the deletion. */
  remove(resource: Resource, object: KubeObject): KubeObject;
  /** Discards the history: requests that need it get 410. */
  compact(): void;
  /**
   * Restores the state at an earlier version that the history covers, as from a backup of etcd. Open watches and the
   * listeners do not learn of it.
   */
  restore(earlier: number): void;
  /** Calls the listener for each stored or removed object. */
  onChange(listener: ChangeListener): void;
}

/** Returns the fields as admission changes them; `old` is the replaced object. */
export type Admit = (resource: Resource, fields: JsonObject, old: KubeObject | undefined) => JsonObject;

export const admitUnchanged: Admit = (_resource, fields) => fields;

type ChangeListener = (resource: Resource, object: KubeObject, isRemoved: boolean) => void;

interface StorageOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly admit?: Admit;
  readonly resources: readonly Resource[];
  /** The number of changes stored per resource, from which watches can resume. */
  readonly historyLimit: number;
}

export function createStorage({ clock, random, resources, historyLimit, ...more }: StorageOptions): Storage {
  const { admit = admitUnchanged } = more;
  const collections = new Map<string, Collection>();
  const listeners: ChangeListener[] = [];
  let served = resources;
  let version = 1;

  for (const { storage } of resources) {
    if (!collections.has(storage)) collections.set(storage, collection(historyLimit));
  }

  function collectionOf(resource: Resource): Collection {
    const objects = collections.get(resource.storage);
    if (objects === undefined) throw new Error(`no storage of ${resource.storage}`);
    return objects;
  }

  function numbered(object: KubeObject): KubeObject {
    version += 1;
    return withMeta(object, { resourceVersion: String(version) });
  }

  return {
    clock,
    random,
    admit,
    get resources() {
      return served;
    },
    collectionOf,
    serve(resource) {
      served = [...served, resource];
      if (collections.has(resource.storage)) return;
      const objects = collection(historyLimit);
      // A watch from an earlier version may have missed changes.
      objects.history.compact(version);
      collections.set(resource.storage, objects);
    },
    stopServing(resource, isReplaced) {
      served = served.filter((each) => each !== resource);
      if (!isReplaced) collections.delete(resource.storage);
    },
    put(resource, object) {
      const objects = collectionOf(resource);
      const isKnown = objects.get(object.metadata.namespace ?? '', object.metadata.name) !== undefined;
      const stored = numbered(object);
      objects.apply(isKnown ? 'MODIFIED' : 'ADDED', stored, version);
      for (const listener of listeners) listener(resource, stored, false);
      return stored;
    },
    remove(resource, object) {
      const last = numbered(object);
      collectionOf(resource).apply('DELETED', last, version);
      for (const listener of listeners) listener(resource, last, true);
      return last;
    },
    compact() {
      for (const { history } of collections.values()) history.compact(version);
    },
    restore(earlier) {
      for (const each of collections.values()) each.restore(earlier);
      version = earlier;
    },
    onChange: (listener) => void listeners.push(listener),
    get version() {
      return version;
    },
  };
}
