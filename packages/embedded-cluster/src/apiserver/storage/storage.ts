import type { Clock } from '../../clock/clock.ts';
import { type KubeObject, withMeta } from '../meta/objects.ts';
import type { Resource } from '../registry/resource.ts';
import { type Collection, collection } from './collection.ts';

/** The objects of all resources under one resourceVersion, as etcd keeps them. Knows no rules. */
export interface Storage {
  readonly clock: Clock;
  /** Between 0 and 1, for generated names. */
  readonly random: () => number;
  readonly resources: readonly Resource[];
  /** The resourceVersion of the last change. */
  readonly version: number;
  collectionOf(resource: Resource): Collection;
  /** Serves another resource from now on. */
  serve(resource: Resource): void;
  /** Serves it no more; its objects are forgotten, unless another form of it is to follow. */
  withdraw(resource: Resource, isFollowed: boolean): void;
  /** Stores an object under the next resourceVersion, and gives it back with that. */
  put(resource: Resource, object: KubeObject): KubeObject;
  /** Removes it; the answer has the deletion's resourceVersion. */
  remove(resource: Resource, object: KubeObject): KubeObject;
  /** Forgets the history up to now: what would need it is answered 410. */
  compact(): void;
  /** Told of each object that was stored or removed. */
  onChange(listener: ChangeListener): void;
}

type ChangeListener = (resource: Resource, object: KubeObject, isRemoved: boolean) => void;

interface StorageOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly resources: readonly Resource[];
  /** How many changes of each resource are kept for watches that come later. */
  readonly historyLimit: number;
}

export function createStorage({ clock, random, resources, historyLimit }: StorageOptions): Storage {
  const collections = new Map<string, Collection>();
  const listeners: ChangeListener[] = [];
  let served = resources;
  let version = 1;

  for (const { storage } of resources) {
    if (!collections.has(storage)) collections.set(storage, collection(historyLimit));
  }

  function collectionOf(resource: Resource): Collection {
    const found = collections.get(resource.storage);
    if (found === undefined) throw new Error(`the server keeps no ${resource.storage}`);
    return found;
  }

  function numbered(object: KubeObject): KubeObject {
    version += 1;
    return withMeta(object, { resourceVersion: String(version) });
  }

  return {
    clock,
    random,
    get resources() {
      return served;
    },
    collectionOf,
    serve(resource) {
      served = [...served, resource];
      if (collections.has(resource.storage)) return;
      const made = collection(historyLimit);
      // A watch from before would not know what it has missed.
      made.history.compact(version);
      collections.set(resource.storage, made);
    },
    withdraw(resource, isFollowed) {
      served = served.filter((each) => each !== resource);
      if (!isFollowed) collections.delete(resource.storage);
    },
    put(resource, object) {
      const all = collectionOf(resource);
      const isKnown = all.get(object.metadata.namespace ?? '', object.metadata.name) !== undefined;
      const stored = numbered(object);
      all.apply(isKnown ? 'MODIFIED' : 'ADDED', stored, version);
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
      for (const each of collections.values()) each.history.compact(version);
    },
    onChange: (listener) => void listeners.push(listener),
    get version() {
      return version;
    },
  };
}
