import type { PodFacts } from './podFacts.ts';
import type { WorkloadFacts } from './workloadFacts.ts';

/** What of a use of a source tells whether a pod has taken its content. */
export interface ContainerUse {
  readonly how: 'env' | 'envFrom' | 'volume' | 'imagePullSecret' | 'annotation';
  /** Names; empty: the pod as a whole. */
  readonly containers: readonly string[];
}

/** A pod counts as newer than a write only if it was created so much later: milliseconds. */
const margin = 1000;

/**
 * The pods that a workload made and that still run or will: one may match its selector and be another's. A Deployment's
 * are made by its ReplicaSets, which are known by their names; one that it has adopted has labelled its pods with no hash.
 */
export function ownPods({ ref, uid }: WorkloadFacts, pods: readonly PodFacts[]): PodFacts[] {
  return pods.filter(({ namespace, isEnding, owner, templateHash }) => {
    if (namespace !== ref.namespace || isEnding || owner === undefined) return false;
    if (ref.kind !== 'Deployment') return owner.uid === uid;
    return owner.kind === 'ReplicaSet' && (templateHash === undefined || owner.name === `${ref.name}-${templateHash}`);
  });
}

/**
 * The pods in which a container that uses the source runs with what was in it before `lastWrite`: epoch milliseconds by
 * the API server's clock; undefined: nobody knows when, and every pod is suspect (F3). A container that has not been
 * started takes its environment when it is (F14), but a volume is filled before that and may be refreshed too late.
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
  if (isEnding) return false;
  if (how === 'volume' && hasVolumes) return true;
  if (containers.length === 0) return startedContainers.size > 0;
  return containers.some((container) => startedContainers.has(container));
}

/**
 * Why pods cannot go on, of three at the most; undefined: none is in trouble. What counts for a rollout are the pods that
 * it made, and the older ones of a StatefulSet, which wait for each other (F9).
 */
export function troubleOf(pods: readonly PodFacts[]): string | undefined {
  const told = pods.flatMap(({ name, isEnding, trouble }) => (isEnding || !trouble ? [] : [`pod ${name}, ${trouble}`]));
  return told.length === 0 ? undefined : told.slice(0, 3).join('; ');
}
