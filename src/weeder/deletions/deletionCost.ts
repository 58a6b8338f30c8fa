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

/** As long as the longest back-off of a kubelet between two pulls. Milliseconds. */
const longestPullBackOff = 300_000;
/** As long as the shortest. Milliseconds. */
const shortestPullBackOff = 10_000;

/**
 * The times, by the monotonic clock in milliseconds, at which the kubelet may be pulling the image again, so that a
 * deletion would interrupt it. A status does not show this. A back-off has at least about a quarter of the time for
 * which the kubelet has tried; one that was running when the window opened or the newest failure was seen (`since`) is
 * assumed to last for so long from then on.
 */
export function likelyPull(
  { createdAt }: CrashLoopingPod,
  { openedAt, closesAt, firstSeen }: { openedAt: number; closesAt: number; firstSeen: number },
  clock: Pick<Clock, 'now' | 'monotonic'>,
): { readonly from: number; readonly until: number } {
  const since = Math.max(openedAt, firstSeen);
  const age = createdAt === undefined ? 0 : clock.now() - createdAt - (clock.monotonic() - since);
  const backOff = Math.max(shortestPullBackOff, Math.min(longestPullBackOff, age) / 4);
  // The window closes first.
  return { from: since + backOff, until: closesAt + 1 };
}

/** The time from the deletion until the replacement runs, in milliseconds. */
function timeToReplace({ isReplacedAtOnce, stopsWithin }: CrashLoopingPod, policy: DeletionPolicy): number {
  if (isReplacedAtOnce || stopsWithin === 0) return freshPodStart;
  const { gracePeriodSeconds } = policy;
  return freshPodStart + (gracePeriodSeconds === undefined ? stopsWithin : gracePeriodSeconds * 1000);
}
