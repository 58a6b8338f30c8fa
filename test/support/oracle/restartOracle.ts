import assert from 'node:assert/strict';
import { arrayOf } from '@weeder/kube-runtime/base';
import type { RestartConfig } from '../../../src/config/restart.ts';
import { breaker } from '../../../src/restart/content/restartHistory.ts';

/** The sources of one workload of a story: the key `a` of each. */
export interface OracleWorkload {
  readonly sources: readonly string[];
  readonly isOptional: boolean;
}

interface Watched extends OracleWorkload {
  /** The content that its pods run with: that of their creation, or of its adoption. */
  known: string;
  podsAt: number;
  /** When their containers were last started. */
  startedAt: number;
  /** The state that is written on it: the content at its adoption, its restart, or a check without a restart. */
  recorded: string;
  /** When the sources had other content than that. */
  away: { readonly from: number; readonly to: number }[];
  /** All by the clock of the story, in milliseconds; in order. */
  readonly restarts: number[];
  /** When one of its sources changed. */
  readonly changes: number[];
  /** The newest write of one of its sources, of whatever key. */
  writtenAt: number;
  /** When a change was last recorded as one that needs no restart. */
  skippedAt: number;
  /** Whether weeder's knowledge of it is not derivable from the story: it, or a source of its, was excluded for a while. */
  isUnsure: boolean;
}

/** Creation times and times of writes are cut to seconds, and a pod has to be a second younger than a write. */
const margin = 2_000;

function valuesIn(content: string): readonly unknown[] {
  return content === '' ? [] : arrayOf(JSON.parse(content));
}

