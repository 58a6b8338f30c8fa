import { arrayOf, type JsonObject, objectOf, textOf, timeOf } from '../json.ts';
import type { CrashLoopingPod } from '../weeder/crashLooping.ts';

const shortest = 10_000;
const longest = 300_000;

/** A back-off that a pod sits out: how long it is in all, and until when (epoch milliseconds). */
export interface BackOff {
  readonly duration: number;
  readonly until: number | undefined;
}

/**
 * The back-off of a crash-looping container: in the kubelet's own words where it says them, else by its schedule
 * (the first restart comes at once, then 10 s, doubled each time, at most 5 minutes), from the moment it finished.
 */
export function backOffOf(pod: CrashLoopingPod, object: JsonObject): BackOff {
  const duration = saidIn(pod.message) ?? Math.min(longest, shortest * 2 ** Math.max(0, pod.restarts - 1));
  const finishedAt = finishedAtOf(pod, object);
  return { duration, until: finishedAt === undefined ? undefined : finishedAt + duration };
}

/** `back-off 1m20s restarting failed container=…` as milliseconds. */
function saidIn(message: string | undefined): number | undefined {
  const [, minutes, seconds] = /^back-off (?:(\d+)m)?(?:(\d+)s)? /.exec(message ?? '') ?? [];
  if (minutes === undefined && seconds === undefined) return undefined;
  return Number(minutes ?? 0) * 60_000 + Number(seconds ?? 0) * 1000;
}

function finishedAtOf({ container, finishedAt }: CrashLoopingPod, { status }: JsonObject): number | undefined {
  if (finishedAt !== undefined) return finishedAt;
  const { containerStatuses, initContainerStatuses } = objectOf(status);
  const all = [...arrayOf(initContainerStatuses), ...arrayOf(containerStatuses)].map(objectOf);
  const own = all.find((each) => textOf(each['name']) === container);
  return timeOf(objectOf(objectOf(own?.['lastState'])['terminated'])['finishedAt']);
}
