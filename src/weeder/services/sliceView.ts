import type { Clock } from '@weeder/kube-runtime/base';
import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { isAtLeast, keyOf } from '@weeder/kube-runtime/objects';
import type { ObjectSink } from '@weeder/kube-runtime/watch';
import { readSlice, type SliceSummary } from './endpointSlice.ts';

/** The content of one version of an EndpointSlice. */
export interface Slice extends SliceSummary {
  readonly resourceVersion: string | undefined;
}

/** The slices of one service, by key; never empty. */
export interface ServiceSlices {
  readonly namespace: string;
  readonly service: string;
  readonly slices: Map<string, Slice>;
}

/** The EndpointSlices that one stream has delivered, independent of other streams. */
export interface SliceView {
  readonly sink: ObjectSink;
  readonly services: ReadonlyMap<string, ServiceSlices>;
  /** The names of the services that it watches; undefined: all services. */
  readonly names: ReadonlySet<string> | undefined;
  /** A complete list has been read. */
  readonly isComplete: boolean;
  /** A complete list is being read. A partial list may look like an outage. */
  readonly isListing: boolean;
  /** Epoch milliseconds: everything up to this time was seen. */
  readonly seenUntil: number;
  /** Whether this view has everything that the other one has of the services that both watch. */
  hasCaughtUpWith(other: SliceView): boolean;
  /** The newest resourceVersion that was delivered for a service of this name. */
  newestOf(service: string): string | undefined;
}

interface SliceViewListener {
  /** Whether the service counted as ready before. */
  isReady(serviceKey: string): boolean;
  /** The slices of the service changed, by one write or somewhere in a complete list, and no list is being read. */
  changed(serviceKey: string, by: 'write' | 'list'): void;
  /** The service was ready when the list began that has just been read again. */
  readyBeforeGap(serviceKey: string, seenUntil: number): void;
  /** A change or a list was processed completely. */
  received(): void;
}

export function createSliceView(
  clock: Clock,
  names: ReadonlySet<string> | undefined,
  listener: SliceViewListener,
): SliceView {
  const services = new Map<string, ServiceSlices>();
  const serviceOfSlice = new Map<string, string>();
  const newest = new Map<string, string>();
  /** The resourceVersion of the newest complete list. */
  let listVersion: string | undefined;
  let isComplete = false;
  /** While a list is read: the slices in it so far, and the services to evaluate at its end. */
  let listing: { readonly listed: Set<string>; readonly pending: Set<string> } | undefined;
  let readyBefore: readonly string[] = [];
  let seenUntil = 0;
  let listBegan = 0;

  function recordChange(serviceKey: string): void {
    if (listing === undefined) listener.changed(serviceKey, 'write');
    else listing.pending.add(serviceKey);
  }

  function recordVersion(service: string, version: string | undefined): void {
    if (version !== undefined && isAtLeast(version, newest.get(service))) newest.set(service, version);
  }

  function remove(sliceKey: string, version?: string): void {
    const serviceKey = serviceOfSlice.get(sliceKey);
    const view = services.get(serviceKey ?? '');
    if (serviceKey === undefined || view === undefined) return;
    serviceOfSlice.delete(sliceKey);
    view.slices.delete(sliceKey);
    if (view.slices.size === 0) services.delete(serviceKey);
    recordVersion(view.service, version);
    recordChange(serviceKey);
  }

  function put(sliceKey: string, namespace: string, service: string, slice: Slice): void {
    const serviceKey = keyOf(namespace, service);
    if (serviceOfSlice.get(sliceKey) !== serviceKey) remove(sliceKey, slice.resourceVersion);
    const view = services.get(serviceKey) ?? { namespace, service, slices: new Map() };
    services.set(serviceKey, view);
    serviceOfSlice.set(sliceKey, serviceKey);
    view.slices.set(sliceKey, slice);
    recordVersion(service, slice.resourceVersion);
    recordChange(serviceKey);
  }

  const sink: ObjectSink = {
    begin() {
      if (isComplete && listing === undefined) readyBefore = [...services.keys()].filter(listener.isReady);
      listing = { listed: new Set(), pending: listing?.pending ?? new Set() };
      listBegan = clock.now();
    },
    apply(type, object) {
      const slice = objectOf(object);
      const meta = objectOf(slice['metadata']);
      const namespace = textOf(meta['namespace']) ?? '';
      const sliceKey = keyOf(namespace, textOf(meta['name']) ?? '');
      const service = textOf(objectOf(meta['labels'])['kubernetes.io/service-name']);
      const resourceVersion = textOf(meta['resourceVersion']);
      const isWatched = service !== undefined && (names?.has(service) ?? true);
      if (type === 'DELETED' || !isWatched) remove(sliceKey, resourceVersion);
      else {
        listing?.listed.add(sliceKey);
        put(sliceKey, namespace, service, { ...readSlice(slice, namespace), resourceVersion });
      }
      if (readyBefore.length === 0) seenUntil = clock.now();
      if (listing === undefined) listener.received();
    },
    rewound: () => newest.clear(),
    end(resourceVersion) {
      for (const sliceKey of [...serviceOfSlice.keys()]) if (listing?.listed.has(sliceKey) === false) remove(sliceKey);
      const pending = listing?.pending ?? [];
      listing = undefined;
      isComplete = true;
      listVersion = resourceVersion;
      for (const serviceKey of pending) listener.changed(serviceKey, 'list');
      for (const serviceKey of readyBefore) listener.readyBeforeGap(serviceKey, seenUntil);
      readyBefore = [];
      seenUntil = listBegan;
      listener.received();
    },
  };

  return {
    sink,
    services,
    names,
    get isComplete() {
      return isComplete;
    },
    get isListing() {
      return listing !== undefined;
    },
    get seenUntil() {
      return seenUntil;
    },
    hasCaughtUpWith: (other) =>
      [...(names ?? [])].every((name) => {
        const version = other.newestOf(name);
        return version === undefined || isAtLeast(listVersion, version) || isAtLeast(newest.get(name) ?? '0', version);
      }),
    newestOf: (service) => newest.get(service),
  };
}
