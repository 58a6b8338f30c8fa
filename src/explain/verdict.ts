import { formatDuration, systemClock } from '@weeder/kube-runtime/base';
import { delayOf } from '../../machines/weeder/podDeletion.ts';
import { maintenanceOpensAt } from '../config/maintenance.ts';
import { soonerRestart } from '../weeder/deletions/deletionCost.ts';
import { protectionBy } from '../weeder/deletions/deletionEntry.ts';
import type { RequestPolicy } from '../weeder/deletions/deletionRequest.ts';
import type { CrashLoopingPod } from '../weeder/pods/crashLooping.ts';
import type { PodIndex } from '../weeder/pods/podIndex.ts';
import { skippedBecause, waitBecause } from '../weeder/report/wording.ts';

/**
 * What weeder would do with a crash-looping dependant in a window, in a clause. `heldBy`: another service of the pod
 * that is down. Whether the pod replaces one that was deleted recently, only the running weeder knows.
 */
export function verdict(
  pod: CrashLoopingPod,
  policy: RequestPolicy,
  index: PodIndex | undefined,
  heldBy: string | undefined,
): string {
  const protection = protectionBy(policy, pod);
  if (protection !== 'none') return `skipped: ${skippedBecause[protection]}`;
  const now = systemClock.monotonic();
  const delay = delayOf(
    {
      resourceVersion: pod.resourceVersion,
      unreportedSince: index?.unreportedSince(pod.uid),
      pausedUntil: 0,
      maintenanceFrom: maintenanceOpensAt(policy.maintenanceWindows, systemClock),
      restart: soonerRestart(pod, policy, systemClock),
      heldBy,
      closesAt: Number.POSITIVE_INFINITY,
      logLines: 0,
    },
    now,
  );
  if (delay === undefined) return 'would be deleted in a window';
  switch (delay.reason) {
    case 'dependencyNotReady':
      return `would wait in a window, if weeder has seen ${heldBy} ready before: ${waitBecause.dependencyNotReady}`;
    case 'settling':
      return `would be deleted in a window, if it is not restarted within ${formatDuration(Math.ceil(delay.until - now))}`;
    default:
      return `would not be deleted now: ${waitBecause[delay.reason]}`;
  }
}
