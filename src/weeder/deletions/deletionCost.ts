import { backOffOf } from '../pods/backOff.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { DeletionPolicy } from './deletePod.ts';

/** From a deletion to the replacement's running container: scheduling, sandbox, network, image. Milliseconds. */
const freshPodStart = 5_000;
/** A kubelet restarts a container at most this much later than its schedule says (measured). Milliseconds. */
const latestRestart = 15_000;

/**
 * How long it is better to wait for the kubelet's own restart than to delete the pod, in milliseconds; 0 where a
 * deletion is quicker. `now`: epoch milliseconds. A restart that is overdue by more than kubelets take is not waited
 * for: the clock of the node is wrong then.
 */
export function waitForRestart(pod: CrashLoopingPod, policy: DeletionPolicy, now: number): number {
  const { duration, until } = backOffOf(pod);
  if (until === undefined) return 0;
  const left = Math.min(duration, until - now);
  return left > timeToReplace(pod, policy) ? 0 : Math.max(0, left + latestRestart);
}

/** From the deletion to a replacement that runs, in milliseconds. */
function timeToReplace({ isReplacedAtOnce, stopsWithin }: CrashLoopingPod, policy: DeletionPolicy): number {
  if (isReplacedAtOnce || stopsWithin === 0) return freshPodStart;
  const { gracePeriodSeconds } = policy;
  return freshPodStart + (gracePeriodSeconds === undefined ? stopsWithin : gracePeriodSeconds * 1000);
}
