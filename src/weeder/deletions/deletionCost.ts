import type { Clock } from '@weeder/kube-runtime/base';
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
 * The times between which the kubelet restarts the container sooner than a replacement of the pod could run, by the
 * monotonic clock in milliseconds; undefined: the status does not show when it does. A restart that is overdue by more
 * than `latestRestart` is not waited for, because the clock of the node must be wrong.
 */
export function soonerRestart(
  pod: CrashLoopingPod,
  policy: DeletionPolicy,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): { readonly from: number; readonly until: number } | undefined {
  const { duration, until } = backOffOf(pod);
  if (until === undefined) return undefined;
  const restartsAt = clock.monotonic() + Math.min(duration, until - clock.now());
  return { from: restartsAt - timeToReplace(pod, policy), until: restartsAt + latestRestart };
}

/** The time from the deletion until the replacement runs, in milliseconds. */
function timeToReplace({ isReplacedAtOnce, stopsWithin }: CrashLoopingPod, policy: DeletionPolicy): number {
  if (isReplacedAtOnce || stopsWithin === 0) return freshPodStart;
  const { gracePeriodSeconds } = policy;
  return freshPodStart + (gracePeriodSeconds === undefined ? stopsWithin : gracePeriodSeconds * 1000);
}
