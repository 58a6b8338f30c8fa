import type { ContentHistory } from '../content/contentHistory.ts';
import { needsEviction } from '../content/restartHistory.ts';
import type { WithChanges } from '../pace/quietPeriod.ts';
import type { PodSummary } from '../pods/podSummary.ts';
import type { WithProgress } from '../pods/progress.ts';
import type { WithFinding } from './finding.ts';
import type { WithObserved } from './observed.ts';
import type { WithActor } from './status.ts';
import type { WithWritten } from './written.ts';

/** A workload's pods by uid, with their started containers, from a list requested when this version was known. */
export interface PresentPods {
  readonly version: string;
  readonly pods: ReadonlyMap<string, PodSummary['startedContainers']>;
}

/** What is known about a managed workload. */
export interface WorkloadEntry extends WithActor, WithObserved, WithChanges, WithProgress, WithFinding, WithWritten {
  readonly id: string;
  /** For each source that has changed, by `sourceKey`: the pods that existed when the change was detected. */
  present: ReadonlyMap<string, PresentPods>;
  /** The contents that its sources have had since its pods were created, as far as they were observed. */
  contentHistory: ContentHistory;
  readonly watchers: Set<() => void>;
}

/** Calls the watcher for each newer version of the workload. Returns a function that ends this. */
export function watchVersions({ watchers }: WorkloadEntry, watcher: () => void): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

/**
 * Whether its pods are evicted instead of getting a new template: because the config says so, because a new template
 * would not replace them, or because every restart is reverted.
 */
export function isByEviction({ observed: { settings, summary }, finding }: WorkloadEntry): boolean {
  return (
    settings?.strategy === 'evict' ||
    summary.updateStrategy === 'inPlace' ||
    needsEviction(finding?.state?.reverts ?? [])
  );
}
