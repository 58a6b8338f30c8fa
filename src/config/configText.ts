import { formatDuration } from '../base/duration.ts';
import type { Config, ServiceConfig } from './config.ts';
import { restartFileOf } from './restartText.ts';

/** A config file that resolves to this config, every default written out: for whoever has to store one. */
export function configFileOf(config: Config): object {
  const entries = [...config.services].map(([name, service]) => [name, entryOf(service)]);
  return {
    ...(entries.length === 0 ? {} : { servicesAndDependantSelectors: Object.fromEntries(entries) }),
    ...(config.restart === undefined ? {} : { restartControl: restartFileOf(config.restart) }),
    ...(config.observer === undefined
      ? {}
      : { observer: { ...config.observer, trialPeriod: formatDuration(config.observer.trialPeriod) } }),
  };
}

function entryOf({ name: _, namespaces, watchDuration, gracePeriodSeconds, ...rest }: ServiceConfig): object {
  return {
    ...rest,
    watchDuration: formatDuration(watchDuration),
    ...(namespaces === 'all' ? {} : { namespaces }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
}
