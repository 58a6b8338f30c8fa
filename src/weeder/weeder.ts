import { createLimitedQueue } from '@weeder/kube-runtime/queue';
import type { AnyActorRef } from 'xstate';
import type { ActorRuntime } from '../actors/actorRuntime.ts';
import type { Random } from '../actors/effect.ts';
import { type Config, isConfigured } from '../config/config.ts';
import { lookupOf, type ServiceLookup, type WatchedService } from '../config/serviceLookup.ts';
import type { PendingWork } from '../controller/controller.ts';
import { createCreations } from './creations/creations.ts';
import { createOwnerWatch } from './creations/ownerWatch.ts';
import { type OwnerRequests, retryNothing } from './creations/retryOwner.ts';
import { readDeclaringPod } from './declared/declaringPod.ts';
import { type DeletePod, deleteNothing } from './deletions/deletePod.ts';
import type { Dependants } from './deletions/deletionRequest.ts';
import { createDeletions } from './deletions/deletions.ts';
import { createPacedQueue } from './deletions/pacedQueue.ts';
import { createPodWatch } from './deletions/podWatch.ts';
import type { ReadLog } from './deletions/readLog.ts';
import type { ReportWeeder, WeederEvent, WindowRef } from './deletions/weederEvents.ts';
import { createDependantIndexes, type DeclaringWorkloads } from './dependantIndexes.ts';
import type { Dependant, ServiceDependants } from './dependants.ts';
import { createOwnerIndex, type OwnerIndex } from './owners/ownerIndex.ts';
import { type KnownPod, podFactsFrom, unknownPod } from './podFacts.ts';
import { createPodIndex } from './pods/createPodIndex.ts';
import type { PodIndex } from './pods/podIndex.ts';
import { createEndpoints } from './services/endpoints.ts';
import { createOutages } from './services/outages.ts';
import { createReadiness, type Readiness } from './services/readiness.ts';
import type { ReadySince } from './services/readySince.ts';
import type { ServiceReadiness } from './services/serviceRecords.ts';
import { type ServiceStatus, serviceStatuses } from './services/serviceStatus.ts';
import { createSiblings } from './siblings/siblings.ts';

export interface WeederOptions {
  readonly config: Config;
  readonly runtime: ActorRuntime;
  readonly deletePod: DeletePod;
  readonly readLog: ReadLog;
  readonly readySince: ReadySince;
  /** Default: no object is retried. */
  readonly ownerRequests?: OwnerRequests;
  readonly report: ReportWeeder;
  /** How many deletions may be in flight at once. */
  readonly concurrentDeletions: number;
  readonly isDryRun: boolean;
  readonly random: Random;
}

/** The current number of services, pods and actors. */
interface WeederCounts extends PendingWork {
  readonly endpoints: number;
  readonly windows: number;
  readonly podDeletions: number;
  readonly podCreations: number;
  readonly crashLoopingPods: number;
}

