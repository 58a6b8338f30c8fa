import { isDeepStrictEqual } from 'node:util';
import { createSchedule } from '@weeder/kube-runtime/queue';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import type { AnyActorRef } from 'xstate';
import type { resource } from '../../machines/observer/resource.ts';
import type { ActorRuntime } from '../actors/actorRuntime.ts';
import type { Random } from '../actors/effect.ts';
import type { Config } from '../config/config.ts';
import type { AllowedResources } from '../config/schema/allowedResources.ts';
import { defaultObserver } from '../config/schema/observer.ts';
import type { ControllerContext, PendingWork } from '../controller/controller.ts';
import { type ApplicationLogic, provideApplication } from './application/applicationActor.ts';
import { applicationStreams, type WrapApplicationSink } from './application/applicationStream.ts';
import { createApplications } from './application/applications.ts';
import { accountOf } from './application/planResources.ts';
import { createAccess } from './entries/access.ts';
import type { ApplicationEntry } from './entries/entries.ts';
import type { ReportObserver } from './objects/events.ts';
import { type HashManifest, hashManifest } from './plan/manifestHash.ts';
import { maxConcurrentRequests, type ResourceApi, type RestMapper } from './plan/resourceApi.ts';
import { provideResource } from './resource/resourceActor.ts';
import type { ApplicationApi } from './status/applicationApi.ts';
import { createStatusWriter } from './status/statusWriter.ts';
import type { ObserverEffects } from './streams/observerEffects.ts';
import { createOwnershipClaims } from './streams/ownershipClaims.ts';
import { createRequestSemaphore, type SlowRequests } from './streams/requestSemaphore.ts';
import { createResourceStreams, type WrapResourceSink } from './streams/resourceStreams.ts';
import { createResources } from './streams/resources.ts';
import { createServiceAccounts } from './streams/serviceAccounts.ts';

type ContextOptions = 'config' | 'namespaces' | 'owned' | 'isDryRun' | 'onStreamsChanged' | 'onStreamClosed';

/** All effects and inputs of the observer. A recording wraps them, and a replay replaces them. */
export interface ObserverCoreOptions extends Pick<ControllerContext, ContextOptions> {
  readonly runtime: ActorRuntime;
  readonly api: ResourceApi;
  readonly kinds: RestMapper;
  readonly applications: ApplicationApi;
  readonly report: ReportObserver;
  readonly random: Random;
  /** Applications without a ServiceAccount are applied with weeder's own permissions. */
  readonly mayUseOwnRights: boolean;
  /** Called when the observer starts to act, with the number of applications. */
  readonly onStarted?: (applications: number) => void;
  /** Default: `hashManifest`. */
  readonly hashManifest?: HashManifest;
  readonly wrapApplications?: WrapApplicationSink;
  readonly wrapResources?: WrapResourceSink;
}

/** The current numbers of applications and resources. */
interface ObserverCounts {
  readonly applications: Readonly<Record<string, number>>;
  /** By the state of their machine, or by the status for resources without a machine. */
  readonly resources: Readonly<Record<string, number>>;
}

/** The observer without its log and its Events. */
export interface ObserverCore {
  /** The streams that have to be open, by name. */
  readonly needs: ReadonlyMap<string, StreamNeed>;
  configure(config: Config): void;
  /** Starts to act. */
  start(): void;
  stop(): void;
  /** Resolves when no request is in flight. */
  drained(): Promise<void>;
  /** Iterates over all resources. */
  counts(): ObserverCounts;
  /** Returns the number of queued and running applies. It is read before each Event, so it does not iterate. */
  work(): PendingWork;
  actorCounts(): { readonly applications: number; readonly resources: number };
  /** Returns a root actor for each application and for each resource. */
  actors(): Iterable<AnyActorRef>;
  entries(): Iterable<ApplicationEntry>;
  /** Returns the ServiceAccount that applies the resources; undefined: weeder's own permissions are used. */
  accountOf(application: ApplicationEntry): string | undefined;
}

export type CreateObserverCore = (options: ObserverCoreOptions) => ObserverCore;

/** A dry run starts every two seconds, so more than this are in flight only if the API server is slow. */
const maxConcurrentRebaselines = 2;

