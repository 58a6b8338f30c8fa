import type { Clock } from '../clock.ts';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import type { ObjectSink } from '../kube/sink.ts';
import { allOrNone, type BackingPod, readSlice, type SliceFacts } from './endpointSlice.ts';

/** What all EndpointSlices of a service say together. */
export interface ServiceReadiness {
  readonly namespace: string;
  readonly service: string;
  /** At least one endpoint in any slice is ready. */
  readonly isReady: boolean;
  /** False when the service has no slice (any more). */
  readonly exists: boolean;
}

/** What can be known of the moment when a ready service became ready. */
export interface ReadyEvidence {
  /** The pods behind the ready endpoints; undefined when an endpoint does not name its pod. */
  readonly backingPods: readonly BackingPod[] | undefined;
  /** Epoch milliseconds by the API server's clock of the newest write to a slice; undefined when it does not tell. */
  readonly lastWrite: number | undefined;
}

export interface ReadinessListener {
  /** A service became ready or notReady, or lost its last slice. */
  changed(service: ServiceReadiness): void;
  /** Still ready after a complete list that was read again: what happened between `seenUntil` and now is unknown. */
  readyAfterGap(service: ServiceReadiness, seenUntil: number): void;
}

/** The readiness of every service, from all of its EndpointSlices: the sink of their stream (design §2.1). */
export interface Readiness extends ObjectSink {
  /** A sink for one more stream: its complete lists say nothing of the slices that other streams told of. */
  createSink(): ObjectSink;
  /** Every service that has a slice. */
  services(): ServiceReadiness[];
  evidence(namespace: string, service: string): ReadyEvidence;
  /** The uid of the Service itself, where one of its slices names it. */
  serviceUid(namespace: string, service: string): string | undefined;
}

interface Slice extends SliceFacts {
  readonly serviceKey: string;
  readonly source: Source;
  readonly list: number;
}

/** One stream of EndpointSlices. */
interface Source {
  list: number;
  /** The services to look at again when the complete list is there: half of it may look like an outage. */
  unsettled: Set<string> | undefined;
  /** Epoch milliseconds: of the last change that came by itself, or when the newest complete list began. */
  seenUntil: number;
  listBegan: number;
  /** The services of this stream that were ready when such a list began. */
  readyBefore: readonly Service[];
}

interface Service {
  readonly namespace: string;
  readonly service: string;
  readonly slices: Map<string, Slice>;
  isReady: boolean;
}

/** `isWanted` says which services are watched; slices of others are passed over. */
export function createReadiness(
  clock: Clock,
  isWanted: (namespace: string, service: string) => boolean,
  listener: ReadinessListener,
): Readiness {
  const services = new Map<string, Service>();
  const serviceOfSlice = new Map<string, string>();

  function factOf(service: Service): ServiceReadiness {
    const { namespace, service: name, isReady, slices } = service;
    return { namespace, service: name, isReady, exists: slices.size > 0 };
  }

  function settle(serviceKey: string): void {
    const service = services.get(serviceKey);
    if (service === undefined) return;
    const wasReady = service.isReady;
    service.isReady = [...service.slices.values()].some((slice) => slice.isReady);
    if (service.slices.size === 0) services.delete(serviceKey);
    if (service.isReady !== wasReady || service.slices.size === 0) listener.changed(factOf(service));
  }

  function noteChange(serviceKey: string, { unsettled }: Source): void {
    if (unsettled === undefined) settle(serviceKey);
    else unsettled.add(serviceKey);
  }

  function removeSlice(sliceKey: string, source: Source): void {
    const serviceKey = serviceOfSlice.get(sliceKey);
    if (serviceKey === undefined) return;
    serviceOfSlice.delete(sliceKey);
    services.get(serviceKey)?.slices.delete(sliceKey);
    noteChange(serviceKey, source);
  }

  function putSlice(sliceKey: string, namespace: string, name: string, object: JsonObject, source: Source): void {
    const serviceKey = keyOf(namespace, name);
    if (serviceOfSlice.get(sliceKey) !== serviceKey) removeSlice(sliceKey, source);
    const service = services.get(serviceKey) ?? { namespace, service: name, slices: new Map(), isReady: false };
    services.set(serviceKey, service);
    serviceOfSlice.set(sliceKey, serviceKey);
    service.slices.set(sliceKey, { serviceKey, ...readSlice(object, namespace), source, list: source.list });
    noteChange(serviceKey, source);
  }

  function slicesOf(source: Source): { readonly service: Service; readonly sliceKey: string; readonly slice: Slice }[] {
    return [...services.values()].flatMap((service) =>
      [...service.slices]
        .filter(([, slice]) => slice.source === source)
        .map(([sliceKey, slice]) => ({ service, sliceKey, slice })),
    );
  }

  function finishList(source: Source): void {
    const vanished = slicesOf(source).filter(({ slice }) => slice.list !== source.list);
    for (const { sliceKey } of vanished) removeSlice(sliceKey, source);
    const unsettled = source.unsettled ?? [];
    source.unsettled = undefined;
    for (const serviceKey of unsettled) settle(serviceKey);
  }

  function createSink(): ObjectSink {
    const source: Source = { list: 0, unsettled: undefined, seenUntil: 0, listBegan: 0, readyBefore: [] };
    return {
      begin() {
        const ready = slicesOf(source).filter(({ service }) => service.isReady);
        if (source.list > 0) source.readyBefore = [...new Set(ready.map(({ service }) => service))];
        source.list += 1;
        source.listBegan = clock.now();
        source.unsettled ??= new Set();
      },
      apply(type, object) {
        const slice = objectOf(object);
        const meta = objectOf(slice['metadata']);
        const namespace = textOf(meta['namespace']) ?? '';
        const sliceKey = keyOf(namespace, textOf(meta['name']) ?? '');
        const name = textOf(objectOf(meta['labels'])['kubernetes.io/service-name']);
        if (type === 'DELETED' || name === undefined || !isWanted(namespace, name)) removeSlice(sliceKey, source);
        else putSlice(sliceKey, namespace, name, slice, source);
        if (source.readyBefore.length === 0) source.seenUntil = clock.now();
      },
      end() {
        finishList(source);
        for (const service of source.readyBefore) {
          if (service.isReady) listener.readyAfterGap(factOf(service), source.seenUntil);
        }
        source.readyBefore = [];
        source.seenUntil = source.listBegan;
      },
    };
  }

  function slicesOfService(namespace: string, service: string): Slice[] {
    return [...(services.get(keyOf(namespace, service))?.slices.values() ?? [])];
  }

  return {
    ...createSink(),
    createSink,
    services: () => [...services.values()].map(factOf),
    serviceUid: (namespace, service) =>
      slicesOfService(namespace, service).find((slice) => slice.serviceUid !== undefined)?.serviceUid,
    evidence(namespace, service) {
      const slices = slicesOfService(namespace, service);
      const ready = slices.filter((slice) => slice.isReady);
      return {
        backingPods: allOrNone(ready.map((slice) => slice.backingPods))?.flat(),
        lastWrite: allOrNone(slices.map((slice) => slice.lastWrite))?.reduce((a, b) => Math.max(a, b), 0),
      };
    },
  };
}

/** The key of a namespaced thing: neither part can contain the separator. */
export function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
