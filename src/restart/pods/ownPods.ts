import type { Use } from '../model/uses.ts';
import type { WorkloadFacts } from '../model/workloadFacts.ts';
import type { PodFacts } from './podFacts.ts';

/** The part of a use that decides whether a pod has read the content of the source. */
export type ContainerUse = Pick<Use, 'how' | 'containers'>;

/** A pod counts as newer than a write only if it was created or started this much later: milliseconds. */
export const margin = 1000;

/**
 * Returns the pods that a workload created and that run or will run: a pod may match its selector and belong to another
 * owner. A Deployment's pods are created by its ReplicaSets, which are known by their names; a ReplicaSet that it has
 * adopted has labelled its pods with no hash.
 */
export function ownPods(facts: WorkloadFacts, pods: readonly PodFacts[]): PodFacts[] {
  return pods.filter((pod) => !pod.isEnding && isOwn(facts, pod));
}

/** Returns those of its pods whose content may still be cached on a node. */
export function lingeringPods(facts: WorkloadFacts, pods: readonly PodFacts[]): PodFacts[] {
  return pods.filter((pod) => !pod.isOver && isOwn(facts, pod));
}

function isOwn({ ref, uid }: WorkloadFacts, { namespace, owner, templateHash }: PodFacts): boolean {
  if (namespace !== ref.namespace || owner === undefined) return false;
  if (ref.kind !== 'Deployment') return owner.uid === uid;
  return owner.kind === 'ReplicaSet' && (templateHash === undefined || owner.name === `${ref.name}-${templateHash}`);
}

/**
 * Returns the pods in which a container that uses the source runs with the content from before `lastWrite`: epoch
 * milliseconds by the API server's clock; undefined: the time is unknown, and every pod is suspect. A container that
 * has not been started reads its environment when it starts, but a volume is filled before that and may be refreshed
 * too late.
 */
export function podsWithOldContent(
  pods: readonly PodFacts[],
  uses: readonly ContainerUse[],
  lastWrite: number | undefined,
): PodFacts[] {
  return pods.filter((pod) => !isNewer(pod, lastWrite) && uses.some((use) => hasTaken(pod, use)));
}

/** Creation times are truncated to seconds, and the time of the write may be too. */
function isNewer({ createdAt }: PodFacts, lastWrite: number | undefined): boolean {
  return createdAt !== undefined && lastWrite !== undefined && createdAt > lastWrite + margin;
}

function hasTaken({ startedContainers, hasVolumes, isEnding }: PodFacts, { how, containers }: ContainerUse): boolean {
  if (isEnding || how === 'unmounted') return false;
  if (how === 'volume' && hasVolumes) return true;
  if (containers.length === 0) return startedContainers.size > 0;
  return containers.some((container) => startedContainers.has(container));
}

/**
 * Returns why the newest template of a workload cannot be rolled out to its own pods, for at most three pods;
 * undefined: no pod is in trouble. Pods from before the restart do not count, because the restart may repair them;
 * except in a StatefulSet, where the other pods wait for them.
 */
export function troubleOf({ ref, templateAnnotation }: WorkloadFacts, pods: readonly PodFacts[]): string | undefined {
  const troubles = pods
    .filter(({ dependenciesHash }) => ref.kind === 'StatefulSet' || dependenciesHash === templateAnnotation)
    .flatMap(({ name, isEnding, trouble }) => (isEnding || !trouble ? [] : [`pod ${name}, ${trouble}`]));
  return troubles.length === 0 ? undefined : troubles.slice(0, 3).join('; ');
}
