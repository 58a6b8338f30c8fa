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
