/**
 * Set in the environment: no API server of the cluster tests streams lists, because its feature gate WatchList is
 * disabled: by default before 1.34, except in 1.32.
 */
export const withoutWatchList = 'WEEDER_TEST_WITHOUT_WATCH_LIST';

export function streamsLists(): boolean {
  return process.env[withoutWatchList] === undefined;
}

/** For tests of what such a server does not support. */
export const onlyWithWatchList = { skip: streamsLists() ? false : 'this API server does not stream lists' };
