import type { AnyActorRef } from 'xstate';
import type { ActorRuntime } from '../actors/actorRuntime.ts';
import type { Clock } from '../base/clock.ts';
import { mergeServices } from '../config/compare.ts';
import { type Config, distinctSelectors, isWatched } from '../config/config.ts';
import { selectorToString } from '../kube/objects/selector.ts';
import { createLimitedQueue } from '../queue/limitedQueue.ts';
import { type DeletePod, deleteNothing } from './deletions/deletePod.ts';
import { createDeletions } from './deletions/deletions.ts';
import type { ReportWeeder, WeederEvent, WindowRef } from './deletions/weederEvents.ts';
import { createWindows } from './deletions/windows.ts';
import { createPodIndex, type PodIndex, type Scope } from './pods/podIndex.ts';
import { createEndpoints } from './services/endpoints.ts';
import { createReadiness, type Readiness } from './services/readiness.ts';
import type { ReadySince } from './services/readySince.ts';
import { createUnseenServices, type UnseenService } from './services/unseenServices.ts';

export interface WeederOptions {
  readonly config: Config;
  readonly runtime: ActorRuntime;
  readonly deletePod: DeletePod;
  readonly readySince: ReadySince;
  readonly report: ReportWeeder;
  /** How many deletions may be in flight at once. */
  readonly concurrentDeletions: number;
  readonly isDryRun: boolean;
  /** Returns a number from 0 to 1, for jitter. */
  readonly random: () => number;
}

/** The current number of services, pods and actors. */
export interface WeederCounts {
  readonly endpoints: number;
  readonly windows: number;
  readonly podDeletions: number;
  readonly crashLoopingPods: number;
  readonly queued: number;
  readonly inFlight: number;
}

/** The weeder without its streams: objects come in through the sinks, and deletions go out through `deletePod`. */
export interface Weeder {
  /** The sink for the EndpointSlices of the configured services. */
  readonly slices: Readiness;
  /** The sinks for the pods of each distinct podSelector, by the selector's canonical text. */
  readonly pods: ReadonlyMap<string, PodIndex>;
  /** Puts this config into force. Windows that the change does not concern are unaffected. */
  configure(config: Config): void;
  /** Every sink has its complete list: from now on each recovery opens a window. */
  start(): void;
  /** Starts no further deletions. */
  stop(): void;
  /** Resolves when no deletion is in flight. */
  drained(): Promise<void>;
  counts(): WeederCounts;
  /** The root actors: one for each service, each window and each pod. */
  actors(): Iterable<AnyActorRef>;
  /** How many dependants of a service crash-loop now. */
  crashLooping(namespace: string, service: string): number;
  /** The configured services that do not exist or were never ready. Empty until `start()`. */
  unseen(): readonly UnseenService[];
  /** The number of actors by machine; of `window` also those that are closing. */
  actorCounts(): { readonly endpoint: number; readonly window: number; readonly podDeletion: number };
}

type WindowClosed = Extract<WeederEvent, { readonly type: 'window.closed' }>;

