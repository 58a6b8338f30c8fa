/**
 * Compares the current sources with the stored state. A source that is used for the first time, or in another way, is
 * adopted with its current content: only a source that was known before can have changed. Does not guarantee that the
 * pods run with `current` content: it compares no pods, and never returns `unconfirmed`, which a check of the pods
 * adds. Nor does it find content that was changed and restored between two assessments.
 */

import { objectText } from '@weeder/kube-runtime/objects';
import { hasLostKeys } from '../digest/digest.ts';
import type { CurrentSource } from './currentSources.ts';
import { allSources, inFormOf, type StoredTag, type StoredTags, type WorkloadState } from './state.ts';

/** A source whose content differs from what the pods run with. */
export interface ChangedSource {
  readonly source: CurrentSource;
  /** The names of the keys that changed, if known. */
  readonly keys: readonly string[];
  /** When it was written, as in `WrittenSource`: the removal of a key is not in the times of field managers. */
  readonly lastWrite: number | undefined;
  /**
   * The source was immutable, so it was recreated. `ifPodsAreOlder`: one tag stands for all sources, and only the age
   * of the pods shows it.
   */
  readonly isRecreated: boolean | 'ifPodsAreOlder';
}

/** The result of comparing a workload's sources with its stored state. */
export type Assessment =
  /** The stored state does not cover the used sources, and nothing that it covers has changed: it is written again. */
  | { readonly type: 'new' }
  | { readonly type: 'current' }
  | { readonly type: 'changed'; readonly sources: readonly ChangedSource[] }
  /** The sources have their recorded content, but pods may have started while they had other content. */
  | { readonly type: 'unconfirmed'; readonly sources: readonly CurrentSource[] }
  /** A restart has begun; `hasNewerChange`: its target is not the current content. */
  | { readonly type: 'rolling'; readonly hasNewerChange: boolean }
  /** The rollout has stalled, and its target is still the desired one. */
  | { readonly type: 'stalled' }
  | { readonly type: 'blocked'; readonly reason: string };

/**
 * `state` undefined: no valid state is stored. A missing required source or key blocks everything, because a pod that is
 * started now could not start. A rollout in progress is still followed, and counts as an active rollout.
 */
export function assess(
  current: ReadonlyMap<string, CurrentSource>,
  state: WorkloadState | undefined,
  hasStalled: boolean,
): Assessment {
  const missing = [...current.values()].flatMap(missingOf);
  const isFollowed = state?.target !== undefined && !hasStalled;
  if (missing.length > 0 && !isFollowed)
    return { type: 'blocked', reason: `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing` };
  if (state === undefined) return { type: 'new' };
  const expected = expectedBy(state);
  const changed = changesSince(expected, current);
  if (state.target !== undefined && (!hasStalled || changed.length === 0)) {
    return hasStalled ? { type: 'stalled' } : { type: 'rolling', hasNewerChange: changed.length > 0 };
  }
  if (changed.length > 0) return { type: 'changed', sources: changed };
  return isSameSet(current, expected) ? { type: 'current' } : { type: 'new' };
}

/** Returns what the pods run with, or are about to. */
export function expectedBy({ rolledOut, target }: WorkloadState): StoredTags {
  return target === undefined ? rolledOut : new Map([...rolledOut, ...target.tags]);
}

/** Returns none if nothing has changed. */
export function changesIn(assessment: Assessment | undefined): readonly ChangedSource[] {
  return assessment?.type === 'changed' ? assessment.sources : [];
}

/** Hashed together with the tags: the time of the restart. No source has such a key. */
export const restartTime = 'since';

/**
 * Returns the input of the hash in the pod template, which includes the time of the restart. The template may already
 * have the hash of the same tags, and pods that started from it with other content: with the same hash, nothing would
 * be rolled out.
 */
export function hashedBy(state: WorkloadState): ReadonlyMap<string, Pick<StoredTag, 'tag'>> {
  const since = String(state.target?.since ?? '');
  return new Map<string, Pick<StoredTag, 'tag'>>([...expectedBy(state), [restartTime, { tag: since }]]);
}

function missingOf({ ref, digest }: CurrentSource): string[] {
  const source = objectText(ref);
  if (digest.missing.length === 0) return [];
  return digest.isAbsent ? [source] : [`${source} without its key ${digest.missing.join(', ')}`];
}

function changeOf(source: CurrentSource, stored: StoredTag | undefined): ChangedSource[] {
  if (stored === undefined || stored.uses !== source.tag.uses || stored.tag === source.tag.tag) return [];
  const keys = changedKeys(stored.keys, source.tag.keys);
  return [{ source, keys, isRecreated: stored.isImmutable, lastWrite: lastWriteOf(source, stored) }];
}

/** Returns none if they are unknown. */
function changedKeys(before: StoredTag['keys'], after: StoredTag['keys']): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).toSorted();
}

/** If one tag stands for all sources, any of them may have changed. */
function changesSince(expected: StoredTags, current: ReadonlyMap<string, CurrentSource>): ChangedSource[] {
  const one = expected.get(allSources);
  if (one === undefined) return [...current].flatMap(([key, source]) => changeOf(source, expected.get(key)));
  const now = inFormOf(expected, tagsOf(current)).get(allSources);
  if (now === undefined || now.uses !== one.uses || now.tag === one.tag) return [];
  return [...current.values()].map((source) => ({
    source,
    keys: [],
    isRecreated: one.isImmutable && source.tag.isImmutable ? 'ifPodsAreOlder' : false,
    lastWrite: source.lastWrite,
  }));
}

function isSameSet(current: ReadonlyMap<string, CurrentSource>, expected: StoredTags): boolean {
  const now = inFormOf(expected, tagsOf(current));
  return now.size === expected.size && [...now].every(([key, { uses }]) => expected.get(key)?.uses === uses);
}

/** The removal of a key is not in the times of field managers, so the time of its observation counts. */
export function lastWriteOf(
  { tag, lastWrite, seenAt }: CurrentSource,
  before: StoredTag | undefined,
): number | undefined {
  return before !== undefined && hasLostKeys(before, tag) ? seenAt : lastWrite;
}

export function tagsOf(current: ReadonlyMap<string, CurrentSource>): Map<string, StoredTag> {
  return new Map([...current].map(([key, { tag }]) => [key, tag]));
}

/**
 * Returns the tags of the sources that have no comparable stored tag, as of when they were first observed. A workload
 * may wait for a slot to be adopted: a change meanwhile must not be taken for what its pods run with. `before`: the
 * tags of the previous assessment, under the same hash key. Missing required sources are left out: no pod was seen to
 * start without them.
 */
export function firstSeenOf(
  current: ReadonlyMap<string, CurrentSource>,
  state: WorkloadState | undefined,
  before: StoredTags = new Map(),
): StoredTags {
  const stored: StoredTags = state === undefined ? new Map() : expectedBy(state);
  const one = stored.get(allSources);
  if (one !== undefined && inFormOf(stored, tagsOf(current)).get(allSources)?.uses === one.uses) return new Map();
  const seen = new Map<string, StoredTag>();
  for (const [key, { tag, digest }] of current) {
    if (stored.get(key)?.uses === tag.uses || digest.missing.length > 0) continue;
    const earlier = before.get(key);
    seen.set(key, earlier?.uses === tag.uses ? earlier : tag);
  }
  return seen;
}
