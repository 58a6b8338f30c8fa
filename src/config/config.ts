import { type LabelSelector, selectorToString } from '../kube/objects/selector.ts';
import { distinct, resolveSelector } from './resolve.ts';
import { resolveRestart } from './resolveRestart.ts';
import type { RestartConfig } from './restart.ts';
import type { ObserverConfig } from './schema/observer.ts';
import type { ConfigFile } from './schema/schema.ts';

/** One watched service, with nothing left to default. */
export interface ServiceConfig {
  readonly name: string;
  /** Where the service is looked for. */
  readonly namespaces: readonly string[] | 'all';
  readonly podSelectors: readonly LabelSelector[];
  /** Milliseconds. */
  readonly watchDuration: number;
  /** Where its dependants are looked for. */
  readonly dependantNamespaces: 'same' | 'all' | readonly string[];
  readonly onStart: 'recent' | 'always' | 'never';
  readonly whileNotReady: 'hold' | 'delete';
  readonly barePods: 'keep' | 'delete';
  readonly deletion: 'delete' | 'evict';
  /** Undefined: the pod's own. */
  readonly gracePeriodSeconds: number | undefined;
}

/** The config as the program uses it. */
export interface Config {
  /** The watched services by name; empty only where there is restart control, or the application observer. */
  readonly services: ReadonlyMap<string, ServiceConfig>;
  /** Undefined: the file has no section `restartControl`, and no workload is managed. */
  readonly restart: RestartConfig | undefined;
  /** Left out: the file has no section `observer`, and no Application is managed. */
  readonly observer?: ObserverConfig;
}

/** Whether the config names this service in this namespace. */
export function isWatched(service: ServiceConfig | undefined, namespace: string): boolean {
  return service !== undefined && (service.namespaces === 'all' || service.namespaces.includes(namespace));
}

type ServiceEntry = NonNullable<ConfigFile['servicesAndDependantSelectors']>[string];

/** Gives each service what the top of the file says where the service itself says nothing. */
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

/** Every podSelector that the config names, by its canonical text. */
export function distinctSelectors({ services }: Pick<Config, 'services'>): ReadonlyMap<string, LabelSelector> {
  const all = [...services.values()].flatMap((service) => service.podSelectors);
  return new Map(all.map((selector) => [selectorToString(selector), selector]));
}