export function createWeeder(options: WeederOptions): Weeder {
  const { runtime, report, isDryRun, random } = options;
  const deletePod = isDryRun ? deleteNothing : options.deletePod;
  const { clock } = runtime;
  /** The services of the config in force. */
  const services = new Map(options.config.services);
  const indexes = new Map<string, PodIndex>();
  const queue = createLimitedQueue(() => ({ atOnce: options.concurrentDeletions }));
  const deletions = createDeletions({ clock, runtime, queue, deletePod, isDryRun, report, random });
  const windows = createWindows({
    clock,
    runtime,
    services,
    deletions,
    report: (event) => report(event.type === 'window.closed' ? { ...event, ...neverStartedOf(event) } : event),
    indexOf: (service, selector) => {
      const podSelector = services.get(service)?.podSelectors[selector];
      return podSelector === undefined ? undefined : indexes.get(selectorToString(podSelector));
    },
    onClosing: (service) => endpoints.windowClosed(service),
  });
  const unseen = createUnseenServices();
  let isRunning = false;

  const slices = createReadiness(clock, (namespace, service) => isWatched(services.get(service), namespace), {
    changed: (service) => {
      unseen.note(service);
      if (isRunning) endpoints.changed(service);
    },
    readyAfterGap: (service, seenUntil) => {
      if (isRunning) endpoints.readyAfterGap(service, seenUntil);
    },
    foundReady: (service) => {
      if (isRunning) endpoints.foundReady(service);
    },
  });

  const endpoints = createEndpoints({
    clock,
    runtime,
    services,
    windows,
    report,
    readySince: options.readySince,
    evidence: slices.evidence,
  });

  openIndexes(indexes, services, clock);

  /** Yields a value for each podSelector of a service, from its index and scope. */
  function* dependantsOf<T>(
    namespace: string,
    name: string,
    among: (index: PodIndex, scope: Scope) => Iterable<T>,
  ): Generator<T> {
    const service = services.get(name);
    if (service === undefined) return;
    const scope = service.dependantNamespaces === 'same' ? [namespace] : service.dependantNamespaces;
    for (const selector of service.podSelectors) {
      const index = indexes.get(selectorToString(selector));
      if (index !== undefined) yield* among(index, scope);
    }
  }

  function crashLooping(namespace: string, name: string): number {
    return new Set(dependantsOf(namespace, name, (index, scope) => index.uids(scope))).size;
  }

  function neverStartedOf({ namespace, service }: WindowRef): Pick<WindowClosed, 'neverStarted'> {
    const all = dependantsOf(namespace, service, (index, scope) => index.neverStarted(scope));
    const pods = new Map([...all].map((pod) => [`${pod.namespace}/${pod.name}`, pod]));
    return pods.size === 0 ? {} : { neverStarted: [...pods.values()] };
  }

  return {
    slices,
    pods: indexes,
    configure(next) {
      const before = new Map(services);
      services.clear();
      for (const [name, service] of mergeServices(before, next.services)) services.set(name, service);
      openIndexes(indexes, services, clock);
      endpoints.configure(before);
      closeIndexes(indexes, services);
      for (const { namespace, service, ...readiness } of isRunning ? slices.services() : []) {
        const isNew = !isWatched(before.get(service), namespace);
        if (isNew && readiness.isReady) endpoints.foundReady({ namespace, service, ...readiness });
      }
    },
    start() {
      isRunning = true;
      for (const service of slices.services()) if (service.isReady) endpoints.foundReady(service);
    },
    stop() {
      isRunning = false;
      queue.close();
      endpoints.stop();
      windows.closeAll();
    },
    drained: () => queue.idle(),
    *actors() {
      yield* endpoints.actors();
      yield* windows.actors();
      yield* deletions.actors();
    },
    crashLooping,
    unseen: () => (isRunning ? unseen.all(services.keys(), slices.services()) : []),
    actorCounts: () => ({ endpoint: endpoints.size, window: windows.actorCount, podDeletion: deletions.size }),
    counts: () => ({
      endpoints: endpoints.size,
      windows: windows.size,
      podDeletions: deletions.size,
      crashLoopingPods: [...indexes.values()].reduce((sum, index) => sum + index.size, 0),
      queued: queue.waiting,
      inFlight: queue.active,
    }),
  };
}

/** One index for each distinct podSelector, however many services use it. */
function openIndexes(indexes: Map<string, PodIndex>, services: Config['services'], clock: Clock): void {
  for (const text of distinctSelectors({ services }).keys()) {
    if (!indexes.has(text)) indexes.set(text, createPodIndex(clock));
  }
}

function closeIndexes(indexes: Map<string, PodIndex>, services: Config['services']): void {
  const selectors = distinctSelectors({ services });
  for (const text of [...indexes.keys()]) if (!selectors.has(text)) indexes.delete(text);
}
