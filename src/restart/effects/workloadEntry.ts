import type { TimerHandle } from '../../base/clock.ts';
import type { RestartSettings } from '../../config/restart.ts';
import type { Use } from '../model/uses.ts';
import type { WorkloadSummary } from '../model/workloadSummary.ts';
import type { WithChanges } from '../pace/quietPeriod.ts';
import type { PodSummary } from '../pods/podSummary.ts';
import type { WithProgress } from '../pods/progress.ts';
import type { ContentHistory } from '../state/contentHistory.ts';
import { needsEviction } from '../state/restartHistory.ts';
import { decodeState, type WorkloadState } from '../state/state.ts';
import type { WithFinding } from './finding.ts';
import type { WithActor } from './status.ts';

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
export interface WorkloadEntry extends WithActor, WithChanges, WithProgress, WithFinding {
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
