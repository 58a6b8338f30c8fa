import type { History, PodHistory, Version } from './history.ts';
import { isSelected, type Rule } from './rules.ts';
import { overlaps, type Span, seconds, within } from './times.ts';

/** Which rules were in force, and from when on. */
export interface ConfigChange {
  readonly at: number;
  readonly rules: readonly Rule[];
}

/** What the oracle judges by: what was, and what weeder may not have been able to see. */
export interface Evidence {
  readonly history: History;
  /** In order; the first is that of the start. */
  readonly configs: readonly ConfigChange[];
  /** While these last, and for a while after, weeder may be late. */
  readonly disturbances: readonly Span[];
}

/** What news of a change may take to weeder, and its request to the API server, on a busy machine. */
const latency = seconds(1.5);
/** After a disturbance the streams have to be opened again, and back-offs to pass. */
const aftermath = seconds(12);
/** A silent back-off counts from here on; finishedAt is cut to whole seconds. */
const silence = 1_990;
/** What a reload may take until it is in force. */
const reloading = seconds(3);

/** Why this version may not be deleted at this time, in words; undefined: it may. */
export function objection(evidence: Evidence, pod: PodHistory, version: Version, at: number): string | undefined {
  if (version.isTerminating) return 'it was being deleted already';
  if (version.isIgnored) return 'it was annotated weeder.dev/ignore';
  if (!version.hasController) return 'it had no controller';
  if (version.looping === undefined) return 'it was not crash-looping';
  if (version.looping === 'silent' && at - silentSince(pod, version) < silence) return 'it had just ended';
  const wanting = rulesAround(evidence, at).filter((rule) => isSelected(version.labels, rule));
  if (wanting.length === 0) return 'no podSelector matched it';
  const open = wanting.filter((rule) =>
    servicesFor(evidence, rule, pod).some((name) => isOpen(evidence, rule, name, at)),
  );
  if (open.length === 0) return `no window of ${namesOf(wanting)} was open`;
  const free = open.filter((rule) => servicesFor(evidence, rule, pod).some((name) => isFree(evidence, rule, name, at)));
  return free.length === 0 ? `${namesOf(open)} was down` : undefined;
}

function namesOf(rules: readonly Rule[]): string {
  return [...new Set(rules.map(({ service }) => service))].join(', ');
}

/** By the node's clock, or by when it was first seen, whichever is earlier. */
export function silentSince({ versions }: PodHistory, version: Version): number {
  let first = version;
  for (const each of versions.slice(0, versions.indexOf(version)).reverse()) {
    if (each.looping !== 'silent' || each.restarts !== version.restarts) break;
    first = each;
  }
  return Math.min(version.finishedAt ?? first.at, first.at);
}

/** Every rule that was in force at this time, give or take the time of a reload. */
function rulesAround({ configs, disturbances }: Evidence, at: number): readonly Rule[] {
  const late = latency + reloading + within(disturbances, at - seconds(60), at);
  return configs
    .filter((config, index) => config.at <= at && (configs[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= at - late)
    .flatMap(({ rules }) => rules);
}

/** The services whose recovery concerns this pod: `namespace/name`. */
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

/** A recovery, or that a service which is ready was named in the config. */
function openings({ history, configs }: Evidence, { service }: Rule, name: string): number[] {
  const changes = history.readiness.get(name) ?? [];
  const recoveries = changes.filter(({ isReady }) => isReady).map(({ at }) => at);
  const named = configs
    .filter(
      ({ rules }, index) => index > 0 && knows(rules, service) && !knows(configs[index - 1]?.rules ?? [], service),
    )
    .filter(({ at }) => changes.findLast((change) => change.at <= at + reloading)?.isReady === true);
  return [...recoveries, ...named.map(({ at }) => at)];
}

function knows(rules: readonly Rule[], service: string): boolean {
  return rules.some((rule) => rule.service === service);
}

/** For how long weeder could not see or do anything in this time. */
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

/** Whether the service was ready when it was asked for, as weeder may have seen it, or need not be. */
function isFree(evidence: Evidence, { isHeld }: Rule, name: string, at: number): boolean {
  if (!isHeld) return true;
  const changes = evidence.history.readiness.get(name) ?? [];
  const from = at - latency - lateness(evidence, at - seconds(60), at);
  const before = changes.findLast((change) => change.at <= from)?.isReady === true;
  return before || changes.some((change) => change.isReady && change.at > from && change.at <= at + latency);
}

/**
 * By when this version had to be deleted: since then it was crash-looping in an open window of a ready service, all
 * of it without a disturbance or a reload until `until`. Undefined: it need not have been.
 */
export function dueSince(evidence: Evidence, pod: PodHistory, version: Version, until: number): number | undefined {
  const { configs, disturbances } = evidence;
  const { looping, isTerminating, isIgnored, hasController } = version;
  if (looping === undefined || isTerminating || isIgnored || !hasController) return undefined;
  const settled = looping === 'silent' ? Math.max(version.at, silentSince(pod, version) + seconds(2)) : version.at;
  const config = configs.at(-1);
  if (config === undefined) return undefined;
  const dues = config.rules
    .filter((rule) => isSelected(version.labels, rule))
    .flatMap((rule) => servicesFor(evidence, rule, pod).flatMap((name) => wantedSince(evidence, rule, name, until)))
    .map((since) => Math.max(since, settled, config.at + reloading));
  const due = Math.min(...dues);
  const isCalm = !disturbances.some((span) => overlaps(withAftermath(span), due - latency, until));
  return Number.isFinite(due) && due < until && isCalm ? due : undefined;
}

/** Since when a window was open and the service ready, both of them still at `until`. */
function wantedSince({ history, configs }: Evidence, rule: Rule, name: string, until: number): number[] {
  const last = (history.readiness.get(name) ?? []).findLast(({ at }) => at <= until);
  const shortest = Math.min(...durationsOf(configs, rule.service));
  return last?.isReady === true && until <= last.at + shortest ? [last.at] : [];
}
