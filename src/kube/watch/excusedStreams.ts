import type { StreamStatus } from './streamStatus.ts';

/** A first complete state takes less than this where the API server serves its peers. Milliseconds. */
export const longestFirstList = 10_000;

/**
 * The streams that nobody waits for, by name: while a peer has been read, those that the server refuses, such as one of a
 * namespace without Roles, and those whose first complete state takes too long; and those of a kind that it does not have
 * yet. What depends on them is held back alone.
 */
export function excusedStreams(streams: readonly StreamStatus[]): ReadonlySet<string> {
  const served = new Set(streams.flatMap(({ peers, isSynced }) => (isSynced && peers !== undefined ? [peers] : [])));
  const isExcused = ({ peers, isMissing, isRefused, isSynced, downFor = 0 }: StreamStatus) =>
    isMissing === true ||
    (peers !== undefined && served.has(peers) && (isRefused || (!isSynced && downFor >= longestFirstList)));
  return new Set(streams.filter(isExcused).map(({ name }) => name));
}
