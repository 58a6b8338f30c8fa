import { workloadKindNames } from '@weeder/kube-runtime/objects';
import { distinct, resolveSelector } from './resolve.ts';
import type { RestartConfig, RestartRule, RestartSettings } from './restart.ts';
import {
  type RestartMapping,
  type RestartRuleEntry,
  type RestartSection,
  restartMapping,
} from './schema/restartSchema.ts';

/** Applies the top-level settings of the section to each rule that does not set them itself. */
export function resolveRestart(section: RestartSection): RestartConfig {
  const mapping = Array.isArray(section) ? { ...restartMapping.parse({}), rules: section } : section;
  const { maxRestartsPerMinute, burst, maxConcurrentRollouts, maxAdoptionsPerMinute, access, sourceKinds, hashKey } =
    mapping;
  const defaults = settingsOf(mapping, mapping);
  return {
    rules: mapping.rules.map((rule) => resolveRule(rule, mapping)),
    defaults,
    maxRestartsPerMinute,
    burst,
    maxConcurrentRollouts,
    maxAdoptionsPerMinute,
    access,
    workloadKinds: mapping.workloadKinds.map(({ kind: name, ...differences }) => ({ name, ...differences })),
    sourceKinds: new Set(sourceKinds),
    hashKey: { namespace: hashKey.namespace, name: hashKey.name },
  };
}

function resolveRule(rule: RestartRuleEntry, mapping: RestartMapping): RestartRule {
  return {
    namespaces: distinct(rule.namespaces) ?? 'all',
    kinds: new Set(rule.kinds ?? [...workloadKindNames, ...mapping.workloadKinds.map(({ kind }) => kind)]),
    selector: rule.selector && resolveSelector(rule.selector),
    ...settingsOf(rule, mapping),
  };
}

function settingsOf(here: RestartRuleEntry | RestartMapping, above: RestartMapping): RestartSettings {
  return {
    quietPeriod: here.quietPeriod ?? above.quietPeriod,
    quietMax: here.quietMax ?? above.quietMax,
    minInterval: here.minInterval ?? above.minInterval,
    strategy: here.strategy ?? above.strategy,
    imagePullSecrets: here.imagePullSecrets ?? above.imagePullSecrets,
    immutableRecreated: here.immutableRecreated ?? above.immutableRecreated,
    jobs: here.jobs ?? above.jobs,
    lateSources: here.lateSources ?? above.lateSources,
    unstick: here.unstick ?? above.unstick,
    stallAfter: here.stallAfter ?? above.stallAfter,
    progressDeadline: here.progressDeadline ?? above.progressDeadline,
    maintenanceWindows: here.maintenanceWindows ?? above.maintenanceWindows,
    sources: (here.sources ?? above.sources).map(({ namespace, kinds, names }) => ({
      namespace,
      kinds: new Set(kinds),
      names: distinct(names) ?? 'all',
    })),
  };
}
