import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Cleanup } from '../cleanup.ts';

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