/** Checks each restart of a story against what has happened so far, without knowledge of weeder's decisions. */
export function restartOracle(clock: () => number, limits: () => RestartConfig) {
  const values = new Map<string, string>();
  const workloads = new Map<string, Watched>();
  const underWay = new Set<string>();
  /** Restarts by the current weeder. */
  let paced: number[] = [];
  let max = { burst: limits().burst, perMinute: limits().maxRestartsPerMinute };
  let isDown = false;
  /** Sources that were deleted while another weeder ran, or none: the time is not known. */
  const lost = new Set<string>();
  let total = 0;

  function contentOf({ sources }: OracleWorkload): string {
    return JSON.stringify(sources.map((source) => values.get(source) ?? null));
  }

  function isStarting({ sources, isOptional }: OracleWorkload): boolean {
    return isOptional || sources.every((source) => values.has(source));
  }

  function the(name: string): Watched {
    return workloads.get(name) ?? assert.fail(`there is no workload ${name}`);
  }

  /** Whether its pods, or their containers, may have started while the sources had other content. */
  function isFromBetween({ podsAt, startedAt, away: downtime }: Watched): boolean {
    const isWithin = (time: number) => downtime.some(({ from, to }) => time >= from - margin && time <= to + margin);
    return isWithin(podsAt) || isWithin(startedAt);
  }

  function record(its: Watched): void {
    its.recorded = contentOf(its);
    its.away = [];
  }

  /**
   * What a weeder saw and has not written to the state is unknown to the next one: that a source had other content and
   * back, and when a change was made of which the source was written since, if only for a key that is not used.
   */
  function isLost(its: Watched): boolean {
    const [now, known, recorded] = [valuesIn(contentOf(its)), valuesIn(its.known), valuesIn(its.recorded)];
    if (now.some((value, index) => value !== known[index] && value === recorded[index])) return isFromBetween(its);
    return contentOf(its) !== its.known && its.writtenAt > (its.changes.at(-1) ?? 0);
  }

  function checkReason(name: string, its: Watched, now: number): void {
    if (contentOf(its) !== its.known || its.isUnsure) return;
    const since = Math.max(its.skippedAt, its.restarts.at(-1) ?? 0);
    const isPerhapsOld = its.writtenAt >= its.podsAt - margin || its.sources.some((source) => lost.has(source));
    const hasChanged = (its.changes.at(-1) ?? 0) >= since;
    assert.ok(isPerhapsOld && hasChanged, `${name} restarts at ${now} ms, and nothing has changed`);
    if (contentOf(its) !== its.recorded) return;
    assert.ok(isFromBetween(its), `${name} restarts at ${now} ms for a change that was reverted`);
  }

  function checkQuiet(name: string, { changes }: Watched, now: number): void {
    const { quietPeriod, quietMax } = limits().defaults;
    const newest = changes.at(-1) ?? 0;
    let first = newest;
    for (const change of changes.toReversed()) {
      if (first - change > quietPeriod) break;
      first = change;
    }
    assert.ok(newest + quietPeriod <= now || first + quietMax <= now, `${name} restarts before it is quiet`);
  }

  function checkHistory(name: string, { restarts, changes, isUnsure }: Watched, now: number): void {
    const [fifth, last] = [restarts.at(-breaker.restarts), restarts.at(-1)];
    if (isUnsure || last === undefined) return;
    assert.ok(now - last >= limits().defaults.minInterval - 1, `${name} restarts twice within its interval`);
    assert.ok(fifth === undefined || now - fifth > breaker.within, `${name} restarts too often`);
    assert.ok(
      changes.some((change) => change >= last - margin),
      `${name} restarts twice for one change`,
    );
  }

  function checkPace(now: number): void {
    const { maxConcurrentRollouts } = limits();
    assert.ok(underWay.size < maxConcurrentRollouts, `more than ${maxConcurrentRollouts} rollouts at once`);
    const lastMinute = paced.filter((time) => time > now - 60_000).length + 1;
    assert.ok(lastMinute <= max.burst + max.perMinute, `${lastMinute} restarts in a minute`);
  }

  function noteDowntime(its: Watched): void {
    const last = its.away.at(-1);
    if (last?.to === Number.POSITIVE_INFINITY) its.away.splice(-1, 1, { ...last, to: clock() });
    if (contentOf(its) !== its.recorded) its.away.push({ from: clock(), to: Number.POSITIVE_INFINITY });
  }

  function touched(source: string, isChange: boolean): void {
    for (const its of workloads.values()) {
      if (!its.sources.includes(source)) continue;
      its.writtenAt = clock();
      if (isChange) its.changes.push(clock());
      if (isChange) noteDowntime(its);
    }
  }

  return {
    wrote(source: string, value: string) {
      const isChange = values.get(source) !== value;
      values.set(source, value);
      lost.delete(source);
      touched(source, isChange);
    },
    deleted(source: string) {
      if (!values.delete(source)) return;
      if (isDown) lost.add(source);
      touched(source, true);
    },
    made(name: string, what: OracleWorkload) {
      const times = { podsAt: clock(), startedAt: clock(), writtenAt: clock(), skippedAt: 0 };
      const nothing = { known: '', recorded: '', away: [], restarts: [], changes: [], isUnsure: false };
      workloads.set(name, { ...what, ...times, ...nothing });
    },
    removed(name: string) {
      workloads.delete(name);
      underWay.delete(name);
    },
    podsMade(name: string) {
      const its = the(name);
      its.known = contentOf(its);
      its.podsAt = clock();
      its.startedAt = clock();
      // The pods wait for the missing source, and start with its content.
      if (!isStarting(its)) its.isUnsure = true;
      underWay.delete(name);
    },
    /** Its containers were restarted, in the same pods. */
    crashed(name: string) {
      const its = the(name);
      its.known = contentOf(its);
      its.startedAt = clock();
      if (!isStarting(its)) its.isUnsure = true;
    },
    adopted(name: string) {
      const its = the(name);
      its.known = contentOf(its);
      record(its);
    },
    needless(name: string) {
      const its = the(name);
      its.skippedAt = clock();
      record(its);
    },
    restarted(name: string) {
      const [its, now] = [the(name), clock()];
      checkReason(name, its, now);
      checkQuiet(name, its, now);
      checkHistory(name, its, now);
      checkPace(now);
      its.restarts.push(now);
      record(its);
      paced.push(now);
      underWay.add(name);
      total += 1;
    },
    /** These were excluded for a while: weeder's knowledge of them cannot be derived from the story. */
    unsure(names: readonly string[]) {
      for (const name of names) the(name).isUnsure = true;
    },
    /** From now on everything can be derived from the story again. */
    sure() {
      for (const its of workloads.values()) Object.assign(its, { isUnsure: false, restarts: [], changes: [] });
    },
    wentDown() {
      isDown = true;
    },
    /** Another weeder, whose limits begin again. */
    cameUp() {
      isDown = false;
      for (const [source] of values) lost.delete(source);
      for (const source of [...workloads.values()].flatMap(({ sources }) => sources))
        if (!values.has(source)) lost.add(source);
      for (const its of workloads.values()) its.isUnsure ||= isLost(its);
      paced = [];
      max = { burst: limits().burst, perMinute: limits().maxRestartsPerMinute };
    },
    limitsChanged() {
      const { burst, maxRestartsPerMinute } = limits();
      max = { burst: Math.max(max.burst, burst), perMinute: Math.max(max.perMinute, maxRestartsPerMinute) };
    },
    usersOf: (source: string) => [...workloads].filter(([, its]) => its.sources.includes(source)).map(([name]) => name),
    /** Workloads whose pods run with other content than their sources have. */
    behind: () =>
      [...workloads]
        .filter(([, its]) => !its.isUnsure && isStarting(its) && its.known !== contentOf(its))
        .map(([name]) => name),
    get workloads() {
      return workloads.size;
    },
    get total() {
      return total;
    },
  };
}
