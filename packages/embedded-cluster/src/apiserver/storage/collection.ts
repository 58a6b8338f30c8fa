import type { KubeObject } from '../meta/objects.ts';
import { type Change, type ChangeType, type History, history } from './history.ts';
import { indexAfter, mergedFrom, type SortedNames, sortedNames } from './sortedNames.ts';

/** Identifies an object of a collection. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** All objects of one resource, and their recent changes. Cluster-scoped objects are in the namespace ''. */
export interface Collection {
  get(namespace: string, name: string): KubeObject | undefined;
  /** Stores a change; the object becomes the latest state. */
  apply(type: ChangeType, object: KubeObject, version: number): void;
  /**
   * Yields objects in the order of namespace and name: all of them, or those of one namespace, or those after a key,
   * as of `version` (which the history must still cover) or now. Must be consumed before the next change.
   */
  scan(range: {
    readonly namespace?: string | undefined;
    readonly after?: ObjectKey | undefined;
    readonly version?: number | undefined;
  }): Iterable<KubeObject>;
  /** Returns the approximate number of objects after a key. */
  countAfter(namespace: string | undefined, key: ObjectKey): number;
  isEmpty(namespace: string): boolean;
  /** Returns to the state at `version`, which the history must still cover, and forgets the later changes. */
  restore(version: number): void;
  /** Returns the objects of a namespace whose controller has this uid, in the order of their names. */
  controlledBy(namespace: string, uid: string): readonly KubeObject[];
  readonly history: History;
}

interface Bucket {
  readonly objects: Map<string, KubeObject>;
  readonly names: SortedNames;
  /** The names of the objects that have a controller, by its uid. */
  readonly controlled: Map<string, Set<string>>;
}

/** Previous states of changed objects, by namespace and name; undefined if the object did not exist. */
type PastStates = ReadonlyMap<string, ReadonlyMap<string, KubeObject | undefined>>;

const unchanged: PastStates = new Map();
const nothing: ReadonlyMap<string, KubeObject | undefined> = new Map();

export function collection(historyLimit: number): Collection {
  const buckets = new Map<string, Bucket>();
  const past = history(historyLimit);

  function bucketOf(namespace: string): Bucket {
    const existingBucket = buckets.get(namespace);
    if (existingBucket !== undefined) return existingBucket;
    const bucket: Bucket = { objects: new Map(), names: sortedNames(), controlled: new Map() };
    buckets.set(namespace, bucket);
    return bucket;
  }

  function store(namespace: string, name: string, object: KubeObject): void {
    const bucket = bucketOf(namespace);
    const previous = bucket.objects.get(name);
    if (previous === undefined) bucket.names.add(name);
    bucket.objects.set(name, object);
    if (previous?.metadata.ownerReferences === object.metadata.ownerReferences) return;
    if (previous !== undefined) release(bucket, previous);
    for (const uid of controllersOf(object)) {
      const names = bucket.controlled.get(uid) ?? new Set();
      bucket.controlled.set(uid, names.add(name));
    }
  }

  function removeObject(namespace: string, name: string): void {
    const bucket = buckets.get(namespace);
    const object = bucket?.objects.get(name);
    if (bucket === undefined || object === undefined) return;
    bucket.objects.delete(name);
    bucket.names.remove(name);
    release(bucket, object);
    if (bucket.objects.size === 0) buckets.delete(namespace);
  }

  /** Returns the states at `version` of the objects that have changed since. */
  function statesAt(version: number): PastStates {
    const start = past.indexAfter(version) ?? past.first;
    if (start === past.next) return unchanged;
    const states = new Map<string, Map<string, KubeObject | undefined>>();
    for (let index = start; index < past.next; index += 1) {
      const change = past.at(index);
      if (change === undefined) continue;
      const { namespace = '', name } = change.object.metadata;
      const names = states.get(namespace) ?? new Map<string, KubeObject | undefined>();
      states.set(namespace, names);
      if (!names.has(name)) names.set(name, change.previous);
    }
    return states;
  }

  function* scanBucket(namespace: string, after: string | undefined, then: PastStates): Generator<KubeObject> {
    const bucket = buckets.get(namespace);
    const before = then.get(namespace) ?? nothing;
    const now = bucket?.names.all() ?? [];
    const isWhole = before.size === 0 && after === undefined;
    const names = isWhole ? now : mergedFrom(now, [...before.keys()].sort(), after);
    for (const name of names) {
      const object = before.has(name) ? before.get(name) : bucket?.objects.get(name);
      if (object !== undefined) yield object;
    }
  }

  return {
    history: past,
    get: (namespace, name) => buckets.get(namespace)?.objects.get(name),
    apply(type, object, version) {
      const { namespace = '', name } = object.metadata;
      const previous = buckets.get(namespace)?.objects.get(name);
      if (type === 'DELETED') removeObject(namespace, name);
      else store(namespace, name, object);
      const change: Change = { type, version, object, previous, json: undefined };
      past.append(change);
    },
    *scan({ namespace, after, version }) {
      const then = version === undefined ? unchanged : statesAt(version);
      if (namespace !== undefined) {
        yield* scanBucket(namespace, after?.name, then);
        return;
      }
      for (const bucketNamespace of inKeyOrder(new Set([...buckets.keys(), ...then.keys()]))) {
        if (after === undefined || isAfter(bucketNamespace, after.namespace))
          yield* scanBucket(bucketNamespace, undefined, then);
        else if (bucketNamespace === after.namespace) yield* scanBucket(bucketNamespace, after.name, then);
      }
    },
    countAfter(namespace, key) {
      const names = buckets.get(key.namespace)?.names.all() ?? [];
      let count = names.length - indexAfter(names, key.name);
      if (namespace !== undefined) return count;
      for (const [bucketNamespace, { objects }] of buckets)
        if (isAfter(bucketNamespace, key.namespace)) count += objects.size;
      return count;
    },
    isEmpty: (namespace) => !buckets.has(namespace),
    restore(version) {
      for (const [namespace, states] of statesAt(version)) {
        for (const [name, object] of states) {
          if (object === undefined) removeObject(namespace, name);
          else store(namespace, name, object);
        }
      }
      past.forgetAfter(version);
    },
    controlledBy(namespace, uid) {
      const bucket = buckets.get(namespace);
      return [...(bucket?.controlled.get(uid) ?? [])].sort().flatMap((name) => bucket?.objects.get(name) ?? []);
    },
  };
}

function release({ controlled }: Bucket, object: KubeObject): void {
  for (const uid of controllersOf(object)) {
    const names = controlled.get(uid);
    names?.delete(object.metadata.name);
    if (names?.size === 0) controlled.delete(uid);
  }
}

function controllersOf({ metadata }: KubeObject): readonly string[] {
  return (metadata.ownerReferences ?? []).flatMap(({ controller, uid }) =>
    controller === true && typeof uid === 'string' ? [uid] : [],
  );
}

/** Keys in etcd are `namespace/name`, so `a-b/…` comes before `a/…`. */
function inKeyOrder(namespaces: Iterable<string>): readonly string[] {
  return [...namespaces].sort((a, b) => (isAfter(a, b) ? 1 : -1));
}

function isAfter(namespace: string, other: string): boolean {
  return `${namespace}/` > `${other}/`;
}
