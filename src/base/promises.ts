/** What has to be waited for in the end is among these as long as it is under way. */
export function track(inFlight: Set<Promise<unknown>>, work: Promise<unknown>): void {
  inFlight.add(work);
  void work.finally(() => inFlight.delete(work));
}

/**
 * Calls `act` for each item, at most `width` at a time, and begins them in their order. Resolves when all have ended; where
 * any failed, it fails with the first of them.
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
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}

/** Whoever asks for the same while it is under way gets the same answer. Errors are for `make` to turn into values. */
export function singleFlight<K, V>(make: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const inFlight = new Map<K, Promise<V>>();
  return (key) => {
    const found = inFlight.get(key);
    if (found !== undefined) return found;
    const promise = make(key).finally(() => inFlight.delete(key));
    inFlight.set(key, promise);
    return promise;
  };
}
