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
  podContent: string;
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

  function record(workload: Watched): void {
    workload.recorded = contentOf(workload);
    workload.away = [];
  }

  /**
   * What a weeder saw and has not written to the state is unknown to the next one: that a source had other content and
   * back, and when a change was made of which the source was written since, if only for a key that is not used.
   */
  function isLost(workload: Watched): boolean {
    const [now, podValues, recorded] = [
      valuesIn(contentOf(workload)),
      valuesIn(workload.podContent),
      valuesIn(workload.recorded),
    ];
    if (now.some((value, index) => value !== podValues[index] && value === recorded[index]))
      return isFromBetween(workload);
    return contentOf(workload) !== workload.podContent && workload.writtenAt > (workload.changes.at(-1) ?? 0);
  }

  function checkReason(name: string, workload: Watched, now: number): void {
    if (contentOf(workload) !== workload.podContent || workload.isUnsure) return;
    const since = Math.max(workload.skippedAt, workload.restarts.at(-1) ?? 0);
    const isPerhapsOld =
      workload.writtenAt >= workload.podsAt - margin || workload.sources.some((source) => lost.has(source));
    const hasChanged = (workload.changes.at(-1) ?? 0) >= since;
    assert.ok(isPerhapsOld && hasChanged, `${name} restarts at ${now} ms, and nothing has changed`);
    if (contentOf(workload) !== workload.recorded) return;
    assert.ok(isFromBetween(workload), `${name} restarts at ${now} ms for a change that was reverted`);
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

  function noteDowntime(workload: Watched): void {
    const last = workload.away.at(-1);
    if (last?.to === Number.POSITIVE_INFINITY) workload.away.splice(-1, 1, { ...last, to: clock() });
    if (contentOf(workload) !== workload.recorded) workload.away.push({ from: clock(), to: Number.POSITIVE_INFINITY });
  }

  function touched(source: string, isChange: boolean): void {
    for (const workload of workloads.values()) {
      if (!workload.sources.includes(source)) continue;
      workload.writtenAt = clock();
      if (isChange) workload.changes.push(clock());
      if (isChange) noteDowntime(workload);
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
      const nothing = { podContent: '', recorded: '', away: [], restarts: [], changes: [], isUnsure: false };
      workloads.set(name, { ...what, ...times, ...nothing });
    },
    removed(name: string) {
      workloads.delete(name);
      underWay.delete(name);
    },
    podsMade(name: string) {
      const workload = the(name);
      workload.podContent = contentOf(workload);
      workload.podsAt = clock();
      workload.startedAt = clock();
      // The pods wait for the missing source, and start with its content.
      if (!isStarting(workload)) workload.isUnsure = true;
      underWay.delete(name);
    },
    /** Its containers were restarted, in the same pods. */
    crashed(name: string) {
      const workload = the(name);
      workload.podContent = contentOf(workload);
      workload.startedAt = clock();
      if (!isStarting(workload)) workload.isUnsure = true;
    },
    adopted(name: string) {
      const workload = the(name);
      workload.podContent = contentOf(workload);
      record(workload);
    },
    needless(name: string) {
      const workload = the(name);
      workload.skippedAt = clock();
      record(workload);
    },
    restarted(name: string) {
      const [workload, now] = [the(name), clock()];
      checkReason(name, workload, now);
      checkQuiet(name, workload, now);
      checkHistory(name, workload, now);
      checkPace(now);
      workload.restarts.push(now);
      record(workload);
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
      for (const workload of workloads.values())
        Object.assign(workload, { isUnsure: false, restarts: [], changes: [] });
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
      for (const workload of workloads.values()) workload.isUnsure ||= isLost(workload);
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
        .filter(([, its]) => !its.isUnsure && isStarting(its) && its.podContent !== contentOf(its))
        .map(([name]) => name),
    get workloads() {
      return workloads.size;
    },
    get total() {
      return total;
    },
  };
}
