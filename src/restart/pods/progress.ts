import type { WorkloadSummary } from '../references/workloadSummary.ts';
import { rolloutOf } from './rollout.ts';

/** How the rollout of a workload has been observed to progress. Times are from the monotonic clock, in milliseconds. */
interface Progress {
  /** The latest pod template that the workload's controller has observed; undefined if there is none yet. */
  readonly template: string | undefined;
  /** When the rollout last changed: its progress or its template. */
  readonly changedAt: number;
  /** Since when a restart has waited for a rollout that another client started; undefined: none waits. */
  readonly awaitedSince?: number;
  /** The started containers of its pods when that wait last listed them. */
  readonly podStarts?: string;
}

export interface WithProgress {
  progress: Progress;
}

export function initialProgress(summary: WorkloadSummary, now: number): Progress {
  return { template: observedTemplateOf(summary), changedAt: now };
}

/** Records what a newer version shows. */
export function recordVersion(
  entry: WithProgress,
  before: WorkloadSummary,
  summary: WorkloadSummary,
  now: number,
): void {
  const { progress } = entry;
  const isSame = progressOf(summary) === progressOf(before);
  const template = observedTemplateOf(summary) ?? progress.template;
  entry.progress = { ...progress, template, changedAt: isSame ? progress.changedAt : now };
}

/** Records the started containers of the pods. What the first list of a wait shows may have been so for long. */
export function recordStarts(entry: WithProgress, podStarts: string, now: number): void {
  const { podStarts: before = podStarts, changedAt } = entry.progress;
  entry.progress = { ...entry.progress, podStarts, changedAt: before === podStarts ? changedAt : now };
}

export function beginWait(entry: WithProgress, now: number): void {
  const { awaitedSince = now } = entry.progress;
  entry.progress = { ...entry.progress, awaitedSince };
}

export function endWait(entry: WithProgress): void {
  const { template, changedAt } = entry.progress;
  entry.progress = { template, changedAt };
}

/** Why a restart waits while one is under way. */
export const awaitsRollout = 'a rollout of another client is in progress, which may have the new content';

/**
 * Whether some pod has an older template. Pods that are not ready are not a rollout, and neither is a new version with the
 * same template: a Deployment gets one with each annotation, such as weeder's own.
 */
export function isUnderWay(summary: WorkloadSummary, { template }: Progress): boolean {
  const now = rolloutOf(template === templateTextOf(summary) ? { ...summary, generation: 0 } : summary);
  if (now.type === 'unobserved') return true;
  return now.type === 'progressing' && !now.isOverdue && (now.done < now.of || now.old > 0);
}

/**
 * Describes only the progress of the rollout, so that repeated writes of another client do not count as progress.
 */
function progressOf(summary: WorkloadSummary): string {
  const progress = rolloutOf({ ...summary, generation: 0 });
  return JSON.stringify([progress, summary.templateHash, summary.templateAnnotation, summary.isPaused]);
}

/** Returns its pod template, if its controller has observed this version of it. */
function observedTemplateOf(summary: WorkloadSummary): string | undefined {
  return rolloutOf(summary).type === 'unobserved' ? undefined : templateTextOf(summary);
}

function templateTextOf({ templateHash, templateAnnotation }: WorkloadSummary): string {
  return JSON.stringify([templateHash, templateAnnotation]);
}
