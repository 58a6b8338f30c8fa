import { formatDuration } from '@weeder/kube-runtime/base';
import { isWorkloadKind, selectorToString, workloadKindNames } from '@weeder/kube-runtime/objects';
import type { DeclaredConfig, Pace, ServiceSettings } from './config.ts';
import type { MaintenanceWindow } from './maintenance.ts';
import type { RestartConfig, RestartRule, RestartSettings } from './restart.ts';
import type { WatchedService } from './serviceLookup.ts';

/** `window 5m, whileNotReady hold, deletion delete, pace 50 pods per 1s` */
export function describeService(settings: ServiceSettings & Pick<DeclaredConfig, 'siblingEvidence'>): string {
  const { watchDuration, whileNotReady, deletion, pace, maintenanceWindows, siblingEvidence } = settings;
  return [
    `window ${formatDuration(watchDuration)}, whileNotReady ${whileNotReady}, deletion ${deletion}`,
    ...(pace === undefined ? [] : [`pace ${describePace(pace)}`]),
    ...(siblingEvidence === undefined ? [] : [describeEvidence(siblingEvidence)]),
    ...describeMaintenance(maintenanceWindows),
  ].join(', ');
}

/** Which part of the config has the settings of a service: `from the section restartControl of the config` */
export function originOf({ section }: Pick<WatchedService, 'section'>, service: string): string {
  return `from ${section === 'services' ? `the entry ${service} in servicesAndDependantSelectors` : `the section ${section}`} of the config`;
}

/** `sibling evidence after 10s, 6 windows per hour` */
function describeEvidence({ readyFor, windowsPerHour }: NonNullable<DeclaredConfig['siblingEvidence']>): string {
  const windows = `${windowsPerHour} window${windowsPerHour === 1 ? '' : 's'}`;
  return `sibling evidence after ${formatDuration(readyFor)}, ${windows} per hour`;
}

/** `only from "0 22 * * 1-5" UTC for 2h`; nothing without maintenance windows. */
export function describeMaintenance(windows: readonly MaintenanceWindow[]): readonly string[] {
  const openings = windows.map(
    ({ cron, timeZone, duration }) => `"${cron}" ${timeZone} for ${formatDuration(duration)}`,
  );
  return openings.length === 0 ? [] : [`only from ${openings.join(' or ')}`];
}

/** `50 pods per 1s` */
export function describePace({ pods, per }: Pace): string {
  return `${pods} pod${pods === 1 ? '' : 's'} per ${formatDuration(per)}`;
}

/**
 * Describes the section `restartControl` in sentences, one per line: which workloads each rule matches, and what
 * happens to them.
 */
export function describeRestart({ rules, defaults, workloadKinds, ...limits }: RestartConfig): readonly string[] {
  const { maxRestartsPerMinute, burst, maxConcurrentRollouts } = limits;
  const last = rules.findIndex((rule) => takesAll(rule, workloadKinds));
  const unreachable = last < 0 ? [] : rules.slice(last + 1);
  return [
    ...rules.map((rule, index) => {
      const note = unreachable.includes(rule)
        ? `never applies, because rule ${last + 1} matches all workloads`
        : howOf(rule);
      return `rule ${index + 1}: ${whomOf(rule, workloadKinds)}: ${note}`;
    }),
    `opt-in by annotation${rules.length === 0 ? '' : ', without a matching rule'}: ${howOf(defaults)}`,
    `limits: ${maxRestartsPerMinute} restarts per minute, bursts of ${burst}, ${maxConcurrentRollouts} concurrent rollouts`,
  ];
}

function isEvery(kinds: RestartRule['kinds'], others: RestartConfig['workloadKinds']): boolean {
  return kinds.size === workloadKindNames.length + others.length;
}

function takesAll({ kinds, namespaces, selector }: RestartRule, others: RestartConfig['workloadKinds']): boolean {
  return isEvery(kinds, others) && namespaces === 'all' && selector === undefined;
}

/** `Deployments in shop with app=web` */
export function whomOf({ kinds, namespaces, selector }: RestartRule, others: RestartConfig['workloadKinds']): string {
  const what = isEvery(kinds, others)
    ? 'all workloads'
    : [...kinds].map((kind) => (isWorkloadKind(kind) ? `${kind}s` : kind)).join(', ');
  const where = namespaces === 'all' ? 'in every watched namespace' : `in ${namespaces.join(', ')}`;
  return `${what} ${where}${selector === undefined ? '' : ` with ${selectorToString(selector)}`}`;
}

/** `rollout after 10s without a change or 1m with changes, at most once in 5m` */
export function howOf(settings: RestartSettings): string {
  const { strategy, quietPeriod, quietMax, minInterval } = settings;
  const quiet = `after ${formatDuration(quietPeriod)} without a change or ${formatDuration(quietMax)} with changes`;
  return [`${strategy} ${quiet}, at most once in ${formatDuration(minInterval)}`, ...otherSettings(settings)].join(
    '; ',
  );
}

/** Lists only the settings that differ from their defaults. */
function otherSettings(settings: RestartSettings): readonly string[] {
  const { imagePullSecrets, immutableRecreated, jobs, lateSources, unstick, maintenanceWindows, sources } = settings;
  return [
    ...(imagePullSecrets === 'hash' ? ['image pull Secrets count'] : []),
    ...(immutableRecreated === 'replace' ? ['all pods are deleted together if an immutable source is recreated'] : []),
    ...(jobs === 'recreate' ? ['Jobs that run are recreated'] : []),
    ...(lateSources === 'evict' ? ['pods that waited for a late ConfigMap or Secret are evicted'] : []),
    ...(unstick ? ['pods that block a rollout are deleted'] : []),
    ...describeMaintenance(maintenanceWindows),
    ...(sources.length === 0 ? [] : [`sources of ${[...new Set(sources.map((each) => each.namespace))].join(', ')}`]),
  ];
}
