import type { History, PodHistory, Version } from './history.ts';
import { isSelected, type Rule } from './rules.ts';
import { overlaps, type Span, seconds, within } from './times.ts';

/** The rules that are in force since this time. */
export interface ConfigChange {
  readonly at: number;
  readonly rules: readonly Rule[];
}

/** What the oracle uses: the history of the cluster, and the times in which weeder could not see all of it. */
export interface Evidence {
  readonly history: History;
  /** In order; the first is the config at the start. */
  readonly configs: readonly ConfigChange[];
  /** During these times, and for some time after, weeder may be late. */
  readonly disturbances: readonly Span[];
}

/** The time that a watch event to weeder and its request to the API server may take on a busy machine. */
const latency = seconds(1.5);
/** After a disturbance, streams have to be reopened and retry back-offs have to end. */
const aftermath = seconds(12);
/** An unreported back-off counts after this time. finishedAt is truncated to whole seconds. Milliseconds. */
const settling = 1_990;
/** The time until a reloaded config is in force. */
const reloading = seconds(3);
/** The same on a busy machine, where the worker that reads it takes seconds. */
const longestReloading = seconds(10);

/** Returns the reason why this version may not be deleted at this time, or undefined if it may. */
export function reasonNotToDelete(
  evidence: Evidence,
  pod: PodHistory,
  version: Version,
  at: number,
): string | undefined {
  if (version.isTerminating) return 'it was already terminating';
  if (version.isIgnored) return 'it was annotated weeder.dev/ignore';
  if (!version.hasController) return 'it had no controller';
  if (version.looping === undefined) return 'it was not crash-looping';
  if (version.looping === 'unreported' && at - unreportedSince(pod, version) < settling)
    return 'it had only just terminated';
  const selecting = rulesAround(evidence, at).filter((rule) => isSelected(version.labels, rule));
  if (selecting.length === 0) return 'no podSelector matched it';
  const open = selecting.filter((rule) =>
    servicesFor(evidence, rule, pod).some((name) => isOpen(evidence, rule, name, at)),
  );
  if (open.length === 0) return `no window of ${namesOf(selecting)} was open`;
  const unblocked = open.filter((rule) =>
    servicesFor(evidence, rule, pod).some((name) => isUnblocked(evidence, rule, name, at)),
  );
  return unblocked.length === 0 ? `${namesOf(open)} was down` : undefined;
}

function namesOf(rules: readonly Rule[]): string {
  return [...new Set(rules.map(({ service }) => service))].join(', ');
}

/** The start of an unreported back-off: by the node's clock or when it was first seen, whichever is earlier. */
export function unreportedSince({ versions }: PodHistory, version: Version): number {
  let first = version;
  for (const earlierVersion of versions.slice(0, versions.indexOf(version)).reverse()) {
    if (earlierVersion.looping !== 'unreported' || earlierVersion.restarts !== version.restarts) break;
    first = earlierVersion;
  }
  return Math.min(version.finishedAt ?? first.at, first.at);
}

