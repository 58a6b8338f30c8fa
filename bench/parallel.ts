/** Calls `act` for each item, at most `width` at a time and in their order; fails with the first failure. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  act: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of entries) await act(item, index);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
