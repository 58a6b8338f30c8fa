import { settled, type VirtualClock, virtualClock } from '@weeder/kube-runtime/testing';
import type { ChangeType } from '@weeder/kube-runtime/watch';
import type { ActorRuntime } from '../../../src/actors/actorRuntime.ts';
import type { Config, DeclaredConfig, ServiceConfig } from '../../../src/config/config.ts';
import type { DeletionAnswer, DeletionAttempt } from '../../../src/weeder/deletions/deletePod.ts';
import { type ReadLog, readNoLog } from '../../../src/weeder/deletions/readLog.ts';
import type { ReportWeeder, WeederEvent } from '../../../src/weeder/deletions/weederEvents.ts';
import type { ReadyEvidence } from '../../../src/weeder/services/readiness.ts';
import { createWeeder, type Weeder } from '../../../src/weeder/weeder.ts';
import { type PodOptions, pod, type SliceOptions, slice } from '../objects/objects.ts';

export const minute = 60_000;

export interface SimulationOptions {
  readonly service?: Partial<ServiceConfig>;
  readonly services?: readonly Partial<ServiceConfig>[];
  /** The section for declared dependencies, with the services that pods declare. Default: none. */
  readonly declared?: Partial<DeclaredConfig>;
  readonly concurrentDeletions?: number;
  readonly isDryRun?: boolean;
  /** How the API server responds to a deletion; default: it accepts. */
  readonly answer?: (request: DeletionAttempt) => DeletionAnswer | Promise<DeletionAnswer>;
  readonly readySince?: (evidence: ReadyEvidence) => number | undefined;
  /** With it, the config wants 20 lines of the log of a crashed container. */
  readonly readLog?: ReadLog | undefined;
  readonly inspect?: ActorRuntime['inspect'];
  /** Also called for every event. */
  readonly report?: ReportWeeder;
  /** The wall clock at the start: epoch milliseconds. */
  readonly startTime?: number;
  /** Default: one that starts at that time. */
  readonly clock?: VirtualClock;
}

/** The whole weeder without a cluster, in simulated time: the test acts as the API server. */
export interface Simulation {
  readonly clock: VirtualClock;
  readonly weeder: Weeder;
  readonly events: WeederEvent[];
  /** Every deletion that reached the API server, with its time in milliseconds since the start. */
  readonly deletions: (DeletionAttempt & { readonly at: number; readonly how: string })[];
  /** An event of the EndpointSlice stream. */
  slice(options?: SliceOptions, type?: ChangeType): void;
  /** An event of every pod stream. */
  pod(options?: PodOptions, type?: ChangeType): void;
  /** Names of the pods deleted so far. */
  deletedNames(): string[];
  eventsOf<T extends WeederEvent['type']>(type: T): Extract<WeederEvent, { type: T }>[];
}

export const apiserver = { matchLabels: { role: 'apiserver' } };

export function serviceConfig(part: Partial<ServiceConfig> = {}): ServiceConfig {
  return {
    name: 'etcd-main-client',
    namespaces: 'all',
    podSelectors: [apiserver],
    watchDuration: 2 * minute,
    dependantNamespaces: 'same',
    onStart: 'recent',
    whileNotReady: 'hold',
    barePods: 'keep',
    deletion: 'delete',
    gracePeriodSeconds: undefined,
    pace: undefined,
    maintenanceWindows: [],
    ...part,
  };
}

export function declaredConfig(part: Partial<DeclaredConfig> = {}): DeclaredConfig {
  const { name: _, podSelectors: _selectors, dependantNamespaces: _namespaces, ...settings } = serviceConfig();
  return { ...settings, services: new Set(), ...part };
}

/** The config of a simulation. */
export function configFor({ services, service, declared, readLog }: SimulationOptions): Config {
  const configs = (services ?? [service ?? {}]).map(serviceConfig);
  return {
    services: new Map(configs.map((each) => [each.name, each])),
    ...(declared === undefined ? {} : { declared: declaredConfig(declared) }),
    ...(readLog === undefined ? {} : { evidence: { logLines: 20 } }),
    restart: undefined,
  };
}

/**
 * `before` delivers the content of the streams before weeder starts. If there is `followPods`, it opens the streams of
 * pods.
 */
export function simulate(
  options: SimulationOptions = {},
  before: (simulation: Simulation) => void = () => {},
  followPods?: (weeder: Weeder) => void,
): Simulation {
  const clock = options.clock ?? virtualClock(options.startTime);
  const began = clock.monotonic();
  const events: WeederEvent[] = [];
  const deletions: Simulation['deletions'] = [];
  const weeder = createWeeder({
    config: configFor(options),
    runtime: options.inspect === undefined ? { clock } : { clock, inspect: options.inspect },
    concurrentDeletions: options.concurrentDeletions ?? 32,
    isDryRun: options.isDryRun ?? false,
    random: () => 0.5,
    report: (event) => {
      events.push(event);
      options.report?.(event);
    },
    readySince: async (evidence) => options.readySince?.(evidence),
    readLog: options.readLog ?? readNoLog,
    deletePod: async (request) => {
      deletions.push({ ...request, at: clock.monotonic() - began, how: request.policy.deletion });
      return (await options.answer?.(request)) ?? { type: 'delete.accepted' };
    },
  });
  const simulation: Simulation = {
    clock,
    weeder,
    events,
    deletions,
    slice: (each, type = 'MODIFIED') => weeder.slices.apply(type, slice(each)),
    pod: (podOptions, type = 'MODIFIED') => {
      const object = pod(podOptions);
      for (const sink of [...weeder.pods.values(), weeder.declaredPods]) sink.apply(type, object);
    },
    deletedNames: () => deletions.map((each) => each.name),
    eventsOf: (type) =>
      events.filter((event): event is Extract<WeederEvent, { type: typeof type }> => event.type === type),
  };
  const sinks = [weeder.slices, ...(followPods === undefined ? [...weeder.pods.values(), weeder.declaredPods] : [])];
  for (const sink of sinks) sink.begin();
  before(simulation);
  for (const sink of sinks) sink.end();
  followPods?.(weeder);
  weeder.start();
  return simulation;
}

export { settled };
