import { after } from 'node:test';
import type { Cleanup } from '../cleanup.ts';

/** Returns the context of the calling suite, whose cleanups run after all of its tests. */
export function suiteCleanup(): Cleanup {
  const cleanups: (() => unknown)[] = [];
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  return { after: (cleanup) => void cleanups.push(cleanup) };
}
