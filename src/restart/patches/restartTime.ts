import type { WorkloadSummary } from '../references/workloadSummary.ts';

/** Pods within a second of the write count as old, and creation times are truncated to seconds. Milliseconds. */
const afterOldPods = 2_000;

/**
 * Returns the time by which a restart is requested from a kind with `restartTimes`: its controller replaces the pods that
 * were created before it, and it lies after every pod that counts as old. `since`: when the restart was decided.
 */
export function restartTimeOf(since: number): string {
  const time = new Date(Math.ceil(since / 1000) * 1000 + afterOldPods).toISOString();
  return time.replace(/\.\d+Z$/, 'Z');
}

/** What a restart writes. */
export interface RestartRequest {
  readonly hash: string;
  readonly since: number;
}

/** Whether the workload has what the restart wrote: no other client has reverted it. */
export function isRequested(
  { kind, templateAnnotation, restartAt }: WorkloadSummary,
  { hash, since }: RestartRequest,
): boolean {
  if (kind.restartTimes === undefined) return templateAnnotation === hash;
  return restartAt !== undefined && restartAt >= Date.parse(restartTimeOf(since));
}

/**
 * Whether its controller reports the end of the restart itself. Its own numbers of pods do not: a release in steps may be
 * paused for hours, and its pods are new by then.
 */
export function hasEndedRestart(summary: WorkloadSummary, request: RestartRequest): boolean {
  const { kind, restartAt, restartedAt, status, replicas } = summary;
  if (kind.restartTimes === undefined || !isRequested(summary, request)) return false;
  return restartedAt === restartAt && status.available >= replicas;
}
