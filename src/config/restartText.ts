import { formatDuration } from '../base/duration.ts';
import type { RestartConfig, RestartRule, RestartSettings } from './restart.ts';

/** A section `restartControl` that resolves to this, every default written out. */
export function restartFileOf({ rules, defaults, sourceKinds, hashKey, ...limits }: RestartConfig): object {
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
  const { quietPeriod, quietMax, minInterval, stallAfter, progressDeadline, windows, sources, ...choices } = settings;
  return {
    quietPeriod: formatDuration(quietPeriod),
    quietMax: formatDuration(quietMax),
    minInterval: formatDuration(minInterval),
    stallAfter: formatDuration(stallAfter),
    progressDeadline: formatDuration(progressDeadline),
    ...choices,
    windows: windows.map((window) => ({ ...window, duration: formatDuration(window.duration) })),
    sources: sources.map(({ namespace, kinds, names }) => ({
      namespace,
      kinds: [...kinds],
      ...(names === 'all' ? {} : { names }),
    })),
  };
}
