import type { Outcome } from '../../../machines/restart/workload.ts';
import { expectedBy, tagsOf } from '../content/assess.ts';
import { isRevert, withNewest } from '../content/restartHistory.ts';
import {
  allSources,
  inFormOf,
  type StoredTag,
  type StoredTags,
  unconfirmedTag,
  type WorkloadState,
} from '../content/state.ts';
import { hasLostKeys } from '../digest/digest.ts';
import { changesOf, type Finding } from '../patches/finding.ts';
import { sourceKey } from '../references/refs.ts';

const maxRestarts = 5;
const maxReverts = 2;

/** Returns the state to write for an outcome. `now`: epoch milliseconds. */
export function stateAfter(workloadUid: string, finding: Finding, outcome: Outcome, now: number): WorkloadState {
  const { state, key } = finding;
  const cause = state?.lastCause === undefined ? {} : { lastCause: state.lastCause };
  const history = { restarts: state?.restarts ?? [], ...cause, reverts: state?.reverts ?? [] };
  const own = { keyId: key.id, workloadUid, ...history };
  if (state === undefined || outcome === 'adopted' || outcome === 'skipped')
    return { ...own, rolledOut: taken(finding), target: undefined };
  if (outcome === 'unconfirmed')
    return { ...own, rolledOut: withUnconfirmed(finding, state.rolledOut), target: undefined };
  // A source that was not part of the restart keeps its tag, so that a newer change is detected again.
  const rolledOut = onlyUsed(finding, outcome === 'reverted' ? state.rolledOut : expectedBy(state));
  const isCounted = outcome === 'reverted' && isRevert(state.target?.since ?? 0, now);
  const reverts = isCounted ? withNewest(state.reverts, now, maxReverts) : state.reverts;
  return { ...own, rolledOut, target: undefined, reverts };
}

/** Returns the state that a restart writes: its target, and what the pods run with until then. */
export function stateOfRestart(workloadUid: string, finding: Finding, now: number, cause: string): WorkloadState {
  const { key, state } = finding;
  const changed = changesOf({ finding }).map(({ source }): [string, StoredTag] => [sourceKey(source.ref), source.tag]);
  const before = state?.target;
  const current = tagsOf(finding.current);
  const rolledOut = onlyUsed(finding, state?.rolledOut ?? taken(finding));
  return {
    keyId: key.id,
    workloadUid,
    rolledOut,
    target: {
      tags: rolledOut.has(allSources) ? inFormOf(rolledOut, current) : new Map([...(before?.tags ?? []), ...changed]),
      since: now,
      attempt: (before?.attempt ?? 0) + 1,
      cause,
    },
    restarts: withNewest(state?.restarts ?? [], now, maxRestarts),
    lastCause: cause,
    reverts: state?.reverts ?? [],
  };
}

/** Returns the current tags; for sources that are not in the stored state, the tags of their first observation. */
function taken({ current, firstSeen }: Finding): StoredTags {
  return new Map([...tagsOf(current), ...[...firstSeen].filter(([key]) => current.has(key))]);
}

/**
 * Regardless of the current content of these sources, the pods may run with other content. The tags of keys stay if it
 * is known that no key was removed when the recorded content came back, so the time of that is known.
 */
function withUnconfirmed({ assessment, contentHistory }: Finding, rolledOut: StoredTags): StoredTags {
  const sources = assessment.type === 'unconfirmed' ? assessment.sources.map(({ ref }) => sourceKey(ref)) : [];
  const isConcerned = (key: string) => key === allSources || sources.includes(key);
  const keysOf = (key: string) => {
    const [before, now] = (contentHistory.get(key) ?? []).slice(-2);
    return before === undefined || now === undefined || hasLostKeys(before.tag, now.tag) ? undefined : now.tag.keys;
  };
  const marked = ([key, tag]: [string, StoredTag]): [string, StoredTag] =>
    isConcerned(key) ? [key, { ...tag, tag: unconfirmedTag, keys: keysOf(key) }] : [key, tag];
  return new Map([...rolledOut].map(marked));
}

/**
 * Drops sources that are no longer used; sources that are used in another way are adopted with the tags of their first
 * observation.
 */
function onlyUsed(finding: Finding, tags: StoredTags): StoredTags {
  if (tags.has(allSources)) return tags;
  return new Map(
    [...finding.current].map(([key, { tag }]) => {
      const previous = tags.get(key);
      return [
        key,
        previous !== undefined && previous.uses === tag.uses ? previous : (finding.firstSeen.get(key) ?? tag),
      ];
    }),
  );
}
