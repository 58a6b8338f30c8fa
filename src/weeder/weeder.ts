import type { AnyActorRef } from 'xstate';
import type { ActorRuntime } from '../actorRuntime.ts';
import type { Config, ServiceConfig } from '../config/config.ts';
import { selectorToString } from '../kube/selector.ts';
import { type DeletePod, deleteNothing } from './deletePod.ts';
import { createDeletionQueue } from './deletionQueue.ts';
import { createDeletions } from './deletions.ts';
import { createEndpoints } from './endpoints.ts';
import type { Report } from './facts.ts';
import { createPodIndex, type PodIndex } from './podIndex.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import type { ReadySince } from './readySince.ts';
import { createWindows } from './windows.ts';

export interface WeederOptions {
  readonly config: Config;
  readonly runtime: ActorRuntime;
  readonly deletePod: DeletePod;
  readonly readySince: ReadySince;
  readonly report: Report;
  /** How many deletions may be in flight at once. */
  readonly concurrentDeletions: number;
  readonly isDryRun: boolean;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
}

/** How much of everything there is now. */
export interface WeederCounts {
  readonly endpoints: number;
  readonly windows: number;
  readonly podDeletions: number;
  readonly crashLoopingPods: number;
  readonly queued: number;
  readonly inFlight: number;
}

/** The weeder without its streams: facts go in by the sinks, deletions come out by `deletePod`. */
export interface Weeder {
  /** Takes the EndpointSlices of the configured services. */
  readonly slices: Readiness;
  /** Takes the pods of each distinct podSelector, by the selector's canonical text. */
  readonly pods: ReadonlyMap<string, PodIndex>;
  /** Every sink has its complete list: from now on each recovery opens a window. */
  start(): void;
  /** Begins no deletion any more. */
  stop(): void;
  /** Resolves when no deletion is in flight. */
  drained(): Promise<void>;
  counts(): WeederCounts;
  /** The roots: an actor for each service and for each pod. */
  actors(): Iterable<AnyActorRef>;
  /** How many `dependants` actors there are below them. */
  dependants(): number;
}

export function createWeeder(options: WeederOptions): Weeder {
  const { config, runtime, report, isDryRun, random } = options;
  const deletePod = isDryRun ? deleteNothing : options.deletePod;
  const { clock } = runtime;
  const indexes = createIndexes(config, runtime);
  const windows = createWindows(clock, report);
  const queue = createDeletionQueue(options.concurrentDeletions);
  const deletions = createDeletions({
    clock,
    runtime,
    queue,
    deletePod,
    isDryRun,
    report,
    random,
    settle: windows.settle,
  });
  let isRunning = false;

  const slices = createReadiness(clock, (namespace, service) => isWanted(config.services.get(service), namespace), {
    changed: (service) => {
      if (isRunning) endpoints.changed(service);
    },
    readyAfterGap: (service, seenUntil) => {
      if (isRunning) endpoints.readyAfterGap(service, seenUntil);
    },
  });

  const endpoints = createEndpoints({
    clock,
    runtime,
    services: config.services,
    windows,
    deletions,
    report,
    readySince: options.readySince,
    evidence: slices.evidence,
    indexOf: (service, selector) => {
      const wanted = config.services.get(service)?.podSelectors[selector];
      return wanted === undefined ? undefined : indexes.get(selectorToString(wanted));
    },
  });

  return {
    slices,
    pods: indexes,
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
      yield* deletions.actors();
    },
    dependants: () => endpoints.dependants,
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

/** One index for each distinct podSelector, however many services name it. */
function createIndexes(config: Config, { clock }: ActorRuntime): Map<string, PodIndex> {
  const selectors = [...config.services.values()].flatMap((service) => service.podSelectors).map(selectorToString);
  return new Map([...new Set(selectors)].map((text) => [text, createPodIndex(clock)]));
}

function isWanted(service: ServiceConfig | undefined, namespace: string): boolean {
  return service !== undefined && (service.namespaces === 'all' || service.namespaces.includes(namespace));
}
