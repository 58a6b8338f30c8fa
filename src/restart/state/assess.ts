import { hasLostKeys } from '../digest/digest.ts';
import type { CurrentSource } from './currentSources.ts';
import { allSources, inFormOf, type StoredTag, type StoredTags, type WorkloadState } from './state.ts';

/** A source that says something else than what the pods run with. */
export interface ChangedSource {
  readonly source: CurrentSource;
  /** The names of the keys that changed, if known. */
  readonly keys: readonly string[];
  /** When it was written, as `WantedSource` has it: a key that was taken away moves no time of a manager. */
  readonly lastWrite: number | undefined;
  /** It was immutable, and so was recreated. `ifPodsAreOlder`: one tag stands for all, and only the age of the pods shows it. */
  readonly isRecreated: boolean | 'ifPodsAreOlder';
}

/** What a workload's sources and its written state come to. */
export type Assessment =
  /** What is written down is not what is used, and nothing that it says has changed: it is written anew. */
  | { readonly is: 'new' }
  | { readonly is: 'current' }
  | { readonly is: 'changed'; readonly sources: readonly ChangedSource[] }
  /** They say what is written down, but pods may have started while these said something else. */
  | { readonly is: 'unconfirmed'; readonly sources: readonly CurrentSource[] }
  /** A restart was begun; `hasNewerChange`: for something else than what is current now. */
  | { readonly is: 'rolling'; readonly hasNewerChange: boolean }
  /** The rollout has stalled, and its target is still the desired one. */
  | { readonly is: 'stalled' }
  | { readonly is: 'blocked'; readonly reason: string };

/**
 * Compares what the sources say with what is written on the workload. `state` undefined: nothing is written that counts.
 * A source that is used anew, or in another way, is adopted with its content of now: only what was known before can have
 * changed. A required source or key that is missing holds everything: a pod that is started now could not start.
 * But a rollout under way is followed all the same, and has its place among the others.
 */
export function assess(
  current: ReadonlyMap<string, CurrentSource>,
  state: WorkloadState | undefined,
  hasStalled: boolean,
): Assessment {
  const missing = [...current.values()].flatMap(missingOf);
  const isFollowed = state?.target !== undefined && !hasStalled;
  if (missing.length > 0 && !isFollowed)
    return { is: 'blocked', reason: `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing` };
  if (state === undefined) return { is: 'new' };
  const expected = expectedBy(state);
  const changed = changesSince(expected, current);
  if (state.target !== undefined && (!hasStalled || changed.length === 0)) {
    return hasStalled ? { is: 'stalled' } : { is: 'rolling', hasNewerChange: changed.length > 0 };
  }
  if (changed.length > 0) return { is: 'changed', sources: changed };
  return isSameSet(current, expected) ? { is: 'current' } : { is: 'new' };
}

/** What the pods run with, or are about to. */
export function expectedBy({ rolledOut, target }: WorkloadState): StoredTags {
  return target === undefined ? rolledOut : new Map([...rolledOut, ...target.tags]);
}

/** None where nothing has changed. */
export function changesIn(assessment: Assessment | undefined): readonly ChangedSource[] {
  return assessment?.is === 'changed' ? assessment.sources : [];
}

/** Beside the tags: when it was restarted. No source has such a key. */
export const restartTime = 'since';

/**
 * What the hash in the pod template stands for: also when it was restarted. The template may have the hash of the same
 * tags already, and pods of it that started with something else: with that hash once more nothing would be rolled out.
 */
export function hashedBy(state: WorkloadState): ReadonlyMap<string, Pick<StoredTag, 'tag'>> {
  const since = String(state.target?.since ?? '');
  return new Map<string, Pick<StoredTag, 'tag'>>([...expectedBy(state), [restartTime, { tag: since }]]);
}

function missingOf({ ref: { kind, namespace, name }, digest }: CurrentSource): string[] {
  const source = `${kind} ${namespace}/${name}`;
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

/** Where one tag stands for all sources, any of them may be what has changed. */
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

/** A key that was taken away moves no time of a manager: what counts is when that was seen. */
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
 * The tags of the sources of which nothing is written down that could be compared, as they were when they were seen
 * seen first. A workload may wait for a slot to be adopted: what changes meanwhile must not be taken for what its
 * pods run with. `before`: those of the previous assessment, under the same hash key. What is required and missing is not
 * among them: with it no pod was seen to start.
 */
export function firstSeenOf(
  current: ReadonlyMap<string, CurrentSource>,
  state: WorkloadState | undefined,
  before: StoredTags,
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
