import { formatDuration } from '@weeder/kube-runtime/base';
import type { Config, DeclaredConfig, PodCreationConfig, ServiceConfig, ServiceSettings } from './config.ts';
import type { MaintenanceWindow } from './maintenance.ts';
import type { RestartConfig, RestartRule, RestartSettings } from './restart.ts';
import type { ObserverConfig } from './schema/observer.ts';

/** A config file that resolves to this config, with every default written out, for storage. */
export function configFileOf(config: Config): object {
  const entries = [...config.services].map(([name, service]) => [name, entryOf(service)]);
  return {
    ...(entries.length === 0 ? {} : { servicesAndDependantSelectors: Object.fromEntries(entries) }),
    ...(config.declared === undefined ? {} : { declaredDependencies: declaredFileOf(config.declared) }),
    ...(config.podCreation === undefined ? {} : { podCreation: podCreationFileOf(config.podCreation) }),
    ...(config.evidence === undefined ? {} : { evidence: config.evidence }),
    ...(config.restart === undefined ? {} : { restartControl: restartFileOf(config.restart) }),
    ...(config.observer === undefined ? {} : { observer: observerFileOf(config.observer) }),
  };
}

function entryOf({ name: _name, selectorLines: _lines, ...service }: ServiceConfig): object {
  return withoutDefaults(service);
}

function declaredFileOf({ services: _, siblingEvidence, ...section }: DeclaredConfig): object {
  if (siblingEvidence === undefined) return withoutDefaults(section);
  const { readyFor, windowsPerHour } = siblingEvidence;
  return {
    ...withoutDefaults(section),
    siblingEvidence: { readyFor: formatDuration(readyFor), windowsPerHour },
  };
}

function observerFileOf({ maintenanceWindows, pruneDelay, trialPeriod, ...section }: ObserverConfig): object {
  return {
    ...section,
    ...maintenanceFileOf(maintenanceWindows),
    pruneDelay: formatDuration(pruneDelay),
    trialPeriod: formatDuration(trialPeriod),
  };
}

function podCreationFileOf({ webhooks: _, watchDuration, ...section }: PodCreationConfig): object {
  return { ...section, watchDuration: formatDuration(watchDuration) };
}

function withoutDefaults({
  namespaces,
  watchDuration,
  gracePeriodSeconds,
  pace,
  maintenanceWindows,
  ...rest
}: ServiceSettings & Pick<ServiceConfig, 'namespaces'>): object {
  return {
    ...rest,
    watchDuration: formatDuration(watchDuration),
    ...(namespaces === 'all' ? {} : { namespaces }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(pace === undefined ? {} : { pace: { pods: pace.pods, per: formatDuration(pace.per) } }),
    ...maintenanceFileOf(maintenanceWindows),
  };
}

/** Nothing without maintenance windows. */
function maintenanceFileOf(windows: readonly MaintenanceWindow[]): object {
  return windows.length === 0 ? {} : { maintenanceWindows: windows.map(maintenanceWindowFileOf) };
}

function maintenanceWindowFileOf({ duration, ...window }: MaintenanceWindow): object {
  return { ...window, duration: formatDuration(duration) };
}

/** A config as a recording stores it. */
export interface StoredConfig {
  /** In the form of a config file. */
  readonly config: object;
  /** The services that pods declare, as `namespace/name`; left out if there are none. */
  readonly declared?: readonly string[];
  /** By the name of a webhook without which no pod can be created: its Services; left out if there are none. */
  readonly webhooks?: Readonly<Record<string, readonly string[]>>;
}

/** A config file, and the services that pods declare and webhooks call, which no file has. */
export function storedConfigOf(config: Config): StoredConfig {
  const services = [...(config.declared?.services ?? [])];
  const webhooks = [...(config.podCreation?.webhooks ?? [])].map(([name, called]) => [name, [...called]] as const);
  return {
    config: configFileOf(config),
    ...(services.length === 0 ? {} : { declared: services }),
    ...(webhooks.length === 0 ? {} : { webhooks: Object.fromEntries(webhooks) }),
  };
}

/** A section `restartControl` that resolves to this config, with every default written out. */
function restartFileOf({ rules, defaults, sourceKinds, hashKey, ...limits }: RestartConfig): object {
  const { namespace, name } = hashKey;
  return {
    rules: rules.map(ruleOf),
    ...settingsOf(defaults),
    ...limits,
    sourceKinds: [...sourceKinds],
    hashKey: { name, ...(namespace === undefined ? {} : { namespace }) },
  };
}

function ruleOf({ namespaces, kinds, selector, ...settings }: RestartRule): object {
  return {
    ...(namespaces === 'all' ? {} : { namespaces }),
    kinds: [...kinds],
    ...(selector === undefined ? {} : { selector }),
    ...settingsOf(settings),
  };
}

function settingsOf(settings: RestartSettings): object {
  const { quietPeriod, quietMax, minInterval, stallAfter, progressDeadline, maintenanceWindows, sources, ...choices } =
    settings;
  return {
    quietPeriod: formatDuration(quietPeriod),
    quietMax: formatDuration(quietMax),
    minInterval: formatDuration(minInterval),
    stallAfter: formatDuration(stallAfter),
    progressDeadline: formatDuration(progressDeadline),
    ...choices,
    maintenanceWindows: maintenanceWindows.map(maintenanceWindowFileOf),
    sources: sources.map(({ namespace, kinds, names }) => ({
      namespace,
      kinds: [...kinds],
      ...(names === 'all' ? {} : { names }),
    })),
  };
}
