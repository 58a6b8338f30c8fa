import { printable } from '../../base/printable.ts';
import type { CrashLoopingPod } from './crashLooping.ts';

const shortest = 10_000;
const longest = 300_000;

/** The back-off of a pod: its whole length, and its end (epoch milliseconds by the node's clock). */
export interface BackOff {
  readonly duration: number;
  readonly until: number | undefined;
}

/**
 * The back-off of a crash-looping container: as the kubelet's message gives it, or else by the kubelet's schedule,
 * counted from when the container finished (the first restart is immediate, the next after 10 s, doubling up to 5
 * minutes). It is at most twice as long as the last one. So the result is not far too long if the kubelet has a shorter
 * maximum (`crashLoopBackOff.maxContainerRestartPeriod`), or has begun again at 10 s because the container ran for long.
 */
export function backOffOf({ message, restarts, finishedAt, waited }: CrashLoopingPod): BackOff {
  const scheduled = Math.min(longest, shortest * 2 ** Math.max(0, restarts - 1));
  const doubled = waited === undefined ? longest : Math.max(shortest, 2 * waited);
  const duration = backOffIn(message) ?? Math.min(scheduled, doubled);
  return { duration, until: finishedAt === undefined ? undefined : finishedAt + duration };
}

/**
 * How much of the back-off is left at `now` (epoch milliseconds), at most all of it. Undefined if the status does
 * not contain it.
 */
export function backOffLeft(pod: CrashLoopingPod, now: number): number | undefined {
  const { duration, until } = backOffOf(pod);
  return until === undefined ? undefined : Math.min(duration, Math.max(0, until - now));
}

/**
 * How much back-off the deletion of a pod saves at `now`, as far as its status contains it; milliseconds. The time saved
 * by a deletion that repeats one in the same window was counted for that one.
 */
export function backOffSaved(deletion: { readonly pod: CrashLoopingPod; readonly isRepeated: boolean }, now: number) {
  return deletion.isRepeated ? 0 : (backOffLeft(deletion.pod, now) ?? 0);
}

/** How a pod is in back-off, for a person: `back-off 1m20s restarting failed container`, by the kubelet's message. */
export function describeBackOff({ cause, message }: Pick<CrashLoopingPod, 'cause' | 'message'>): string {
  if (cause === 'imagePull') return printable(`image not pulled, ${message ?? 'registry away'}`);
  return cause === 'unreported' ? 'in unreported back-off' : printable(message ?? cause);
}

/** Parses `back-off 1m20s restarting failed container=…` into milliseconds. */
function backOffIn(message: string | undefined): number | undefined {
  const [, minutes, seconds] = /^back-off (?:(\d+)m)?(?:(\d+)s)? /.exec(message ?? '') ?? [];
  if (minutes === undefined && seconds === undefined) return undefined;
  return Number(minutes ?? 0) * 60_000 + Number(seconds ?? 0) * 1000;
}