/** The weeder without its streams: objects come in through the sinks, and deletions go out through `deletePod`. */
export interface Weeder {
  /** The sink for the EndpointSlices of the configured services. */
  readonly slices: Readiness;
  /** The sinks for the pods of each distinct podSelector, by the selector's canonical text. */
  readonly pods: ReadonlyMap<string, PodIndex>;
  /** The sink for the pods that declare dependencies. */
  readonly declaredPods: PodIndex;
  /** The sinks for the Events of pods that could not be created. */
  readonly owners: OwnerIndex;
  /** Puts this config into force. Windows that the change does not concern are unaffected. */
  configure(config: Config): void;
  /** Every sink has its complete list: from now on each recovery opens a window. */
  start(): void;
  /** Starts no further deletions. */
  stop(): void;
  /** Resolves when no deletion is in flight. */
  drained(): Promise<void>;
  counts(): WeederCounts;
  /** Costs nothing, unlike the counts: each request of the other controllers asks for it. */
  work(): PendingWork;
  /**
   * The root actors: one for each service, one for each pod that a window wants to be deleted, and one for each object
   * that it wants to be retried.
   */
  actors(): Iterable<AnyActorRef>;
  /**
   * The dependants whose deletions wait while the service is down: none with `whileNotReady: delete`, and only those
   * that declare it if it was never ready.
   */
  heldDependantsOf(namespace: string, service: string, wasReady: boolean): readonly Dependants[];
  /** How many dependants of a service crash-loop now. */
  crashLooping(namespace: string, service: string): number;
  /** The watched services with their dependants. */
  dependencies(declaringWorkloads?: DeclaringWorkloads): Iterable<ServiceDependants>;
  /** The dependants of one service. */
  dependants(namespace: string, service: string, declaringWorkloads?: DeclaringWorkloads): readonly Dependant[];
  /** The settings that apply to a service. Undefined: it is not watched. */
  settings(namespace: string, service: string): WatchedService | undefined;
  /** What is known of a pod for the answer to why it was, or was not, deleted. */
  pod(namespace: string, name: string): KnownPod;
  /** The readiness of every watched service. Empty until `start()`, and after `stop()`. */
  services(): Iterable<ServiceStatus>;
  /** The services, as `namespace/name`, about whose windows pods decide that have crash-looped before. */
  unsettled(): Iterable<string>;
  /** The number of actors by machine; of `dependants` also those that are closing. */
  actorCounts(): Readonly<Record<'endpoint' | 'dependants' | 'podDeletion' | 'podCreation', number>>;
}

type WindowClosed = Extract<WeederEvent, { readonly type: 'window.closed' }>;

