import assert from 'node:assert/strict';
import { after, before } from 'node:test';

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

/** Returns the context of the calling suite, whose cleanups run after all of its tests. */
export function suiteCleanup(): Cleanup {
  const cleanups: (() => unknown)[] = [];
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  return { after: (cleanup) => void cleanups.push(cleanup) };
}

/** Sets something up for all tests of the calling suite. Returns the function with which they get it. */
export function forSuite<T>(setUp: (t: Cleanup) => Promise<T>): () => T {
  const t = suiteCleanup();
  let made: { readonly it: T } | undefined;
  before(async () => {
    made = { it: await setUp(t) };
  });
  return () => {
    assert(made, 'it is made before the first test of the suite');
    return made.it;
  };
}
