import type { Use } from '../model/uses.ts';
import type { WorkloadFacts } from '../model/workloadFacts.ts';
import type { PodFacts } from './podFacts.ts';

/** The part of a use that decides whether a pod has taken the content of the source. */
export type ContainerUse = Pick<Use, 'how' | 'containers'>;

/** A pod counts as newer than a write only if it was created, or started, so much later: milliseconds. */
export const margin = 1000;

/**
 * The pods that a workload made and that still run or will: one may match its selector and be another's. A Deployment's
 * are made by its ReplicaSets, which are known by their names; one that it has adopted has labelled its pods with no hash.
 */
export function ownPods(facts: WorkloadFacts, pods: readonly PodFacts[]): PodFacts[] {
  return pods.filter((pod) => !pod.isEnding && isOwn(facts, pod));
}

/** Those of its pods of which a node may still keep what they use. */
export function lingeringPods(facts: WorkloadFacts, pods: readonly PodFacts[]): PodFacts[] {
  return pods.filter((pod) => !pod.isOver && isOwn(facts, pod));
}

function isOwn({ ref, uid }: WorkloadFacts, { namespace, owner, templateHash }: PodFacts): boolean {
  if (namespace !== ref.namespace || owner === undefined) return false;
  if (ref.kind !== 'Deployment') return owner.uid === uid;
  return owner.kind === 'ReplicaSet' && (templateHash === undefined || owner.name === `${ref.name}-${templateHash}`);
}

/**
 * The pods in which a container that uses the source runs with what was in it before `lastWrite`: epoch milliseconds by
 * the API server's clock; undefined: nobody knows when, and every pod is suspect. A container that has not been
 * started takes its environment when it is, but a volume is filled before that and may be refreshed too late.
 */
export function podsWithOldContent(
  pods: readonly PodFacts[],
  uses: readonly ContainerUse[],
  lastWrite: number | undefined,
): PodFacts[] {
  return pods.filter((pod) => !isNewer(pod, lastWrite) && uses.some((use) => hasTaken(pod, use)));
}

/** Creation times are cut to seconds, and the write's may be. */
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
 * Why the newest template of a workload cannot be rolled out to its own pods, of three of them at the most; undefined:
 * none is in trouble. Pods from before the restart do not count, for they may be what it is to cure: only in a
 * StatefulSet, where the others wait for them.
 */
export function troubleOf({ ref, templateAnnotation }: WorkloadFacts, pods: readonly PodFacts[]): string | undefined {
  const troubles = pods
    .filter(({ dependenciesHash }) => ref.kind === 'StatefulSet' || dependenciesHash === templateAnnotation)
    .flatMap(({ name, isEnding, trouble }) => (isEnding || !trouble ? [] : [`pod ${name}, ${trouble}`]));
  return troubles.length === 0 ? undefined : troubles.slice(0, 3).join('; ');
}
