import type { Clock } from '../../base/clock.ts';
import type { ClosableSink, ObjectSink } from '../../kube/watch/sink.ts';
import { allOrNone, type BackingPod } from './endpointSlice.ts';
import { createSliceView, keyOf, type ServiceSlices, type Slice, type SliceView } from './sliceView.ts';

/** The readiness of a service, from all of its EndpointSlices. */
export interface ServiceReadiness {
  readonly namespace: string;
  readonly service: string;
  /** At least one endpoint in any slice is ready. */
  readonly isReady: boolean;
  /** False if the service has no slice, or no longer has one. */
  readonly exists: boolean;
}

/** When a ready service became ready. */
export interface ReadyEvidence {
  /** The pods behind the ready endpoints; undefined if an endpoint does not name its pod. */
  readonly backingPods: readonly BackingPod[] | undefined;
  /**
   * The newest write to a slice: epoch milliseconds by the API server's clock; undefined if the slices do not contain
   * it.
   */
  readonly lastWrite: number | undefined;
}

interface ReadinessListener {
  /** A service became ready or not ready, or lost its last slice. */
  changed(service: ServiceReadiness): void;
  /** A service is still ready after a relist. What happened between `seenUntil` and now is unknown. */
  readyAfterGap(service: ServiceReadiness, seenUntil: number): void;
  /** A service that was not watched before is watched now, and is ready. */
  foundReady(service: ServiceReadiness): void;
}

/** Which slices a stream delivers. */
export interface SliceStreamOptions {
  /** The names of the services that the stream watches; undefined: all services. */
  readonly names?: ReadonlySet<string>;
  /** The sink of the stream that this one replaces, once it has seen everything that the old one delivered. */
  readonly after?: ObjectSink | undefined;
  /**
   * This stream replaces no other and was opened while others were running: services in its first list are treated as
   * found at start-up.
   */
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
  /** Whether each service that has a slice counts as ready. */
  const readiness = new Map<string, boolean>();
  const views = new Map<ObjectSink, SliceView>();
  /** The streams whose slices count. Others have not taken over yet. */
  const active = new Set<SliceView>();

  function find(key: string): readonly ServiceSlices[] {
    return [...active].flatMap((view) => view.services.get(key) ?? []);
  }

  function slicesOf(key: string): Slice[] {
    return find(key).flatMap(({ slices }) => [...slices.values()]);
  }

  function readinessOf(key: string): ServiceReadiness {
    const [namespace = '', service = ''] = key.split('/');
    return { namespace, service, isReady: readiness.get(key) === true, exists: readiness.has(key) };
  }

  function notify(what: keyof ReadinessListener, key: string, seenUntil = 0): void {
    const event = readinessOf(key);
    if (isSelected(event.namespace, event.service)) listener[what](event, seenUntil);
  }

  function learn(key: string): void {
    const slices = slicesOf(key);
    if (slices.length === 0) readiness.delete(key);
    else
      readiness.set(
        key,
        slices.some(({ isReady }) => isReady),
      );
  }

  function settle(key: string): void {
    const [wasReady, existed] = [readiness.get(key) === true, readiness.has(key)];
    learn(key);
    const hasNoSlices = existed && !readiness.has(key);
    if (hasNoSlices || (readiness.get(key) === true) !== wasReady) notify('changed', key);
  }

  /** A service that is discovered has not recovered. */
  function discover(key: string): void {
    learn(key);
    if (readiness.get(key) === true) notify('foundReady', key);
  }

  /**
   * Replaces one stream by another. A service that both watch has a gap only if the old stream had not delivered
   * everything; one that the old stream did not watch is found in its current state.
   */
  function takeOver(view: SliceView, old: SliceView): void {
    active.delete(old);
    active.add(view);
    const keys = new Set([...old.services.keys(), ...view.services.keys()]);
    for (const key of keys) {
      const wasReady = readiness.get(key) === true;
      if (old.names?.has(readinessOf(key).service) === false) {
        discover(key);
        continue;
      }
      settle(key);
      const isStillReady = wasReady && readiness.get(key) === true;
      if (isStillReady && (old.isListing || !hasSameSlices(view, old, key)))
        notify('readyAfterGap', key, old.seenUntil);
    }
  }

  function createSink({ names, after, isAddedLater = false, onTakeOver }: SliceStreamOptions = {}): ClosableSink {
    let old = after === undefined ? undefined : views.get(after);
    let isWaiting = true;
    const view = createSliceView(clock, names, {
      isReady: (key) => readiness.get(key) === true,
      changed(key) {
        if (isAddedLater && isWaiting) discover(key);
        else if (active.has(view)) settle(key);
      },
      readyBeforeGap(key, seenUntil) {
        if (active.has(view) && readiness.get(key) === true) notify('readyAfterGap', key, seenUntil);
      },
      received() {
        if (!isWaiting || !view.isComplete || (old !== undefined && !view.hasCaughtUpWith(old))) return;
        isWaiting = false;
        if (old !== undefined) takeOver(view, old);
        old = undefined;
        onTakeOver?.();
      },
    });
    if (old === undefined) active.add(view);
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
    services: () =>
      [...readiness.keys()].map(readinessOf).filter(({ namespace, service }) => isSelected(namespace, service)),
    serviceUid: (namespace, service) =>
      slicesOf(keyOf(namespace, service)).find((slice) => slice.serviceUid !== undefined)?.serviceUid,
    evidence(namespace, service) {
      const slices = slicesOf(keyOf(namespace, service));
      const ready = slices.filter((slice) => slice.isReady);
      return {
        backingPods: allOrNone(ready.map((slice) => slice.backingPods))?.flat(),
        lastWrite: allOrNone(slices.map((slice) => slice.lastWrite))?.reduce((a, b) => Math.max(a, b), 0),
      };
    },
  };
}

function hasSameSlices(one: SliceView, other: SliceView, key: string): boolean {
  const [a, b] = [one, other].map((view) => view.services.get(key)?.slices);
  const isSame = ([name, slice]: [string, Slice]) => b?.get(name)?.resourceVersion === slice.resourceVersion;
  return a?.size === b?.size && [...(a ?? [])].every(isSame);
}
