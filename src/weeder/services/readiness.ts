/**
 * Reports each change of readiness that the EndpointSlices of a service show, whichever streams deliver them: neither
 * an incomplete list nor the change to another stream looks like an outage. Does not guarantee that every outage is
 * reported: if the service is ready before and after a gap, the caller learns only that there was one
 * (`readyAfterGap`). Ready is what the slices say; nothing connects to the service.
 */

import type { Clock } from '@weeder/kube-runtime/base';
import { keyOf, partsOf } from '@weeder/kube-runtime/objects';
import type { ClosableSink, ObjectSink } from '@weeder/kube-runtime/watch';
import { allOrNone, mostPods } from './endpointSlice.ts';
import { createServiceRecords, isAnyReady, type ServiceReadiness } from './serviceRecords.ts';
import { createSliceView, type ServiceSlices, type Slice, type SliceView } from './sliceView.ts';

/** When a ready service became ready. */
export interface ReadyEvidence {
  readonly namespace: string;
  /** The names of the pods behind its first ready endpoints; undefined if an endpoint does not name its pod. */
  readonly backingPods: readonly string[] | undefined;
  /**
   * The newest write to a slice: epoch milliseconds by the API server's clock; undefined if the slices do not contain
   * it.
   */
  readonly lastWrite: number | undefined;
}

interface ReadinessListener {
  /** A service became ready or went down, or lost its last slice. */
  changed(service: ServiceReadiness): void;
  /** A service that is not ready is watched now, or it has endpoints now, or none any more. */
  unready(service: ServiceReadiness): void;
  /** A service is still ready after a relist. What happened between `seenUntil` and now is unknown. */
  readyAfterGap(service: ServiceReadiness, seenUntil: number): void;
  /** A service that was not watched before is watched now, and is ready. */
  foundReady(service: ServiceReadiness): void;
}

/** Which slices a stream delivers. */
export interface SliceStreamOptions {
  /** The names of the services that the stream watches; undefined: all services. */
  readonly names?: ReadonlySet<string>;
  /**
   * The sinks of other streams: this one takes over the services that both watch, once it has seen everything that they
   * have delivered of these.
   */
  readonly after?: readonly ObjectSink[];
  /** This stream takes over no service: those in its first list are treated as found at start-up. */
  readonly isAddedLater?: boolean;
  /** Called when the stream has taken over, or has completed its first list: from then on `after` is ignored. */
  readonly onTakeOver?: () => void;
}

/** The readiness of every service, from all of its EndpointSlices. It is the sink of their stream. */
export interface Readiness extends ObjectSink {
  /** Creates a sink for another stream. A complete list of that stream does not remove slices of other streams. */
  createSink(options?: SliceStreamOptions): ClosableSink;
  /** Every configured service that has a slice. */
  services(): ServiceReadiness[];
  /** These, and those that have lost their last slice within a day: at most the newest 1,000. */
  known(): Iterable<ServiceReadiness>;
  /** Of any service. */
  of(namespace: string, service: string): ServiceReadiness;
  evidence(namespace: string, service: string): ReadyEvidence;
  /** The uid of the Service itself, if one of its slices names it. */
  serviceUid(namespace: string, service: string): string | undefined;
}