/** The rules that were in force at this time, or within the time of a reload before it. */
function rulesAround({ configs, disturbances }: Evidence, at: number): readonly Rule[] {
  const late = latency + longestReloading + within(disturbances, at - seconds(60), at);
  return configs
    .filter((config, index) => config.at <= at && (configs[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= at - late)
    .flatMap(({ rules }) => rules);
}

/** The services whose recovery affects this pod: `namespace/name`. */
function servicesFor({ history }: Evidence, { service, isEverywhere }: Rule, { namespace }: PodHistory): string[] {
  if (!isEverywhere) return [`${namespace}/${service}`];
  return [...history.readiness.keys()].filter((name) => name.endsWith(`/${service}`));
}

function isOpen(evidence: Evidence, rule: Rule, name: string, at: number): boolean {
  const longest = longestDuration(evidence, rule);
  return openings(evidence, rule, name).some((opened) => {
    const late = latency + reloading + lateness(evidence, opened, at);
    return opened <= at + latency && at <= opened + longest + late;
  });
}

/** The recoveries of a service, and the times when the config first named it while it was ready. */
function openings({ history, configs }: Evidence, { service }: Rule, name: string): number[] {
  const changes = history.readiness.get(name) ?? [];
  const recoveries = changes.filter(({ isReady }) => isReady).map(({ at }) => at);
  const named = configs
    .filter(
      ({ rules }, index) =>
        index > 0 && isConfigured(rules, service) && !isConfigured(configs[index - 1]?.rules ?? [], service),
    )
    .filter(({ at }) => changes.findLast((change) => change.at <= at + reloading)?.isReady === true);
  return [...recoveries, ...named.map(({ at }) => at)];
}

function isConfigured(rules: readonly Rule[], service: string): boolean {
  return rules.some((rule) => rule.service === service);
}

/** The total time between `from` and `to` in which weeder could not observe or send anything. */
function lateness({ disturbances }: Evidence, from: number, to: number): number {
  return within(disturbances.map(withAftermath), from - latency, to);
}

function withAftermath({ from, to }: Span): Span {
  return { from, to: to === undefined ? undefined : to + aftermath };
}

function longestDuration({ configs }: Evidence, { service }: Rule): number {
  return Math.max(...durationsOf(configs, service));
}

function durationsOf(configs: readonly ConfigChange[], service: string): number[] {
  return configs.flatMap(({ rules }) =>
    rules.filter((rule) => rule.service === service).map((rule) => rule.watchDuration),
  );
}

/** Whether deletions were not blocked at this time, by any state of the service that weeder may have seen. */
function isUnblocked(evidence: Evidence, { isBlockedWhileDown }: Rule, name: string, at: number): boolean {
  if (!isBlockedWhileDown) return true;
  const changes = evidence.history.readiness.get(name) ?? [];
  const from = at - latency - lateness(evidence, at - seconds(60), at);
  const before = changes.findLast((change) => change.at <= from)?.isReady === true;
  return before || changes.some((change) => change.isReady && change.at > from && change.at <= at + latency);
}

/**
 * The time since which this version was due: since then it was crash-looping in an open window of a ready service,
 * without a disturbance or a reload until `until`, and no other service of the pod was down. Returns undefined if it was
 * not due.
 */
export function dueSince(evidence: Evidence, pod: PodHistory, version: Version, until: number): number | undefined {
  const { configs, disturbances } = evidence;
  const { looping, isTerminating, isIgnored, hasController } = version;
  if (looping === undefined || isTerminating || isIgnored || !hasController) return undefined;
  const eligibleAt =
    looping === 'unreported' ? Math.max(version.at, unreportedSince(pod, version) + seconds(2)) : version.at;
  const config = configs.at(-1);
  if (config === undefined) return undefined;
  const dues = config.rules
    .filter((rule) => isSelected(version.labels, rule))
    .flatMap((rule) => servicesFor(evidence, rule, pod).flatMap((name) => windowOpenSince(evidence, rule, name, until)))
    .map((since) => Math.max(since, eligibleAt, config.at + reloading, pausedUntil(evidence, pod)))
    .map((since) => Math.max(since, heldUntil(evidence, pod, version, until)));
  const due = Math.min(...dues);
  const isUndisturbed = !disturbances.some((span) => overlaps(withAftermath(span), due - latency, until));
  return Number.isFinite(due) && due < until && isUndisturbed ? due : undefined;
}

/**
 * The latest time until which weeder waits with the replacement of a pod that it has deleted, to the second: 10 s after
 * the first deletion for its owner, and not more than 5 minutes after a further one.
 */
function pausedUntil({ history }: Evidence, { owner, versions }: PodHistory): number {
  const created = versions[0]?.at ?? Number.NEGATIVE_INFINITY;
  const deletions = [...history.pods.values()].flatMap(({ owner: other, deletedByWeederAt: at }) =>
    owner !== undefined && other === owner && at !== undefined && at <= created + seconds(1) ? [at] : [],
  );
  return Math.max(...deletions) + (deletions.length > 1 ? seconds(300) : seconds(10));
}

/** Since when no service of the pod is down whose config holds deletions; infinite if one is. */
function heldUntil(evidence: Evidence, pod: PodHistory, version: Version, until: number): number {
  const rules = evidence.configs.at(-1)?.rules.filter((rule) => isSelected(version.labels, rule)) ?? [];
  const ends = rules
    .filter(({ isBlockedWhileDown }) => isBlockedWhileDown)
    .flatMap((rule) => servicesFor(evidence, rule, pod))
    .flatMap((name) => evidence.history.readiness.get(name)?.findLast(({ at }) => at <= until) ?? [])
    .map(({ at, isReady, exists }) => (isReady || !exists ? at : Number.POSITIVE_INFINITY));
  return Math.max(...ends);
}

/** The time since which a window was open and the service ready, if both still applied at `until`. */
function windowOpenSince({ history, configs }: Evidence, rule: Rule, name: string, until: number): number[] {
  const last = (history.readiness.get(name) ?? []).findLast(({ at }) => at <= until);
  const shortest = Math.min(...durationsOf(configs, rule.service));
  return last?.isReady === true && until <= last.at + shortest ? [last.at] : [];
}
