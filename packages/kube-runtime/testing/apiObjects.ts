/** The parts of a pod that the streams need, in kube-apiserver's order of fields. */
export interface TestPod {
  readonly kind: 'Pod';
  readonly apiVersion: 'v1';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export interface TestEvent {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: TestPod;
}

/** The objects of one collection with their history, as etcd stores them. */
export interface TestStore {
  readonly objects: ReadonlyMap<string, TestPod>;
  readonly history: readonly TestEvent[];
  readonly version: number;
  /** Creates or updates an object; `filler` is the length of an annotation. */
  put(name: string, filler?: number): void;
  remove(name: string): void;
  /** Drops the history up to now: resuming from it gives 410. */
  compact(): void;
  readonly oldest: number;
  /** Restores the state at this version, as from a backup of etcd. */
  restore(version: number): void;
  onEvent(listener: (event: TestEvent) => void): () => void;
}

export function testStore(): TestStore {
  const objects = new Map<string, TestPod>();
  const history: TestEvent[] = [];
  const listeners = new Set<(event: TestEvent) => void>();
  let version = 100;
  let oldest = 100;

  function record(type: TestEvent['type'], object: TestPod): void {
    const event = { version, type, object };
    history.push(event);
    for (const listener of listeners) listener(event);
  }

  return {
    objects,
    history,
    put(name, filler = 0) {
      const previous = objects.get(name);
      version += 1;
      const uid = previous?.metadata.uid ?? `uid-${name}-${version}`;
      const annotations = { filler: 'é'.repeat(filler) };
      const metadata = { name, namespace: 'default', uid, resourceVersion: String(version), annotations };
      const pod: TestPod = { kind: 'Pod', apiVersion: 'v1', metadata };
      objects.set(name, pod);
      record(previous === undefined ? 'ADDED' : 'MODIFIED', pod);
    },
    remove(name) {
      const object = objects.get(name);
      if (object === undefined) return;
      version += 1;
      objects.delete(name);
      record('DELETED', { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    },
    compact() {
      version += 1;
      oldest = version;
    },
    restore(earlier) {
      version = earlier;
      history.splice(0, history.length, ...history.filter((event) => event.version <= earlier));
      objects.clear();
      for (const { type, object } of history)
        if (type === 'DELETED') objects.delete(object.metadata.name);
        else objects.set(object.metadata.name, object);
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get version() {
      return version;
    },
    get oldest() {
      return oldest;
    },
  };
}
