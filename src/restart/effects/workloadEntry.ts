import type { TimerHandle } from '../../base/clock.ts';
import type { RestartSettings } from '../../config/restart.ts';
import { type HashKey, hasLostKeys } from '../digest/digest.ts';
import type { Use } from '../model/uses.ts';
import type { WorkloadSummary } from '../model/workloadSummary.ts';
import type { PodSummary } from '../pods/podSummary.ts';
import type { WrittenSource } from '../state/affectedPods.ts';
import { type Assessment, type ChangedSource, changesIn } from '../state/assess.ts';
import type { ContentHistory } from '../state/contentHistory.ts';
import type { CurrentSource } from '../state/currentSources.ts';
import { needsEviction } from '../state/restartHistory.ts';
import { allSources, decodeState, type StoredTags, type WorkloadState } from '../state/state.ts';
import { stateOf, type WithActor } from './status.ts';

/** The result of the latest assessment of a workload. */
export interface Finding {
  readonly key: HashKey;
  readonly current: ReadonlyMap<string, CurrentSource>;
  /** The stored state, if it is valid. */
  state: WorkloadState | undefined;
  readonly assessment: Assessment;
  /** The earlier contents of its sources, up to the assessment. */
  readonly contentHistory: ContentHistory;
  /** The workload's `changedAt` when the assessment began: a later change may be part of the assessment or not. */
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
  /** When the latest possible change was observed, by the monotonic clock. Milliseconds. */
  changedAt: number;
  /**
   * The first of the changes that followed each other within the quiet period, or came while the restart for an earlier
   * one was being prepared. By the monotonic clock; undefined: all changes so far have been handled.
   */
  unquietSince: number | undefined;
  /** The latest pod template that the workload's controller has observed; undefined if there is none yet. */
  observedTemplate: string | undefined;
  /** When the rollout last changed: its progress or its template. By the monotonic clock. */
  lastProgressAt: number;
  /**
   * Since when a restart has waited for a rollout that another client started, by the monotonic clock; undefined: none
   * waits.
   */
  awaitsRolloutSince: number | undefined;
  /** The started containers of its pods when that wait last listed them. */
  podStarts: string | undefined;
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

/** The machine states on the way to a restart: a change during them delays the restart, but not without limit. */
const busy: ReadonlySet<string> = new Set([
  'assessing',
  'stale',
  'verifying',
  'patching',
  'writingState',
  'backingOff',
]);

/** What is known about the changes of a workload's sources. */
interface ChangedEntry extends WithActor, Pick<WorkloadEntry, 'changedAt' | 'unquietSince'> {
  readonly settings: Pick<RestartSettings, 'quietPeriod'> | undefined;
}

/** Records that a source has changed. `now` is from the monotonic clock. */
export function markSourceChange(entry: ChangedEntry, now: number): void {
  const isPastQuiet = now > entry.changedAt + (entry.settings?.quietPeriod ?? 0);
  const wasQuiet = isPastQuiet && !busy.has(stateOf(entry));
  if (wasQuiet || entry.unquietSince === undefined) entry.unquietSince = now;
  entry.changedAt = now;
}

/**
 * Marks the changes known at the latest assessment as handled; a change during the assessment starts a new quiet
 * period.
 */
export function markChangesHandled(entry: WorkloadEntry): void {
  entry.unquietSince = entry.changedAt === entry.finding?.asOf ? undefined : entry.changedAt;
  entry.awaitsRolloutSince = undefined;
  entry.podStarts = undefined;
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
