import type { Use } from '../model/uses.ts';
import type { WorkloadFacts } from '../model/workloadFacts.ts';
import { margin } from '../pods/ownPods.ts';
import type { PodFacts } from '../pods/podFacts.ts';
import { replaceablePods } from './affectedPods.ts';
import { lastWriteOf } from './assess.ts';
import type { CurrentSource } from './currentSources.ts';
import { type StoredTag, type StoredTags, unconfirmedTag } from './state.ts';

/** For so long a source had the same content. */
interface ContentVersion {
  readonly tag: StoredTag;
  /** Epoch milliseconds; undefined: nobody knows. */
  readonly from: number | undefined;
}

/** By `sourceKey`: what a source had in it, one after the other, for as long as it matters to the pods. */
export type ContentHistory = ReadonlyMap<string, readonly ContentVersion[]>;

/** From a write to the next, in epoch milliseconds. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/** Of one that changes all the time while a rollout goes on, not everything is remembered. */
const maxVersions = 50;

/**
 * Adds what these sources have in them now. One that is required and missing adds nothing: no pod starts with that.
 * `stored`: what the pods are taken to run with, of sources of which nothing has been seen before.
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

/** Two of the oldest become one, of which nobody knows what it was. */
function shortened(contentHistory: readonly ContentVersion[]): readonly ContentVersion[] {
  const second = contentHistory[1];
  if (second === undefined || contentHistory.length <= maxVersions) return contentHistory;
  return contentHistory.toSpliced(1, 2, { ...second, tag: { ...second.tag, tag: unconfirmedTag } });
}

/** Without what was over when these were the newest. */
export function historySince(contentHistory: ContentHistory, newest: ContentHistory): ContentHistory {
  return new Map(
    [...contentHistory].map(([key, all]) => {
      const last = newest.get(key)?.at(-1);
      return [key, last === undefined ? all : all.slice(Math.max(0, all.indexOf(last)))];
    }),
  );
}

/** When each of these had something else in it than it has now; those that had not are not among them. */
export function timesOfOtherContent(contentHistory: ContentHistory, current: ReadonlyMap<string, CurrentSource>) {
  return [...current].flatMap(([key, source]) => {
    const all = contentHistory.get(key) ?? [];
    const periods = all.flatMap(({ tag, from = Number.NEGATIVE_INFINITY }, index): Period[] =>
      tag.tag === source.tag.tag ? [] : [{ from, to: all[index + 1]?.from ?? Number.POSITIVE_INFINITY }],
    );
    return periods.length === 0 ? [] : [{ key, source, periods }];
  });
}

/**
 * Whether some container may have taken what the source had in it at one of these times: its pod was made then, or it
 * was started then. One that has not been started yet, by its status, may have been.
 */
export function hasStartedWithin(
  facts: WorkloadFacts,
  pods: readonly PodFacts[],
  uses: readonly Use[],
  periods: readonly Period[],
): boolean {
  const isWithin = (time: number) =>
    periods.some(({ from, to }) => time >= Math.floor(from / 1_000) * 1_000 - margin && time <= to + margin);
  return replaceablePods(facts, pods).some((pod) =>
    uses.some((use) => takenAt(pod, use).some((time) => time === undefined || isWithin(time))),
  );
}

/** When a pod took the content of what it uses so; undefined: nobody knows. */
function takenAt({ createdAt, startedAt }: PodFacts, { how, containers }: Use): (number | undefined)[] {
  if (how === 'unmounted') return [];
  if (how === 'env' || how === 'envFrom') return containers.map((name) => startedAt.get(name) ?? createdAt);
  return [createdAt, ...[...startedAt].flatMap(([name, time]) => (isAffected(containers, name) ? [time] : []))];
}

/** No container is named where it is the pod as a whole. */
function isAffected(containers: readonly string[], name: string): boolean {
  return containers.length === 0 || containers.includes(name);
}
