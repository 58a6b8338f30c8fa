import type { Actor, StateValue } from 'xstate';
import type { workload } from '../../../machines/restart/workload.ts';
import type { TimerHandle } from '../../base/clock.ts';
import type { RestartSettings } from '../../config/restart.ts';
import { type HashKey, hasLostKeys } from '../digest/digest.ts';
import type { BlockCause, PendingCause } from '../model/events.ts';
import type { Use } from '../model/uses.ts';
import type { WorkloadFacts } from '../model/workloadFacts.ts';
import type { PodFacts } from '../pods/podFacts.ts';
import type { WrittenSource } from '../state/affectedPods.ts';
import { type Assessment, type ChangedSource, changesIn } from '../state/assess.ts';
import type { ContentHistory } from '../state/contentHistory.ts';
import type { CurrentSource } from '../state/currentSources.ts';
import { needsEviction } from '../state/restartHistory.ts';
import { allSources, decodeState, type StoredTags, type WorkloadState } from '../state/state.ts';

/** What was found out when a workload was assessed last. */
export interface Finding {
  readonly key: HashKey;
  readonly current: ReadonlyMap<string, CurrentSource>;
  /** What is written on it, as far as it counts. */
  state: WorkloadState | undefined;
  readonly assessment: Assessment;
  /** What its sources had in them until then. */
  readonly contentHistory: ContentHistory;
  /** `changedAt` of the workload when the assessment began: a later change may be part of it or not. */
  readonly asOf: number;
  /** `firstSeenOf`: the tags of sources that are not in the written state yet. */
  readonly firstSeen: StoredTags;
}

/** A workload's pods by uid, with their started containers, in a list asked for when this version was known. */
export interface PresentPods {
  readonly version: string;
  readonly pods: ReadonlyMap<string, PodFacts['startedContainers']>;
}

/** Somebody, such as an operator that writes its object whole, goes on removing the state from a workload. */
export interface Contest {
  /** How often in a row, and when it was removed last, by the monotonic clock. */
  readonly removals: number;
  readonly removedAt: number;
  /** How long nothing is written after that; 0: it is written again at once. Milliseconds. */
  readonly pause: number;
  readonly timer: TimerHandle | undefined;
}

/** What is known of a workload that is managed. */
export interface WorkloadEntry {
  readonly id: string;
  readonly actor: Actor<typeof workload>;
  facts: WorkloadFacts;
  /** Of a Job that was recreated: the one of before, whose state is its own until it has one. */
  readonly previousUid: string | undefined;
  /** Undefined: it is to be no longer managed. */
  settings: RestartSettings | undefined;
  /** What its template uses, and of that and its annotations what counts. */
  templateUses: readonly Use[];
  uses: readonly Use[];
  /** What is wrong with what its annotations say it uses: a sentence each. */
  annotationErrors: readonly string[];
  /** When the last possible change was observed, by the monotonic clock. Milliseconds. */
  changedAt: number;
  /**
   * The first of the changes that followed each other within the quiet period, or came while the restart for the one
   * before was being prepared. By the monotonic clock; undefined: all changes so far have been dealt with.
   */
  unquietSince: number | undefined;
  /** The last pod template that its controller has observed; undefined if there is none yet. */
  observedTemplate: string | undefined;
  /** When something of its rollout moved last: its progress, or its template. By the monotonic clock. */
  lastProgressAt: number;
  /** Since when a restart waits for a rollout of somebody else, by the monotonic clock; undefined: none does. */
  awaitsRolloutSince: number | undefined;
  /** The same of the first of the changes that the newest restart is for; undefined: this process made none. */
  restartedFor: number | undefined;
  finding: Finding | undefined;
  /** Of each source that has changed, by `sourceKey`: the pods that were there when that was found out. */
  present: ReadonlyMap<string, PresentPods>;
  /** What its sources had in them since its pods were made, as far as that was seen. */
  contentHistory: ContentHistory;
  /** Why its restart is pending or blocked; `reading`: a list is still being read, which is not reported. */
  cause: PendingCause | BlockCause | 'reading';
  /** Its place among the restarts was used. */
  hasRestarted: boolean;
  /** What a dry run has not written, or what is kept in memory during a `contest`: it counts as if it were written. */
  unwrittenState: string | undefined;
  /** The newest state was written by this process, and has not been found removed since. */
  hasWrittenState: boolean;
  contest: Contest | undefined;
  /** Told of each newer version of the workload. */
  readonly watchers: Set<() => void>;
}

/** The innermost state that it is in: `rolling` of `{ restarting: 'rolling' }`. */
export function stateOf({ actor }: WorkloadEntry): string {
  return leafOf(actor.getSnapshot().value);
}

function leafOf(value: StateValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : leafOf(Object.values(value)[0]);
}

/** The state that is written on a workload. One that was copied along with another workload is not its own. */
export function writtenState({
  facts,
  previousUid: formerUid,
  unwrittenState: pretended,
}: WorkloadEntry): WorkloadState | 'none' | 'unreadable' {
  const state = decodeState(pretended ?? facts.stateText);
  if (typeof state !== 'object') return state;
  return state.workloadUid === facts.uid || state.workloadUid === formerUid ? state : 'none';
}

/** Whether its pods are evicted instead of getting a new template: by config, or because every restart is reverted. */
export function isByEviction({ settings, finding }: WorkloadEntry): boolean {
  return settings?.strategy === 'evict' || needsEviction(finding?.state?.reverts ?? []);
}

/** On the way to a restart: what comes in between puts it off, and must not do so for ever. */
const busy: ReadonlySet<string> = new Set([
  'assessing',
  'stale',
  'verifying',
  'patching',
  'writingState',
  'backingOff',
]);

/** A source has changed. `now` by the monotonic clock. */
export function markSourceChange(entry: WorkloadEntry, now: number): void {
  const isPastQuiet = now > entry.changedAt + (entry.settings?.quietPeriod ?? 0);
  const wasQuiet = isPastQuiet && !busy.has(stateOf(entry));
  if (wasQuiet || entry.unquietSince === undefined) entry.unquietSince = now;
  entry.changedAt = now;
}

/** What was known at the newest assessment has been dealt with; a change that came during it begins anew. */
export function markChangesHandled(entry: WorkloadEntry): void {
  entry.unquietSince = entry.changedAt === entry.finding?.asOf ? undefined : entry.changedAt;
  entry.awaitsRolloutSince = undefined;
}

/** The sources for which a restart was found to be due. */
export function changesOf({ finding }: WorkloadEntry): readonly ChangedSource[] {
  return changesIn(finding?.assessment);
}

/** Those whose rollout is under way, by the written target: what was written at an unknown time was so before it. */
export function targetSources({ finding }: WorkloadEntry): WrittenSource[] {
  const { target, rolledOut } = finding?.state ?? {};
  if (target === undefined) return [];
  const isMeant = (key: string) => target.tags.has(key) || target.tags.has(allSources);
  return [...(finding?.current ?? [])].flatMap(([key, source]) => {
    const before = rolledOut?.get(key);
    const isLost = before !== undefined && hasLostKeys(before, source.tag);
    // It was seen before the restart was decided on: pods that are made at once after it are not old.
    const seenAt = Math.min(source.seenAt ?? target.since, target.since);
    const lastWrite = isLost ? seenAt : (source.lastWrite ?? seenAt);
    return isMeant(key) ? [{ source, lastWrite }] : [];
  });
}
