import type { Use } from '../references/uses.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';
import type { PodSummary } from './podSummary.ts';

/** The part of a use that decides whether a pod has read the content of the source. */
export type ContainerUse = Pick<Use, 'how' | 'containers'>;

/** A pod counts as newer than a write only if it was created or started this much later: milliseconds. */
export const margin = 1000;

/**
 * Returns the pods that a workload created and that run or will run: a pod may match its selector and belong to another
 * owner.
 */
export function ownPods(summary: WorkloadSummary, pods: readonly PodSummary[]): PodSummary[] {
  return pods.filter((pod) => !pod.isEnding && isOwn(summary, pod));
}

/** Returns those of its pods whose content may still be cached on a node. */
export function podsWithCachedContent(summary: WorkloadSummary, pods: readonly PodSummary[]): PodSummary[] {
  return pods.filter((pod) => !pod.isOver && isOwn(summary, pod));
}

function isOwn({ kind, ref: { namespace, name }, uid }: WorkloadSummary, pod: PodSummary): boolean {
  return pod.namespace === namespace && kind.isOwner({ name, uid }, pod);
}

/**
 * Returns the pods in which a container that uses the source runs with the content from before `lastWrite`: epoch
 * milliseconds by the API server's clock; undefined: the time is unknown, and every pod is suspect. A container that
 * has not been started reads its environment when it starts, but a volume is filled before that and may be refreshed
 * too late.
 */
export function podsWithOldContent(
  pods: readonly PodSummary[],
  uses: readonly ContainerUse[],
  lastWrite: number | undefined,
): PodSummary[] {
  return pods.filter((pod) => !isNewer(pod, lastWrite) && uses.some((use) => hasTaken(pod, use)));
}

/** Creation times are truncated to seconds, and the time of the write may be too. */
function isNewer({ createdAt }: PodSummary, lastWrite: number | undefined): boolean {
  return createdAt !== undefined && lastWrite !== undefined && createdAt > lastWrite + margin;
}

function hasTaken({ startedContainers, hasVolumes, isEnding }: PodSummary, { how, containers }: ContainerUse): boolean {
  if (isEnding || how === 'unmounted') return false;
  if (how === 'volume' && hasVolumes) return true;
  if (containers.length === 0) return startedContainers.size > 0;
  return containers.some((container) => startedContainers.has(container));
}

/**
 * Returns why the newest template of a workload cannot be rolled out to its own pods, for at most three pods;
 * undefined: all of them can start. Pods from before the restart do not count, because the restart may repair them;
 * except in a StatefulSet, where the other pods wait for them.
 */
export function podFailuresOf(
  { kind, templateAnnotation }: WorkloadSummary,
  pods: readonly PodSummary[],
): string | undefined {
  const failures = pods
    .filter(({ dependenciesHash }) => kind.waitsForEachPod || dependenciesHash === templateAnnotation)
    .flatMap(({ name, isEnding, failure }) => (isEnding || !failure ? [] : [`pod ${name}, ${failure}`]));
  return failures.length === 0 ? undefined : failures.slice(0, 3).join('; ');
}
