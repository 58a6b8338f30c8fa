import type { WrittenSource } from '../content/affectedPods.ts';
import { type Assessment, type ChangedSource, changesIn, firstSeenOf } from '../content/assess.ts';
import type { ContentHistory } from '../content/contentHistory.ts';
import type { CurrentSource } from '../content/currentSources.ts';
import { allSources, type StoredTags, type WorkloadState } from '../content/state.ts';
import { type HashKey, hasLostKeys } from '../digest/digest.ts';

/** The result of the latest assessment of a workload, and what it has compared. */
export interface Finding {
  readonly key: HashKey;
  readonly current: ReadonlyMap<string, CurrentSource>;
  /** The stored state, if it is valid. */
  readonly state: WorkloadState | undefined;
  readonly assessment: Assessment;
  /** The earlier contents of its sources, up to the assessment. */
  readonly contentHistory: ContentHistory;
  /** The `changedAt` of the changes when the assessment began: a later change may be part of it or not. */
  readonly asOf: number;
  /** From `firstSeenOf`: the tags of sources that are not in the stored state yet. */
  readonly firstSeen: StoredTags;
  /** Since when a required source has been missing, by the monotonic clock; undefined: none is. */
  readonly missingSince: number | undefined;
}

export interface WithFinding {
  finding: Finding | undefined;
}

/** What an assessment adds to the finding before it. */
export interface Assessed extends Omit<Finding, 'firstSeen' | 'missingSince'> {
  /** Undefined if `state` is an earlier state that another client has removed. */
  readonly written: WorkloadState | undefined;
}

/** Records the result of an assessment, and returns it. `now`: by the monotonic clock. */
export function recordFinding(entry: WithFinding, { written, ...assessed }: Assessed, now: number): Finding {
  const { key, state, current, assessment } = assessed;
  const before = entry.finding;
  const tagsBefore = written === undefined && state !== undefined ? state.rolledOut : before?.firstSeen;
  const seenBefore = before?.key.id === key.id ? tagsBefore : undefined;
  const missingSince = assessment.type === 'blocked' ? (before?.missingSince ?? now) : undefined;
  entry.finding = { ...assessed, firstSeen: firstSeenOf(current, written, seenBefore), missingSince };
  return entry.finding;
}

/** Records the state that a restart has written. */
export function recordRestart(entry: WithFinding, finding: Finding, state: WorkloadState): void {
  entry.finding = { ...finding, state };
}

/** Forgets what was known of a workload, in case it is managed again. */
export function forgetFinding(entry: WithFinding): void {
  entry.finding = undefined;
}

/** Returns the sources for which a restart was found to be due. */
export function changesOf({ finding }: WithFinding): readonly ChangedSource[] {
  return changesIn(finding?.assessment);
}

/**
 * Returns the sources whose rollout is in progress, by the stored target: a source with an unknown write time was
 * written before the target.
 */
export function targetSources({ finding }: WithFinding): WrittenSource[] {
  const { target, rolledOut } = finding?.state ?? {};
  if (target === undefined) return [];
  const isTargeted = (key: string) => target.tags.has(key) || target.tags.has(allSources);
  return [...(finding?.current ?? [])].flatMap(([key, source]) => {
    const before = rolledOut?.get(key);
    const isLost = before !== undefined && hasLostKeys(before, source.tag);
    // It was observed before the restart was decided on: pods created right after it are not old.
    const seenAt = Math.min(source.seenAt ?? target.since, target.since);
    const lastWrite = isLost ? seenAt : (source.lastWrite ?? seenAt);
    return isTargeted(key) ? [{ source, lastWrite }] : [];
  });
}
