import type { Clock } from '../../base/clock.ts';
import type { ClosableSink, ObjectSink } from '../../kube/watch/sink.ts';
import { allOrNone, type BackingPod } from './endpointSlice.ts';
import { createSliceView, keyOf, type ServiceSlices, type Slice, type SliceView } from './sliceView.ts';

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

interface ReadinessListener {
  /** A service became ready or notReady, or lost its last slice. */
  changed(service: ServiceReadiness): void;
  /** Still ready after a complete list that was read again: what happened between `seenUntil` and now is unknown. */
  readyAfterGap(service: ServiceReadiness, seenUntil: number): void;
  /** A service that was not watched before is, and is ready. */
  foundReady(service: ServiceReadiness): void;
}

/** Which slices a stream brings. */
export interface SliceStreamOptions {
  /** The services that it watches; without it, every one. */
  readonly names?: ReadonlySet<string>;
  /** The stream whose place it takes as soon as it knows all that that one has told. */
  readonly after?: ObjectSink | undefined;
  /** The first stream of all, opened while others are at work: what its first list brings is found, as at the start. */
  readonly isAddedLater?: boolean;
  /** Told when it has, or has read its first complete list: from now on `after` is not listened to. */
  readonly onTakeOver?: () => void;
}

/** The readiness of every service, from all of its EndpointSlices: the sink of their stream. */
export interface Readiness extends ObjectSink {
  /** A sink for one more stream: its complete lists say nothing of the slices that other streams told of. */
  createSink(options?: SliceStreamOptions): ClosableSink;
  /** Every wanted service that has a slice. */
  services(): ServiceReadiness[];
  evidence(namespace: string, service: string): ReadyEvidence;
  /** The uid of the Service itself, where one of its slices names it. */
  serviceUid(namespace: string, service: string): string | undefined;
}

/** `isWanted` says which services are told of, and may change. */
export function createReadiness(
  clock: Clock,
  isWanted: (namespace: string, service: string) => boolean,
  listener: ReadinessListener,
): Readiness {
  /** Whether each service that has a slice counts as ready. */
  const readiness = new Map<string, boolean>();
  const views = new Map<ObjectSink, SliceView>();
  /** The streams that are listened to; others wait for their turn. */
  const active = new Set<SliceView>();

  function find(key: string): readonly ServiceSlices[] {
    return [...active].flatMap((view) => view.services.get(key) ?? []);
  }

  function slicesOf(key: string): Slice[] {
    return find(key).flatMap(({ slices }) => [...slices.values()]);
  }

  function factOf(key: string): ServiceReadiness {
    const [namespace = '', service = ''] = key.split('/');
    return { namespace, service, isReady: readiness.get(key) === true, exists: readiness.has(key) };
  }

  function tell(what: keyof ReadinessListener, key: string, seenUntil = 0): void {
    const fact = factOf(key);
    if (isWanted(fact.namespace, fact.service)) listener[what](fact, seenUntil);
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
    const isGone = existed && !readiness.has(key);
    if (isGone || (readiness.get(key) === true) !== wasReady) tell('changed', key);
  }

  /** Becoming known is no recovery. */
  function discover(key: string): void {
    learn(key);
    if (readiness.get(key) === true) tell('foundReady', key);
  }

  /**
   * One stream takes the place of another. A service that both watch has a gap only where the old one had not told all;
   * one that the old one did not watch is found in the state it is in.
   */
  function takeOver(view: SliceView, old: SliceView): void {
    active.delete(old);
    active.add(view);
    const keys = new Set([...old.services.keys(), ...view.services.keys()]);
    for (const key of keys) {
      const wasReady = readiness.get(key) === true;
      if (old.names?.has(factOf(key).service) === false) {
        discover(key);
        continue;
      }
      settle(key);
      const isStillReady = wasReady && readiness.get(key) === true;
      if (isStillReady && (old.isListing || !hasSameSlices(view, old, key))) tell('readyAfterGap', key, old.seenUntil);
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
        if (active.has(view) && readiness.get(key) === true) tell('readyAfterGap', key, seenUntil);
      },
      told() {
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
    services: () => [...readiness.keys()].map(factOf).filter(({ namespace, service }) => isWanted(namespace, service)),
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
