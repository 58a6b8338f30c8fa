/** Registers a cleanup: node:test's context of a test or a suite. */
export interface Cleanup {
  after(cleanup: () => unknown): void;
}

const registered = new WeakMap<Cleanup, (() => unknown)[]>();

/**
 * Runs the cleanups of a test in this order, all of them, and then throws what they threw. Node itself skips the hooks
 * that follow one that throws: a process that was not stopped would keep its test file from ending.
 */
export function cleanUp(t: Cleanup, cleanup: () => unknown): void {
  const known = registered.get(t);
  if (known !== undefined) {
    known.push(cleanup);
    return;
  }
  const all = [cleanup];
  registered.set(t, all);
  t.after(async () => {
    const errors: unknown[] = [];
    for (const each of all) await run(each).catch((error: unknown) => errors.push(error));
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('; '));
    if (errors.length > 0) throw errors[0];
  });
}

async function run(cleanup: () => unknown): Promise<void> {
  await cleanup();
}
