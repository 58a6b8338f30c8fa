import { backOffOf } from '../pods/backOff.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { DeletionPolicy } from './deletePod.ts';

/**
 * The time from a deletion to the running container of the replacement: scheduling, sandbox, network, image.
 * Milliseconds.
 */
const freshPodStart = 5_000;
/** How much later than its schedule a kubelet restarts a container at most (measured). Milliseconds. */
const latestRestart = 15_000;

/**
 * How long to wait for the kubelet's own restart because that is sooner than a deletion, in milliseconds; 0 if a
 * deletion is sooner. `now`: epoch milliseconds. A restart that is overdue by more than `latestRestart` is not waited
 * for, because the clock of the node must be wrong.
 */
export function waitForRestart(pod: CrashLoopingPod, policy: DeletionPolicy, now: number): number {
  const { duration, until } = backOffOf(pod);
  if (until === undefined) return 0;
  const left = Math.min(duration, until - now);
  return left > timeToReplace(pod, policy) ? 0 : Math.max(0, left + latestRestart);
}

/** The time from the deletion until the replacement runs, in milliseconds. */
function timeToReplace({ isReplacedAtOnce, stopsWithin }: CrashLoopingPod, policy: DeletionPolicy): number {
  if (isReplacedAtOnce || stopsWithin === 0) return freshPodStart;
  const { gracePeriodSeconds } = policy;
  return freshPodStart + (gracePeriodSeconds === undefined ? stopsWithin : gracePeriodSeconds * 1000);
}
