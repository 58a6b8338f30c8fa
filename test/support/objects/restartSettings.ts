import type { RestartConfig, RestartSettings } from '../../../src/config/restart.ts';

const second = 1_000;
const minute = 60_000;

/** The settings of a section that sets nothing else. */
export const settings: RestartSettings = {
  quietPeriod: 5 * second,
  quietMax: minute,
  minInterval: minute,
  strategy: 'rollout',
  imagePullSecrets: 'ignore',
  immutableRecreated: 'report',
  jobs: 'report',
  lateSources: 'ignore',
  unstick: false,
  stallAfter: minute,
  progressDeadline: 10 * minute,
  maintenanceWindows: [],
  sources: [],
};

/** One rule for all workloads, with these settings; `part` overrides the rest. */
export function restartConfig({
  rule: given,
  ...part
}: Partial<RestartConfig> & { readonly rule?: Partial<RestartSettings> } = {}): RestartConfig {
  const others = (part.workloadKinds ?? []).map(({ name }) => name);
  const kinds = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', ...others]);
  const rule = { ...settings, ...given, namespaces: 'all' as const, kinds, selector: undefined };
  return {
    rules: [rule],
    workloadKinds: [],
    defaults: settings,
    maxRestartsPerMinute: 30,
    burst: 20,
    maxConcurrentRollouts: 10,
    maxAdoptionsPerMinute: 120,
    access: 'all',
    sourceKinds: new Set(['ConfigMap', 'Secret'] as const),
    hashKey: { namespace: 'weeder', name: 'weeder-hash-key' },
    ...part,
  };
}