export function createWeeder(options: WeederOptions): Weeder {
  const { runtime, report, isDryRun, random, readLog, ownerRequests = retryNothing } = options;
  const deletePod = isDryRun ? deleteNothing : options.deletePod;
  const { clock } = runtime;
  let { config } = options;
  let lookup = lookupOf(config);
  const services: ServiceLookup = (namespace, service) => lookup(namespace, service);
  const siblings = createSiblings({
    clock,
    settings: () => config.declared?.siblingEvidence,
    services,
    open: (namespace, service, because) =>
      startedAt !== undefined && endpoints.dependantRecovered(slices.of(namespace, service), because),
    report,
  });
  const declaredPods = createPodIndex(clock, readDeclaringPod, siblings.pods);
  const dependants = createDependantIndexes({ clock, services, declaredPods });
  const slots = createLimitedQueue(() => ({ atOnce: options.concurrentDeletions }));
  const queue = createPacedQueue(clock, slots);
  const outages = createOutages({
    isWatched: (namespace, service) => services(namespace, service) !== undefined,
    heldDependantsOf: dependants.heldBy,
    declaredGroupsOf: (uid) => declaredPods.groupsOf(uid),
    onChanged: (uids) => deletions.reconsider(uids),
  });
  const deletions = createDeletions({
    clock,
    runtime,
    queue,
    deletePod,
    readLog,
    logLines: () => config.evidence?.logLines ?? 0,
    heldBy: outages.heldBy,
    isDryRun,
    report,
    random,
  });
  const owners = createOwnerIndex(clock, (namespace) => report({ type: 'creations.dropped', namespace }));
  const maxPerSecond = () => config.podCreation?.maxPerSecond ?? 1;
  const creations = createCreations({
    ...ownerRequests,
    clock,
    runtime,
    queue,
    maxPerSecond,
    isDryRun,
    report,
    random,
  });
  /** Epoch milliseconds; undefined: it does not run. */
  let startedAt: number | undefined;

  const slices = createReadiness(clock, (namespace, service) => services(namespace, service) !== undefined, {
    changed: (service) => {
      if (startedAt === undefined) return;
      siblings.changed(service);
      endpoints.changed(service);
    },
    unready: (service) => {
      if (startedAt !== undefined) endpoints.unready(service);
    },
    readyAfterGap: (service, seenUntil) => {
      if (startedAt !== undefined) endpoints.readyAfterGap(service, seenUntil);
    },
    foundReady: (service) => {
      if (startedAt !== undefined) endpoints.foundReady(service);
    },
  });

  const endpoints = createEndpoints({
    clock,
    runtime,
    services,
    outages,
    watchPods: createPodWatch({ clock, services, deletions, dependantsBy: dependants.by }),
    watchOwners: createOwnerWatch({ owners, creations, webhooks: () => config.podCreation?.webhooks }),
    report: (event) => report(event.type === 'window.closed' ? { ...event, ...endOf(event) } : event),
    readySince: options.readySince,
    evidence: slices.evidence,
    podOf: (namespace, service, uid) =>
      dependants
        .of(namespace, service)
        .map(({ index }) => index.get(uid))
        .find((pod) => pod !== undefined),
  });

  dependants.open(config);

  function found(service: ServiceReadiness): void {
    if (service.isReady) endpoints.foundReady(service);
    else endpoints.unready(service);
  }

  function work(): PendingWork {
    return { queued: slots.waiting, inFlight: slots.active };
  }

  function* dependencies(workloadsOf?: DeclaringWorkloads): Generator<ServiceDependants> {
    for (const { namespace, service } of statuses())
      yield { namespace, service, dependants: dependants.described(namespace, service, workloadsOf) };
  }

  /** A window with a failed deletion was over before weeder stopped. */
  function endOf(event: WindowClosed): Pick<WindowClosed, 'neverStarted' | 'handedOverTo'> {
    if (startedAt !== undefined || event.failed.length > 0) return neverStartedOf(event);
    return { handedOverTo: 'the next weeder' };
  }

  function neverStartedOf({ namespace, service }: WindowRef): Pick<WindowClosed, 'neverStarted'> {
    const neverStarted = dependants.neverStarted(namespace, service);
    return neverStarted.length === 0 ? {} : { neverStarted };
  }

  function statuses(): Iterable<ServiceStatus> {
    if (startedAt === undefined) return [];
    return serviceStatuses({
      known: slices.known(),
      declared: config.declared?.services ?? [],
      names: config.services.keys(),
      isNamed: (namespace, service) => isConfigured(config.services.get(service), namespace),
      startedAt,
    });
  }

  return {
    slices,
    pods: dependants.bySelector,
    declaredPods,
    owners,
    configure(next) {
      const before = lookup;
      config = next;
      lookup = lookupOf(config);
      dependants.open(config);
      deletions.configure(() => endpoints.configure(before));
      dependants.close(config);
      for (const service of startedAt === undefined ? [] : slices.services())
        if (before(service.namespace, service.service) === undefined) found(service);
    },
    start() {
      startedAt = clock.now();
      for (const service of slices.services()) found(service);
    },
    stop() {
      startedAt = undefined;
      queue.close();
      siblings.stop();
      endpoints.stop();
    },
    drained: () => slots.idle(),
    *actors() {
      yield* endpoints.actors();
      yield* deletions.actors();
      yield* creations.actors();
    },
    heldDependantsOf: dependants.heldBy,
    crashLooping: dependants.crashLooping,
    dependencies,
    dependants: dependants.described,
    settings: services,
    pod(namespace, name) {
      if (startedAt === undefined) return unknownPod;
      const { all: indexes, of: dependantsOf } = dependants;
      const sources = { indexes, statuses, services, dependantsOf, endpoints, deletions, queue: slots };
      return podFactsFrom(sources, namespace, name);
    },
    services: statuses,
    unsettled: siblings.unsettled,
    actorCounts: () => ({
      endpoint: endpoints.size,
      dependants: endpoints.dependants(),
      podDeletion: deletions.size,
      podCreation: creations.size,
    }),
    counts: () => ({
      endpoints: endpoints.size,
      windows: endpoints.openWindows(),
      podDeletions: deletions.size,
      podCreations: creations.size,
      crashLoopingPods: dependants.all().reduce((sum, index) => sum + index.size(), 0),
      // Those that wait for a pace may do so for minutes: the other controllers do not wait for them.
      queued: slots.waiting + queue.paced,
      inFlight: slots.active,
    }),
    work,
  };
}
