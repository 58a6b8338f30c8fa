import type { StreamStatus } from './streamStatus.ts';

/** An initial list takes less than this if the API server serves the stream's peers. Milliseconds. */
export const longestFirstList = 10_000;

/**
 * The names of the streams that are not waited for. If a peer has been read, these are the streams that the server
 * refuses, such as one of a namespace without Roles, and those whose initial list takes too long; in any case, these
 * are the streams of a kind that does not exist yet. Only what depends on them waits.
 */
export function unavailableStreams(streams: readonly StreamStatus[]): ReadonlySet<string> {
  const served = new Set(streams.flatMap(({ peers, isSynced }) => (isSynced && peers !== undefined ? [peers] : [])));
  const isUnavailable = ({ peers, isMissing, isRefused, isSynced, downFor = 0 }: StreamStatus) =>
    isMissing === true ||
    (peers !== undefined && served.has(peers) && (isRefused || (!isSynced && downFor >= longestFirstList)));
  return new Set(streams.filter(isUnavailable).map(({ name }) => name));
}
