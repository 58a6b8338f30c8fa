const minute = 60_000;

/**
 * This many restarts within this many milliseconds trip the breaker, which then blocks the workload for the same time.
 */
export const breaker = { restarts: 5, within: 10 * minute } as const;

/** A template that is restored within this time after the patch counts as reverted. Milliseconds. */
const revertWithin = minute;
const revertsBeforeEviction = 2;

/** Returns the latest `limit` of these times including the new one, oldest first. */
export function withNewest(times: readonly number[], time: number, limit: number): readonly number[] {
  return [...times, time].sort((one, other) => one - other).slice(-limit);
}

/**
 * Returns the end of the minimum interval between two restarts; undefined: it is over. All times are epoch
 * milliseconds.
 */
export function intervalEnds(restarts: readonly number[], minInterval: number, now: number): number | undefined {
  const last = plausible(restarts, now).at(-1);
  return last === undefined ? undefined : after(last + minInterval, now);
}

/**
 * Returns until when the breaker blocks a workload that was restarted too often, and which restarts tripped it, oldest
 * first; undefined: it does not. All times are epoch milliseconds.
 */
export function breakerBlocks(
  restarts: readonly number[],
  now: number,
): { readonly until: number; readonly because: readonly number[] } | undefined {
  const because = plausible(restarts, now).slice(-breaker.restarts);
  const [first = now, last = now] = [because[0], because.at(-1)];
  if (because.length < breaker.restarts || last - first > breaker.within) return undefined;
  const until = after(last + breaker.within, now);
  return until === undefined ? undefined : { until, because };
}

/** Whether a template that was found restored at `seenAt` counts as a revert of the patch. Epoch milliseconds. */
export function isRevert(patchedAt: number, seenAt: number): boolean {
  return seenAt - patchedAt <= revertWithin;
}

/** Whether another client reverts every restart of the template, so that only evictions work. */
export function needsEviction(reverts: readonly number[]): boolean {
  return reverts.length >= revertsBeforeEviction;
}

/**
 * Times too far in the future are ignored, so that a state written with a fast clock blocks no workload permanently.
 * Oldest first.
 */
function plausible(times: readonly number[], now: number): readonly number[] {
  return times.filter((time) => time <= now + breaker.within).sort((one, other) => one - other);
}

function after(time: number, now: number): number | undefined {
  return time > now ? time : undefined;
}
