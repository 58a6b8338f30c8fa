import type { CrashLoopingPod } from './crashLooping.ts';

const shortest = 10_000;
const longest = 300_000;

/** A back-off that a pod sits out: how long it is in all, and until when (epoch milliseconds by the node's clock). */
export interface BackOff {
  readonly duration: number;
  readonly until: number | undefined;
}

/**
 * The back-off of a crash-looping container: in the kubelet's own words where it says them, else by its schedule
 * (the first restart comes at once, then 10 s, doubled each time, at most 5 minutes), from the moment it finished.
 */
export function backOffOf({ message, restarts, finishedAt }: CrashLoopingPod): BackOff {
  const duration = saidIn(message) ?? Math.min(longest, shortest * 2 ** Math.max(0, restarts - 1));
  return { duration, until: finishedAt === undefined ? undefined : finishedAt + duration };
}

/** What is left of it at the time `now` (epoch milliseconds): at most all of it; undefined where nothing tells. */
export function backOffLeft(pod: CrashLoopingPod, now: number): number | undefined {
  const { duration, until } = backOffOf(pod);
  return until === undefined ? undefined : Math.min(duration, Math.max(0, until - now));
}

/** `back-off 1m20s restarting failed container=…` as milliseconds. */
function saidIn(message: string | undefined): number | undefined {
  const [, minutes, seconds] = /^back-off (?:(\d+)m)?(?:(\d+)s)? /.exec(message ?? '') ?? [];
  if (minutes === undefined && seconds === undefined) return undefined;
  return Number(minutes ?? 0) * 60_000 + Number(seconds ?? 0) * 1000;
}
