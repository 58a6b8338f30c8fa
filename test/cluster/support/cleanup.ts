/** The context of a test or a suite. */
export interface Cleanup {
  after(cleanup: () => unknown): void;
}

const registered = new WeakMap<Cleanup, (() => unknown)[]>();

/**
 * Registers a cleanup. All cleanups of a test run in the order of their registration, and their errors are thrown
 * afterwards. Node skips the hooks after one that throws, and a process that is not stopped would block the test file.
 */
export function cleanUp(t: Cleanup, cleanup: () => unknown): void {
  const cleanups = registered.get(t);
  if (cleanups !== undefined) {
    cleanups.push(cleanup);
    return;
  }
  const list = [cleanup];
  registered.set(t, list);
  t.after(async () => {
    const errors: unknown[] = [];
    for (const entry of list) await run(entry).catch((error: unknown) => errors.push(error));
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('; '));
    if (errors.length > 0) throw errors[0];
  });
}

async function run(cleanup: () => unknown): Promise<void> {
  await cleanup();
}
