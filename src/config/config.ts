import { type LabelSelector, selectorToString } from '../kube/objects/selector.ts';
import { distinct, resolveSelector } from './resolve.ts';
import { resolveRestart } from './resolveRestart.ts';
import type { RestartConfig } from './restart.ts';
import type { ObserverConfig } from './schema/observer.ts';
import type { ConfigFile } from './schema/schema.ts';

/** One configured service, with all defaults applied. */
export interface ServiceConfig {
  readonly name: string;
  /** The namespaces of the service. */
  readonly namespaces: readonly string[] | 'all';
  readonly podSelectors: readonly LabelSelector[];
  /** Milliseconds. */
  readonly watchDuration: number;
  /** The namespaces of its dependants. */
  readonly dependantNamespaces: 'same' | 'all' | readonly string[];
  readonly onStart: 'recent' | 'always' | 'never';
  readonly whileNotReady: 'hold' | 'delete';
  readonly barePods: 'keep' | 'delete';
  readonly deletion: 'delete' | 'evict';
  /** Undefined: the grace period of the pod itself. */
  readonly gracePeriodSeconds: number | undefined;
}

/** The config as the program uses it. */
export interface Config {
  /** The configured services by name. */
  readonly services: ReadonlyMap<string, ServiceConfig>;
  /** Undefined: the file has no section `restartControl`, and no workload is managed. */
  readonly restart: RestartConfig | undefined;
  /** Left out: the file has no section `observer`, and no Application is managed. */
  readonly observer?: ObserverConfig;
}

/** Whether no controller has anything to do. */
export function isNeutral({ services, restart, observer }: Config): boolean {
  return services.size === 0 && restart === undefined && observer === undefined;
}

/** Whether the config contains this service in this namespace. */
export function isWatched(service: ServiceConfig | undefined, namespace: string): boolean {
  return service !== undefined && (service.namespaces === 'all' || service.namespaces.includes(namespace));
}

type ServiceEntry = NonNullable<ConfigFile['servicesAndDependantSelectors']>[string];

/** Applies the top-level settings of the file to each service that does not set them itself. */
export function resolveConfig(file: ConfigFile): Config {
  const { servicesAndDependantSelectors: entries = {}, restartControl, observer } = file;
  return {
    services: new Map(Object.entries(entries).map(([name, entry]) => [name, resolveService(name, entry, file)])),
    restart: restartControl && resolveRestart(restartControl),
    ...(observer === undefined ? {} : { observer }),
  };
}

function resolveService(name: string, entry: ServiceEntry, file: ConfigFile): ServiceConfig {
  const dependantNamespaces = entry.dependantNamespaces ?? file.dependantNamespaces;
  return {
    name,
    namespaces: distinct(entry.namespaces ?? file.namespaces) ?? 'all',
    podSelectors: entry.podSelectors.map(resolveSelector),
    watchDuration: entry.watchDuration ?? file.watchDuration,
    dependantNamespaces: typeof dependantNamespaces === 'string' ? dependantNamespaces : distinct(dependantNamespaces),
    onStart: entry.onStart ?? file.onStart,
    whileNotReady: entry.whileNotReady ?? file.whileNotReady,
    barePods: entry.barePods ?? file.barePods,
    deletion: entry.deletion ?? file.deletion,
    gracePeriodSeconds: entry.gracePeriodSeconds ?? file.gracePeriodSeconds,
  };
}

/** Every podSelector of the config, by its canonical text. */
export function distinctSelectors({ services }: Pick<Config, 'services'>): ReadonlyMap<string, LabelSelector> {
  const all = [...services.values()].flatMap((service) => service.podSelectors);
  return new Map(all.map((selector) => [selectorToString(selector), selector]));
}
