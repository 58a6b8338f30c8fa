/**
 * The kubelet tries to mount a volume whose source is missing again after 500 ms, and doubles this delay to 122 s
 * (pkg/util/goroutinemap/exponentialbackoff). It does not learn that the source appears, and a new pod begins with no
 * delay. Milliseconds.
 */
const firstDelay = 500;
const longestDelay = 122_000;

/**
 * How much later than this schedule an attempt may come: the time of the first is in whole seconds, and each adds a
 * little.
 */
export const latestMount = 3_000;

/** The kubelet has tried again by then, wherever it was in its schedule, and waits for the result of a mount. */
export const longestWait = longestDelay + 15_000;

/**
 * Returns when the kubelet tries next to mount the volumes that it could not mount since `since`: epoch milliseconds. An
 * attempt that may still be under way counts as the next one. Does not know about a restart of the kubelet, which tries
 * again at once.
 */
export function nextMount(since: number, now: number): number {
  let [attempt, delay] = [since, firstDelay];
  while (attempt + latestMount <= now) {
    const isLongest = delay === longestDelay;
    const skipped = isLongest ? Math.max(1, Math.floor((now - latestMount - attempt) / longestDelay)) : 1;
    attempt += skipped * delay;
    delay = Math.min(longestDelay, delay * 2);
  }
  return attempt;
}
