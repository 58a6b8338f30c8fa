import type { TimerHandle } from '../../base/clock.ts';
import type { RestartSettings } from '../../config/restart.ts';
import { type HashKey, hasLostKeys } from '../digest/digest.ts';
import type { Use } from '../model/uses.ts';
import type { WorkloadSummary } from '../model/workloadSummary.ts';
import type { SourceChanges } from '../pace/quietPeriod.ts';
import type { PodSummary } from '../pods/podSummary.ts';
import type { Progress } from '../pods/progress.ts';
import type { WrittenSource } from '../state/affectedPods.ts';
import { type Assessment, type ChangedSource, changesIn } from '../state/assess.ts';
import type { ContentHistory } from '../state/contentHistory.ts';
import type { CurrentSource } from '../state/currentSources.ts';
import { needsEviction } from '../state/restartHistory.ts';
import { allSources, decodeState, type StoredTags, type WorkloadState } from '../state/state.ts';
import type { WithActor } from './status.ts';

/** The result of the latest assessment of a workload. */
export interface Finding {
  readonly key: HashKey;
  readonly current: ReadonlyMap<string, CurrentSource>;
  /** The stored state, if it is valid. */
  state: WorkloadState | undefined;
  readonly assessment: Assessment;
  /** The earlier contents of its sources, up to the assessment. */
  readonly contentHistory: ContentHistory;
  /** The `changedAt` of the changes when the assessment began: a later change may be part of the assessment or not. */
  readonly asOf: number;
  /** From `firstSeenOf`: the tags of sources that are not in the stored state yet. */
  readonly firstSeen: StoredTags;
}

/** A workload's pods by uid, with their started containers, from a list requested when this version was known. */
export interface PresentPods {
  readonly version: string;
  readonly pods: ReadonlyMap<string, PodSummary['startedContainers']>;
}

/** Another client, such as an operator that writes the whole object, keeps removing the state from a workload. */
export interface Contest {
  /** The number of consecutive removals. */
  readonly removals: number;
  /** How long weeder waits before it writes the state again; 0: it writes immediately. Milliseconds. */
  readonly pause: number;
  readonly timer: TimerHandle | undefined;
}

/** What is known about a managed workload. */
export interface WorkloadEntry extends WithActor {
  readonly id: string;
  summary: WorkloadSummary;
  /** For a recreated Job: the uid of the old Job, whose state this one uses until it has its own. */
  readonly previousUid: string | undefined;
  /** Undefined: the workload is to be released. */
  settings: RestartSettings | undefined;
  /** The uses in its template, and those of the template and the annotations that count. */
  templateUses: readonly Use[];
  uses: readonly Use[];
  /** The errors in the annotations that declare uses, one sentence each. */
  annotationErrors: readonly string[];
  changes: SourceChanges;
  progress: Progress;
  finding: Finding | undefined;
  /** Since when a required source has been missing, by the monotonic clock; undefined: none is. */
  missingSince: number | undefined;
  /** For each source that has changed, by `sourceKey`: the pods that existed when the change was detected. */
  present: ReadonlyMap<string, PresentPods>;
  /** The contents that its sources have had since its pods were created, as far as they were observed. */
  contentHistory: ContentHistory;
  /** A state that a dry run has not written, or that stays in memory during a `contest`: it counts as written. */
  unwrittenState: string | undefined;
  /**
   * When this process wrote the latest state, and when a version without it was first observed, by the monotonic clock;
   * undefined: it did not write it, or has found it removed since.
   */
  writtenAt: number | undefined;
  removedAt: number | undefined;
  contest: Contest | undefined;
  /** Called for each newer version of the workload. */
  readonly watchers: Set<() => void>;
}

/** Returns the state that is stored on a workload. A state that was copied from another workload does not count. */
export function writtenState({
  summary,
  previousUid: formerUid,
  unwrittenState: pretended,
}: WorkloadEntry): WorkloadState | 'none' | 'unreadable' {
  const state = decodeState(pretended ?? summary.stateText);
  if (typeof state !== 'object') return state;
  return state.workloadUid === summary.uid || state.workloadUid === formerUid ? state : 'none';
}

/**
 * Whether its pods are evicted instead of getting a new template: because the config says so, or because every restart
 * is reverted.
 */
export function isByEviction({ settings, finding }: WorkloadEntry): boolean {
  return settings?.strategy === 'evict' || needsEviction(finding?.state?.reverts ?? []);
}

/** Returns the sources for which a restart was found to be due. */
export function changesOf({ finding }: WorkloadEntry): readonly ChangedSource[] {
  return changesIn(finding?.assessment);
}

/**
 * Returns the sources whose rollout is in progress, by the stored target: a source with an unknown write time was
 * written before the target.
 */
export function targetSources({ finding }: WorkloadEntry): WrittenSource[] {
  const { target, rolledOut } = finding?.state ?? {};
  if (target === undefined) return [];
  const isMeant = (key: string) => target.tags.has(key) || target.tags.has(allSources);
  return [...(finding?.current ?? [])].flatMap(([key, source]) => {
    const before = rolledOut?.get(key);
    const isLost = before !== undefined && hasLostKeys(before, source.tag);
    // It was observed before the restart was decided on: pods created right after it are not old.
    const seenAt = Math.min(source.seenAt ?? target.since, target.since);
    const lastWrite = isLost ? seenAt : (source.lastWrite ?? seenAt);
    return isMeant(key) ? [{ source, lastWrite }] : [];
  });
}