/** `isSelected` selects the services that are reported; its result may change. */
export function createReadiness(
  clock: Clock,
  isSelected: (namespace: string, service: string) => boolean,
  listener: ReadinessListener,
): Readiness {
  const records = createServiceRecords(clock);
  const views = new Map<ObjectSink, SliceView>();
  /** The streams whose slices count, each with the names that another stream has taken over. */
  const active = new Map<SliceView, Set<string>>();

  function counts(view: SliceView, service: string): boolean {
    return active.get(view)?.has(service) === false && view.names?.has(service) !== false;
  }

  function find(key: string): readonly ServiceSlices[] {
    const service = partsOf(key).name;
    return [...active.keys()].flatMap((view) => (counts(view, service) ? (view.services.get(key) ?? []) : []));
  }

  function slicesOf(key: string): Slice[] {
    return find(key).flatMap(({ slices }) => [...slices.values()]);
  }

  function isReadyNow(key: string): boolean {
    return isAnyReady(records.slicesOf(key));
  }

  function isWatched({ namespace, service }: Pick<ServiceReadiness, 'namespace' | 'service'>): boolean {
    return isSelected(namespace, service);
  }

  function notify(what: keyof ReadinessListener, key: string, seenUntil = 0): void {
    const event = records.of(key);
    if (isWatched(event)) listener[what](event, seenUntil);
  }

  /**
   * `by`: how the change became known. One write that replaces all ready addresses is an outage and a recovery in the
   * same moment. Before a list there may have been several writes.
   */
  function settle(key: string, by: 'write' | 'list' = 'list'): void {
    const before = records.slicesOf(key);
    const after = slicesOf(key);
    if (by === 'write' && areAddressesReplaced(before, after)) {
      records.put(key, after.map(withoutEndpoints));
      notify('changed', key);
    }
    const was = records.of(key);
    records.put(key, after);
    const is = records.of(key);
    const hasNoSlices = before.length > 0 && after.length === 0;
    if (hasNoSlices || is.isReady !== was.isReady) notify('changed', key);
    else if (is.isStarting !== was.isStarting) notify('unready', key);
    // One that is no longer watched is not missed.
    if (after.length === 0 && !isWatched(records.of(key))) records.drop(key);
  }

  /** A service that is discovered has not recovered. */
  function discover(key: string): void {
    records.put(key, slicesOf(key));
    notify(isReadyNow(key) ? 'foundReady' : 'unready', key);
  }

  /**
   * Takes over the services of a stream from others. A service that both watch has a gap only if the old stream had not
   * delivered everything; one that none of them watches is found in its current state.
   */
  function takeOver(view: SliceView, olds: readonly SliceView[]): void {
    const oldOf = (service: string) => olds.find((old) => counts(old, service));
    const keys = new Set([view, ...olds].flatMap(({ services }) => [...services.keys()]));
    const taken = [...keys].map(records.of).filter(({ service }) => view.names?.has(service) !== false);
    const from = new Map(taken.map(({ service }) => [service, oldOf(service)]));
    for (const old of olds) for (const service of view.names ?? from.keys()) active.get(old)?.add(service);
    active.set(view, new Set());
    for (const service of taken) {
      const old = from.get(service.service);
      if (old === undefined) discover(keyOf(service.namespace, service.service));
      else settleFrom(service, view, old);
    }
  }

  /** `before`: the readiness according to the old stream. */
  function settleFrom(before: ServiceReadiness, view: SliceView, old: SliceView): void {
    const key = keyOf(before.namespace, before.service);
    settle(key);
    const isStillReady = before.isReady && isReadyNow(key);
    if (isStillReady && (old.isListing || !hasSameSlices(view, old, key))) notify('readyAfterGap', key, old.seenUntil);
  }

  function createSink({ names, after = [], isAddedLater = false, onTakeOver }: SliceStreamOptions = {}): ClosableSink {
    let olds = after.flatMap((sink) => views.get(sink) ?? []);
    let isWaiting = true;
    const view = createSliceView(clock, names, {
      isReady: isReadyNow,
      changed(key, by) {
        if (isAddedLater && isWaiting) discover(key);
        else if (active.has(view)) settle(key, by);
      },
      readyBeforeGap(key, seenUntil) {
        const { service, isReady } = records.of(key);
        if (isReady && counts(view, service)) notify('readyAfterGap', key, seenUntil);
      },
      received() {
        if (!isWaiting || !view.isComplete || !olds.every(view.hasCaughtUpWith)) return;
        isWaiting = false;
        if (olds.length > 0) takeOver(view, olds);
        olds = [];
        onTakeOver?.();
      },
    });
    if (olds.length === 0) active.set(view, new Set());
    const sink: ClosableSink = {
      ...view.sink,
      close() {
        isWaiting = false;
        views.delete(sink);
        if (active.delete(view)) for (const key of view.services.keys()) settle(key);
      },
    };
    views.set(sink, view);
    return sink;
  }

  return {
    ...createSink(),
    createSink,
    services: () => [...records.all()].filter((each) => each.exists && isWatched(each)),
    *known() {
      for (const record of records.all()) if (isWatched(record)) yield record;
    },
    of: (namespace, service) => records.of(keyOf(namespace, service)),
    serviceUid: (namespace, service) =>
      slicesOf(keyOf(namespace, service)).find((slice) => slice.serviceUid !== undefined)?.serviceUid,
    evidence(namespace, service) {
      const slices = slicesOf(keyOf(namespace, service));
      const ready = slices.filter((slice) => slice.isReady);
      return {
        namespace,
        backingPods: allOrNone(ready.map((slice) => slice.backingPods))
          ?.flat()
          .slice(0, mostPods),
        lastWrite: allOrNone(slices.map((slice) => slice.lastWrite))?.reduce((a, b) => Math.max(a, b), 0),
      };
    },
  };
}

/** A failover: of the addresses that are ready now, none was ready before. Not known of slices that have too many. */
function areAddressesReplaced(before: readonly Slice[], after: readonly Slice[]): boolean {
  const addressesBefore = addressesOf(before);
  const addressesAfter = addressesOf(after);
  if (addressesBefore === undefined || addressesAfter === undefined) return false;
  return addressesBefore.size > 0 && addressesAfter.size > 0 && addressesAfter.isDisjointFrom(addressesBefore);
}

function addressesOf(slices: readonly Slice[]): Set<string> | undefined {
  const known = allOrNone(slices.map(({ addresses }) => addresses));
  return known && new Set(known.flatMap((addresses) => (addresses === '' ? [] : addresses.split(' '))));
}

/** A moment between two states of a slice, in which none of its endpoints is ready. */
function withoutEndpoints(slice: Slice): Slice {
  return { ...slice, isReady: false, addresses: '' };
}

function hasSameSlices(one: SliceView, other: SliceView, key: string): boolean {
  const [a, b] = [one, other].map((view) => view.services.get(key)?.slices);
  const isSame = ([name, slice]: [string, Slice]) => b?.get(name)?.resourceVersion === slice.resourceVersion;
  return a?.size === b?.size && [...(a ?? [])].every(isSame);
}
