import type { RestartSettings } from '../../config/restart.ts';
import type { Use } from '../references/uses.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';

/** A version of a workload, and what follows for it from the config and the annotations of its sources. */
export interface Observed {
  readonly summary: WorkloadSummary;
  /** The uses in its template, and those of the template and the annotations that count. */
  readonly templateUses: readonly Use[];
  readonly uses: readonly Use[];
  /** Undefined: the workload is to be released. */
  readonly settings: RestartSettings | undefined;
  /** The errors in the annotations that declare uses, one sentence each. */
  readonly annotationErrors: readonly string[];
}

export interface WithObserved {
  observed: Observed;
}

/** Returns all inputs of the decision about a workload: while they are the same, it is not assessed again. */
export function inputsOf({ summary, settings, uses, annotationErrors: errors }: Observed): string {
  const { templateHash, templateAnnotation, stateText, pausedUntil, isPaused, isEnding, job, emptied } = summary;
  const own = [templateHash, templateAnnotation, stateText, pausedUntil, isPaused, isEnding, job, emptied];
  return JSON.stringify([...own, settings, uses, errors]);
}
