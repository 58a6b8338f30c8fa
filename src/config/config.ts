import { type LabelSelector, selectorToString } from '@weeder/kube-runtime/objects';
import type { MaintenanceWindow } from './maintenance.ts';
import { distinct, resolveSelector } from './resolve.ts';
import { resolveRestart } from './resolveRestart.ts';
import type { RestartConfig } from './restart.ts';
import type { ReceiverConfig } from './schema/notificationsSchema.ts';
import type { ObserverConfig } from './schema/observer.ts';
import type { ConfigFile, EvidenceConfig, SiblingEvidence } from './schema/schema.ts';
import { includesName } from './scopes.ts';

/** At most `pods` deletions in any time `per`, in milliseconds. */
export interface Pace {
  readonly pods: number;
  readonly per: number;
}

/** How the recoveries of a service are handled. */
export interface ServiceSettings {
  /** Milliseconds. */
  readonly watchDuration: number;
  readonly onStart: 'recent' | 'always' | 'never';
  readonly whileNotReady: 'hold' | 'delete';
  readonly barePods: 'keep' | 'delete';
  readonly deletion: 'delete' | 'evict';
  /** Undefined: the grace period of the pod itself. */
  readonly gracePeriodSeconds: number | undefined;
  /** Undefined: only the limits of all deletions apply. */
  readonly pace: Pace | undefined;
  /** When pods may be deleted. Empty: at any time. */
  readonly maintenanceWindows: readonly MaintenanceWindow[];
}

/** One configured service, with all defaults applied. */
export interface ServiceConfig extends ServiceSettings {
  readonly name: string;
  /** The namespaces of the service. */
  readonly namespaces: readonly string[] | 'all';
  readonly podSelectors: readonly LabelSelector[];
  /** The line of each podSelector in the file. Left out: only `weeder run` asks for it. */
  readonly selectorLines?: readonly number[];
  /** The namespaces of its dependants. */
  readonly dependantNamespaces: 'same' | 'all' | readonly string[];
}

/** The section `declaredDependencies`, with all defaults applied. */
export interface DeclaredConfig extends ServiceSettings {
  /** The namespaces of the pods whose declarations count. */
  readonly namespaces: readonly string[] | 'all';
  /** The services that pods declare, as `namespace/name`. The file has none: weeder finds them while it runs. */
  readonly services: ReadonlySet<string>;
  /** Left out: a dependant that runs again opens no window. */
  readonly siblingEvidence?: SiblingEvidence;
}

/** The section `podCreation`, with all defaults applied. */
export interface PodCreationConfig extends Pick<ServiceSettings, 'watchDuration' | 'onStart' | 'whileNotReady'> {
  readonly maxPerSecond: number;
  /**
   * By the name of a webhook without which no pod can be created: its Services, as `namespace/name`. The file has none:
   * weeder finds them while it runs.
   */
  readonly webhooks: Webhooks;
}

export type Webhooks = ReadonlyMap<string, ReadonlySet<string>>;

/** The config as the program uses it. */
export interface Config {
  /** The configured services by name. */
  readonly services: ReadonlyMap<string, ServiceConfig>;
  /** Left out: the file has no section `declaredDependencies`, and declarations of pods are ignored. */
  readonly declared?: DeclaredConfig;
  /** Left out: the file has no section `podCreation`, and webhooks are not read. */
  readonly podCreation?: PodCreationConfig;
  /** Left out: the file has no section `evidence`, and no log is read. */
  readonly evidence?: EvidenceConfig;
  /** Undefined: the file has no section `restartControl`, and no workload is managed. */
  readonly restart: RestartConfig | undefined;
  /** Left out: the file has no section `observer`, and no Application is managed. */
  readonly observer?: ObserverConfig;
  /** The receivers of notifications by name. Left out: the file has none. A recording does not have them. */
  readonly notifications?: Readonly<Record<string, ReceiverConfig>>;
}

/** Whether no controller has anything to do. */
export function isNeutral({ services, declared, podCreation, restart, observer }: Config): boolean {
  return services.size === 0 && [declared, podCreation, restart, observer].every((section) => section === undefined);
}

