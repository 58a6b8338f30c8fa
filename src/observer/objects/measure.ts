import { isObject } from '@weeder/kube-runtime/base';

interface Bounds {
  /** The size of the value as JSON. */
  readonly bytes: number;
  /** The nesting depth of objects and lists. */
  readonly depth: number;
}

/**
 * Returns the limit that a value exceeds. Stops at the first excess and walks without recursion, so that a cyclic
 * value, or one that is nested a million deep, is refused like any other.
 */
export function excessOf(value: unknown, max: Bounds): 'tooLarge' | 'tooDeep' | undefined {
  let bytes = 0;
  for (const part of within(value)) {
    if (part.depth > max.depth) return 'tooDeep';
    bytes += ownBytes(part.value);
    if (bytes > max.bytes) return 'tooLarge';
  }
  return undefined;
}

/** Returns the size of a value as JSON. Stops counting above `max`. */
export function bytesOf(value: unknown, max: number): number {
  let bytes = 0;
  for (const part of within(value)) {
    bytes += ownBytes(part.value);
    if (bytes > max) break;
  }
  return bytes;
}

/** Yields the value and all values in it. */
function* within(value: unknown) {
  const ahead: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let here = ahead.pop(); here !== undefined; here = ahead.pop()) {
    yield here;
    const depth = here.depth + 1;
    if (Array.isArray(here.value)) for (const item of here.value) ahead.push({ value: item, depth });
    else if (isObject(here.value)) for (const item of Object.values(here.value)) ahead.push({ value: item, depth });
  }
}

/** Returns the size of the value without its content: brackets, commas, colons and keys. */
function ownBytes(value: unknown): number {
  if (Array.isArray(value)) return 2 + Math.max(0, value.length - 1);
  if (!isObject(value)) return Buffer.byteLength(JSON.stringify(value) ?? '');
  const keys = Object.keys(value);
  return keys.reduce((sum, key) => sum + Buffer.byteLength(JSON.stringify(key)) + 1, 2 + Math.max(0, keys.length - 1));
}
