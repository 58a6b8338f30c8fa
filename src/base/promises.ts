/** Keeps the promise in `inFlight` until it settles, so that a shutdown can wait for it. */
export function track(inFlight: Set<Promise<unknown>>, work: Promise<unknown>): void {
  inFlight.add(work);
  void work.finally(() => inFlight.delete(work));
}

/**
 * Calls `act` for each item in order, at most `width` at a time. Resolves when all have ended; rejects with the first
 * error if any failed.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  act: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of entries) await act(item, index);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, worker));
  for (const result of ended) if (result.status === 'rejected') throw result.reason;
}

/** Concurrent calls for the same key share one promise. `make` must turn errors into values. */
export function singleFlight<K, V>(make: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const inFlight = new Map<K, Promise<V>>();
  return (key) => {
    const running = inFlight.get(key);
    if (running !== undefined) return running;
    const promise = make(key).finally(() => inFlight.delete(key));
    inFlight.set(key, promise);
    return promise;
  };
}