/** Whether the config names this service in this namespace. */
export function isConfigured(service: ServiceConfig | undefined, namespace: string): service is ServiceConfig {
  return service !== undefined && includesName(service.namespaces, namespace);
}

type ServiceEntry = NonNullable<ConfigFile['servicesAndDependantSelectors']>[string];
type DeclaredEntry = NonNullable<ConfigFile['declaredDependencies']>;
type PodCreationEntry = NonNullable<ConfigFile['podCreation']>;

/** Applies the top-level settings of the file to each service that does not set them itself. */
export function resolveConfig(file: ConfigFile): Config {
  const {
    servicesAndDependantSelectors: entries = {},
    declaredDependencies,
    podCreation,
    evidence,
    restartControl,
    observer,
    notifications,
  } = file;
  return {
    services: new Map(Object.entries(entries).map(([name, entry]) => [name, resolveService(name, entry, file)])),
    ...(declaredDependencies === undefined ? {} : { declared: resolveDeclared(declaredDependencies, file) }),
    ...(podCreation === undefined ? {} : { podCreation: resolvePodCreation(podCreation, file) }),
    ...(evidence === undefined ? {} : { evidence }),
    restart: restartControl && resolveRestart(restartControl),
    ...(observer === undefined ? {} : { observer }),
    ...(notifications === undefined ? {} : { notifications }),
  };
}

function resolveService(name: string, entry: ServiceEntry, file: ConfigFile): ServiceConfig {
  const dependantNamespaces = entry.dependantNamespaces ?? file.dependantNamespaces;
  return {
    name,
    namespaces: distinct(entry.namespaces ?? file.namespaces) ?? 'all',
    podSelectors: entry.podSelectors.map(resolveSelector),
    dependantNamespaces: typeof dependantNamespaces === 'string' ? dependantNamespaces : distinct(dependantNamespaces),
    ...settingsOf(entry, file),
  };
}

function resolveDeclared(entry: DeclaredEntry, file: ConfigFile): DeclaredConfig {
  const { namespaces, siblingEvidence } = entry;
  return {
    namespaces: distinct(namespaces) ?? 'all',
    services: new Set(),
    ...(siblingEvidence === undefined ? {} : { siblingEvidence }),
    ...settingsOf(entry, file),
  };
}

function resolvePodCreation(entry: PodCreationEntry, file: ConfigFile): PodCreationConfig {
  return {
    maxPerSecond: entry.maxPerSecond,
    webhooks: new Map(),
    watchDuration: entry.watchDuration ?? file.watchDuration,
    onStart: entry.onStart ?? file.onStart,
    whileNotReady: entry.whileNotReady ?? file.whileNotReady,
  };
}

function settingsOf(entry: ServiceEntry | DeclaredEntry, file: ConfigFile): ServiceSettings {
  return {
    watchDuration: entry.watchDuration ?? file.watchDuration,
    onStart: entry.onStart ?? file.onStart,
    whileNotReady: entry.whileNotReady ?? file.whileNotReady,
    barePods: entry.barePods ?? file.barePods,
    deletion: entry.deletion ?? file.deletion,
    gracePeriodSeconds: entry.gracePeriodSeconds ?? file.gracePeriodSeconds,
    pace: entry.pace ?? file.pace,
    maintenanceWindows: entry.maintenanceWindows ?? file.maintenanceWindows,
  };
}

/** Every podSelector of the config, by its canonical text. */
export function distinctSelectors({ services }: Pick<Config, 'services'>): ReadonlyMap<string, LabelSelector> {
  const selectors = [...services.values()].flatMap((service) => service.podSelectors);
  return new Map(selectors.map((selector) => [selectorToString(selector), selector]));
}

/** The longest `watchDuration` of the services, in milliseconds. */
export function longestWindow({ services, declared, podCreation }: Config): number {
  const durations = [...services.values(), declared, podCreation].map((each) => each?.watchDuration ?? 0);
  return durations.reduce((longest, each) => Math.max(longest, each), 0);
}
