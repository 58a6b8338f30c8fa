import type { RestartSettings } from '../../config/restart.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';

/** Returns why a Job whose sources have changed is not recreated, as a sentence; undefined if it is recreated. */
export function whyNotRecreated(
  { job }: Pick<WorkloadSummary, 'job'>,
  { jobs }: Pick<RestartSettings, 'jobs'>,
): string | undefined {
  if (job?.isOver) return 'the Job has ended, and is not run again: the next one has the new content';
  if (jobs !== 'recreate') return 'a Job is not restarted: the next one has the new content';
  if (job?.creator !== undefined) return `the Job belongs to ${job.creator}, whose next one has the new content`;
  if (job?.managedBy !== undefined) return `the Job is run by ${job.managedBy}, and not by Kubernetes`;
  return undefined;
}
