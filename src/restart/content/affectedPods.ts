import { type ContainerUse, margin, ownPods, podsWithOldContent } from '../pods/ownPods.ts';
import type { PodSummary } from '../pods/podSummary.ts';
import type { Use } from '../references/uses.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';
import type { CurrentSource } from './currentSources.ts';

/** A source, and when it was written: epoch milliseconds; undefined: the time is unknown. */
export interface WrittenSource {
  readonly source: Pick<CurrentSource, 'uses'>;
  readonly lastWrite: number | undefined;
  /** All pods that existed after the write, by uid, with their started containers. */
  readonly present?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
}

/**
 * Returns the pods that a rollout is to replace because a container in them runs with old content of one of these
 * sources, without those that a partition keeps at their revision.
 */
export function podsToReplace(
  summary: WorkloadSummary,
  pods: readonly PodSummary[],
  sources: readonly WrittenSource[],
): PodSummary[] {
  const own = replaceablePods(summary, pods);
  const old = sources.flatMap(({ source: { uses }, lastWrite, present }) =>
    podsWithOldContent(
      present === undefined ? own : own.flatMap((pod) => suspect(pod, present, lastWrite)),
      uses.flatMap(seen),
      lastWrite,
    ),
  );
  return [...new Set(old)];
}

/** Returns a workload's own pods that a rollout would replace. */
export function replaceablePods(summary: WorkloadSummary, pods: readonly PodSummary[]): PodSummary[] {
  return ownPods(summary, pods).filter(({ name }) => !isExcludedByPartition(summary, name));
}

/**
 * Returns the pods that may have old content. A pod created later has the new content. So have the variables of a
 * container that had not been started then, if the node's start time agrees: the status may report a start late, and
 * the node's clock may be wrong, but hardly both.
 */
function suspect(
  pod: PodSummary,
  present: NonNullable<WrittenSource['present']>,
  lastWrite: number | undefined,
): PodSummary[] {
  const before = present.get(pod.uid);
  if (before === undefined) return [];
  const isLater = (name: string) => lastWrite !== undefined && (pod.startedAt.get(name) ?? 0) > lastWrite + margin;
  const started = [...pod.startedContainers].filter((name) => before.has(name) || !isLater(name));
  return [{ ...pod, startedContainers: new Set(started) }];
}

/** The number of pods that a partition keeps, whichever these are. */
export function keptPods({ updateStrategy, replicas }: WorkloadSummary): number {
  return typeof updateStrategy === 'object' && updateStrategy.isCount
    ? Math.min(replicas, updateStrategy.partition)
    : 0;
}

/** Whether a partition keeps the pod of this name at its revision. */
export function isExcludedByPartition({ updateStrategy }: WorkloadSummary, name: string): boolean {
  const ordinal = Number(/-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
  return typeof updateStrategy === 'object' && !updateStrategy.isCount && ordinal < updateStrategy.partition;
}

/** No container reads a volume that is not mounted. */
function seen({ how, containers }: Use): ContainerUse[] {
  return how === 'unmounted' ? [] : [{ how, containers }];
}
