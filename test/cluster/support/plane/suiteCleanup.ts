import { after } from 'node:test';
import type { Cleanup } from '../cleanup.ts';

/** The cleanup of the suite in whose body this is called: its end, when all of its tests have ended. */
export function suiteCleanup(): Cleanup {
  const cleanups: (() => unknown)[] = [];
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  return { after: (cleanup) => void cleanups.push(cleanup) };
}
