import { after } from 'node:test';
import type { Cleanup } from '../namespace.ts';

/** What the suite in whose body this is called gives to helpers: its end, when all of its tests are over. */
export function suiteCleanup(): Cleanup {
  const cleanups: (() => unknown)[] = [];
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  return { after: (cleanup) => void cleanups.push(cleanup) };
}
