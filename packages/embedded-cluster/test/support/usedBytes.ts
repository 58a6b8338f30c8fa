import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Returns the memory in use after a garbage collection. */
export function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert(typeof collect === 'function');
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