export function createObserverCore(options: ObserverCoreOptions): ObserverCore {
  const { runtime, report, random, isDryRun, mayUseOwnRights, namespaces } = options;
  const { clock } = runtime;
  const inFlight = new Set<Promise<unknown>>();
  const slow: SlowRequests = new Set();
  const writes = createRequestSemaphore(clock, maxConcurrentRequests, slow);
  const rebaselineSchedule = createSchedule(clock, options.config.observer?.trialPeriod ?? 0);
  let isConfigured = options.config.observer !== undefined;
  let allow = (options.config.observer ?? defaultObserver).allow;
  let { maintenanceWindows, pruneDelay } = options.config.observer ?? defaultObserver;
  let mayStart = false;

  const streams = createResourceStreams({
    clock,
    namespaces,
    ...(options.wrapResources === undefined ? {} : { wrap: options.wrapResources }),
    onChanged: options.onStreamsChanged,
    onClosed: options.onStreamClosed,
  });
  const resources = createResources({ runtime, logic: () => resourceLogic, streams, report });
  const status = createStatusWriter({
    clock,
    applications: options.applications,
    inFlight,
    isHeldBack: () => writes.waiting > 0,
  });
  const effects: ObserverEffects = {
    runtime,
    api: options.api,
    restMapper: options.kinds,
    applications: options.applications,
    access: createAccess(clock, options.api),
    serviceAccounts: createServiceAccounts(clock, options.applications),
    claims: createOwnershipClaims({
      applications: options.applications,
      isKnown: (label) => [...applications.entries()].some(({ owner }) => owner.label === label),
      seesAll: namespaces === 'all' && options.owned === undefined,
    }),
    streams,
    resources,
    writes,
    dryRuns: createRequestSemaphore(clock, maxConcurrentRequests, slow),
    rebaselines: createRequestSemaphore(clock, maxConcurrentRebaselines, slow),
    rebaselineSchedule,
    status,
    report,
    allow: () => allow,
    maintenanceWindows: () => maintenanceWindows,
    pruneDelay: () => pruneDelay,
    hashManifest: options.hashManifest ?? hashManifest,
    random,
    isDryRun,
    mayUseOwnRights,
    entryOf: (id) => applications.get(id),
    allEntries: () => applications.entries(),
  };
  const resourceLogic: typeof resource = provideResource(effects);
  const logic: ApplicationLogic = provideApplication(effects);
  const applications = createApplications({
    runtime,
    logic,
    report,
    resources,
    status,
    api: options.applications,
    limits: options.config.observer ?? defaultObserver,
  });

  const unsynced = new Set<string>();
  const opened = applicationStreams({
    namespaces,
    owned: options.owned,
    listener: applications,
    ...(options.wrapApplications === undefined ? {} : { wrap: options.wrapApplications }),
    onSynced(name) {
      unsynced.delete(name);
      startIfComplete();
    },
  });
  for (const name of opened.keys()) unsynced.add(name);

  /** Starts only when all streams are listed: an object that was not read yet must not be taken for absent. */
  function startIfComplete(): void {
    if (!mayStart || !isConfigured || unsynced.size > 0 || applications.isRunning) return;
    applications.start();
    options.onStarted?.(applications.size);
  }

  function allowOnly(next: AllowedResources): void {
    if (isDeepStrictEqual(next, allow)) return;
    allow = next;
    for (const { actor } of applications.entries()) actor.send({ type: 'application.changed' });
  }

  /** Whatever waits for a maintenance window is checked again. */
  function correctOnlyIn(next: typeof maintenanceWindows): void {
    if (isDeepStrictEqual(next, maintenanceWindows)) return;
    maintenanceWindows = next;
    for (const { resources } of applications.entries())
      for (const { actor } of resources.values()) actor.send({ type: 'resync.due' });
  }

  return {
    get needs() {
      return isConfigured ? new Map([...opened, ...streams.needs]) : new Map();
    },
    configure(next) {
      const before = isConfigured;
      isConfigured = next.observer !== undefined;
      rebaselineSchedule.configure(next.observer?.trialPeriod ?? 0);
      const settings = next.observer ?? defaultObserver;
      applications.limit(settings);
      allowOnly(settings.allow);
      correctOnlyIn(settings.maintenanceWindows);
      pruneDelay = settings.pruneDelay;
      if (before === isConfigured) return;
      if (!isConfigured) applications.stop();
      for (const name of isConfigured ? [] : opened.keys()) options.onStreamClosed(name);
      for (const name of opened.keys()) unsynced.add(name);
      options.onStreamsChanged();
    },
    start() {
      mayStart = true;
      startIfComplete();
    },
    stop() {
      mayStart = false;
      // The next leader reads the status. A resource that is not in it would be applied once more.
      status.flush();
      applications.stop();
      status.close();
    },
    async drained() {
      const underWay = () => [...inFlight, ...applications.inFlight()];
      for (let works = underWay(); works.length > 0; works = underWay()) await Promise.allSettled(works);
    },
    counts: applications.counts,
    work: () => ({ queued: writes.waiting, inFlight: writes.active }),
    actorCounts: () => ({ applications: applications.size, resources: applications.observed }),
    actors: applications.actors,
    entries: applications.entries,
    accountOf: ({ newest }) => accountOf(newest, mayUseOwnRights),
  };
}
