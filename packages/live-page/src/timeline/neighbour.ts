import type { Moment } from '../../protocol/moment.ts';

/**
 * The moment after (1) or before (-1) the chosen one; without a chosen one, after or before a time. A replay is at a
 * whole millisecond, and what happened within it is before that.
 */
export function neighbourOf(
  moments: readonly Moment[],
  by: 1 | -1,
  chosen: Moment | undefined,
  at: number,
): Moment | undefined {
  const index = chosen === undefined ? -1 : moments.indexOf(chosen);
  if (index !== -1) return moments[index + by];
  return by === 1 ? moments.find(({ t }) => t > at) : moments.findLast(({ t }) => Math.ceil(t) < at);
}
