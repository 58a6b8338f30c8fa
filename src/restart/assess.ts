import type { StoredTag, WorkloadState } from './state.ts';
import type { WantedSource } from './wanted.ts';

/** A source that says something else than what the pods run with. */
export interface ChangedSource {
  readonly source: WantedSource;
  /** The names of the keys that changed, where they can be told. */
  readonly keys: readonly string[];
}

/** What a workload's sources and its written state come to. */
export type Assessment =
  /** What is written down is not what is used, and nothing that it says has changed: it is written anew. */
  | { readonly is: 'new' }
  | { readonly is: 'current' }
  | { readonly is: 'changed'; readonly sources: readonly ChangedSource[] }
  /** A restart was begun; `hasNews`: for something else than what is wanted now. */
  | { readonly is: 'rolling'; readonly hasNews: boolean }
  /** The rollout that was begun stands still, and is still the one that is wanted. */
  | { readonly is: 'stalled' }
  | { readonly is: 'held'; readonly reason: string };

/**
 * Compares what the sources say with what is written on the workload. `state` undefined: nothing is written that counts.
 * A source that is used anew, or in another way, is adopted with its content of now: only what was known before can have
 * changed (F3). A required source or key that is missing holds everything: a pod that is started now could not start (F2).
 */
export function assess(
  wanted: ReadonlyMap<string, WantedSource>,
  state: WorkloadState | undefined,
  hasStalled: boolean,
): Assessment {
  const missing = [...wanted.values()].flatMap(missingOf);
  if (missing.length > 0) return { is: 'held', reason: `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing` };
  if (state === undefined) return { is: 'new' };
  const expected = expectedBy(state);
  const changed = [...wanted].flatMap(([key, source]) => changeOf(source, expected.get(key)));
  if (state.target !== undefined && (!hasStalled || changed.length === 0)) {
    return hasStalled ? { is: 'stalled' } : { is: 'rolling', hasNews: changed.length > 0 };
  }
  if (changed.length > 0) return { is: 'changed', sources: changed };
  return isSameSet(wanted, expected) ? { is: 'current' } : { is: 'new' };
}

/** What the pods run with, or are about to. */
export function expectedBy({ rolledOut, target }: WorkloadState): ReadonlyMap<string, StoredTag> {
  return target === undefined ? rolledOut : new Map([...rolledOut, ...target.tags]);
}

function missingOf({ ref: { kind, namespace, name }, digest }: WantedSource): string[] {
  const source = `${kind} ${namespace}/${name}`;
  if (digest.missing.length === 0) return [];
  return digest.isAbsent ? [source] : [`${source} without its key ${digest.missing.join(', ')}`];
}

function changeOf(source: WantedSource, stored: StoredTag | undefined): ChangedSource[] {
  if (stored === undefined || stored.uses !== source.tag.uses || stored.tag === source.tag.tag) return [];
  const [before, after] = [stored.keys ?? {}, source.tag.keys ?? {}];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [{ source, keys: [...names].filter((name) => before[name] !== after[name]).toSorted() }];
}

function isSameSet(wanted: ReadonlyMap<string, WantedSource>, expected: ReadonlyMap<string, StoredTag>): boolean {
  return wanted.size === expected.size && [...wanted].every(([key, { tag }]) => expected.get(key)?.uses === tag.uses);
}
