import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Returns the bytes on the heap and outside of it after a garbage collection, so that garbage does not count. */
export function retainedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert(typeof collect === 'function');
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
