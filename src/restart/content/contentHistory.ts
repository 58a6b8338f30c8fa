import { margin } from '../pods/ownPods.ts';
import type { PodSummary } from '../pods/podSummary.ts';
import type { Use } from '../references/uses.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';
import { replaceablePods } from './affectedPods.ts';
import { lastWriteOf } from './assess.ts';
import type { CurrentSource } from './currentSources.ts';
import { type StoredTag, type StoredTags, unconfirmedTag } from './state.ts';

/** A period in which a source had the same content. */
interface ContentVersion {
  readonly tag: StoredTag;
  /** Epoch milliseconds; undefined: unknown. */
  readonly from: number | undefined;
}

/** By `sourceKey`: the successive contents of a source, as long as they matter to the pods. */
export type ContentHistory = ReadonlyMap<string, readonly ContentVersion[]>;

/** From one write to the next, in epoch milliseconds. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/** The limit for a source that changes all the time during a rollout. */
const maxVersions = 50;

/**
 * Adds the current content of these sources. A source that is required and missing adds nothing: no pod starts without
 * it. `stored`: what the pods are assumed to run with, for sources that have not been observed before.
 */
export function withCurrentContents(
  contentHistory: ContentHistory,
  current: ReadonlyMap<string, CurrentSource>,
  stored: StoredTags = new Map(),
): ContentHistory {
  const added = [...current].map(([key, source]): [string, readonly ContentVersion[]] => {
    const before = (contentHistory.get(key) ?? []).filter(({ tag }) => tag.uses === source.tag.uses);
    const last = before.at(-1)?.tag;
    if (source.digest.missing.length > 0 || last?.tag === source.tag.tag) return [key, before];
    const from = lastWriteOf(source, last ?? stored.get(key)) ?? source.seenAt;
    return [key, shortened([...before, { tag: source.tag, from }])];
  });
  return new Map([...contentHistory, ...added]);
}

/** Merges the two oldest versions into one of unknown content. */
function shortened(contentHistory: readonly ContentVersion[]): readonly ContentVersion[] {
  const second = contentHistory[1];
  if (second === undefined || contentHistory.length <= maxVersions) return contentHistory;
  return contentHistory.toSpliced(1, 2, { ...second, tag: { ...second.tag, tag: unconfirmedTag } });
}

/** Drops what was over when these versions were the latest. */
export function historySince(contentHistory: ContentHistory, newest: ContentHistory): ContentHistory {
  return new Map(
    [...contentHistory].map(([key, contents]) => {
      const last = newest.get(key)?.at(-1);
      return [key, last === undefined ? contents : contents.slice(Math.max(0, contents.indexOf(last)))];
    }),
  );
}

/**
 * Returns the periods in which each of these sources had other content than now; sources that never had are left out.
 */
export function timesOfOtherContent(contentHistory: ContentHistory, current: ReadonlyMap<string, CurrentSource>) {
  return [...current].flatMap(([key, source]) => {
    const contents = contentHistory.get(key) ?? [];
    const periods = contents.flatMap(({ tag, from = Number.NEGATIVE_INFINITY }, index): Period[] =>
      tag.tag === source.tag.tag ? [] : [{ from, to: contents[index + 1]?.from ?? Number.POSITIVE_INFINITY }],
    );
    return periods.length === 0 ? [] : [{ key, source, periods }];
  });
}

/**
 * Whether some container may have read the content of the source in one of these periods: its pod was created or the
 * container was started in it. A container that has not started yet, according to its status, may have been.
 */
export function hasStartedWithin(
  summary: WorkloadSummary,
  pods: readonly PodSummary[],
  uses: readonly Use[],
  periods: readonly Period[],
): boolean {
  const isWithin = (time: number) =>
    periods.some(({ from, to }) => time >= Math.floor(from / 1_000) * 1_000 - margin && time <= to + margin);
  return replaceablePods(summary, pods).some((pod) =>
    uses.some((use) => takenAt(pod, use).some((time) => time === undefined || isWithin(time))),
  );
}

/** Returns when a pod read the content for such a use; undefined: unknown. */
function takenAt({ createdAt, startedAt }: PodSummary, { how, containers }: Use): (number | undefined)[] {
  if (how === 'unmounted') return [];
  if (how === 'env' || how === 'envFrom') return containers.map((name) => startedAt.get(name) ?? createdAt);
  return [createdAt, ...[...startedAt].flatMap(([name, time]) => (isAffected(containers, name) ? [time] : []))];
}

/** The list is empty if the pod as a whole uses the source. */
function isAffected(containers: readonly string[], name: string): boolean {
  return containers.length === 0 || containers.includes(name);
}
