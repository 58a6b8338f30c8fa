const minute = 60_000;

/** So many restarts in so many milliseconds trip the breaker, which then holds the workload for as long. */
export const breaker = { restarts: 5, within: 10 * minute } as const;

/** A template that is restored within this time after the patch counts as reverted. Milliseconds. */
const revertWithin = minute;
const revertsBeforeEviction = 2;

/** The newest `keep` of these times and one more, oldest first. */
export function withNewest(times: readonly number[], time: number, keep: number): readonly number[] {
  return [...times, time].sort((one, other) => one - other).slice(-keep);
}

/** Until when the shortest time between two restarts is not over; undefined: it is. All in epoch milliseconds. */
export function intervalEnds(restarts: readonly number[], minInterval: number, now: number): number | undefined {
  const last = plausible(restarts, now).at(-1);
  return last === undefined ? undefined : after(last + minInterval, now);
}

/**
 * Until when the breaker holds a workload that was restarted too often, and which restarts tripped it, oldest first;
 * undefined: it does not. All in epoch milliseconds.
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

/** Whether somebody takes every restart of the template back, so that only evictions will do. */
export function needsEviction(reverts: readonly number[]): boolean {
  return reverts.length >= revertsBeforeEviction;
}

/**
 * What was written by a clock that ran ahead holds nobody for good: times too far in the future are not believed. Oldest
 * first.
 */
function plausible(times: readonly number[], now: number): readonly number[] {
  return times.filter((time) => time <= now + breaker.within).sort((one, other) => one - other);
}

function after(time: number, now: number): number | undefined {
  return time > now ? time : undefined;
}
