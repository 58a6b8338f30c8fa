import { isObject } from '../../base/json.ts';

interface Bounds {
  /** Of the value written as JSON. */
  readonly bytes: number;
  /** How far objects and lists may be nested. */
  readonly depth: number;
}

/**
 * Whether a value is more than it may be. Stops as soon as it is, and walks without recursion: so a value that contains
 * itself, or one that is nested a million deep, is refused like any other.
 */
export function excessOf(value: unknown, most: Bounds): 'tooLarge' | 'tooDeep' | undefined {
  let bytes = 0;
  for (const each of within(value)) {
    if (each.depth > most.depth) return 'tooDeep';
    bytes += ownBytes(each.value);
    if (bytes > most.bytes) return 'tooLarge';
  }
  return undefined;
}

/** How long a value is as JSON; of more than `most` bytes no more is counted than that it is more. */
export function bytesOf(value: unknown, most: number): number {
  let bytes = 0;
  for (const each of within(value)) {
    bytes += ownBytes(each.value);
    if (bytes > most) break;
  }
  return bytes;
}

/** The value, and all that is in it. */
function* within(value: unknown) {
  const ahead: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let here = ahead.pop(); here !== undefined; here = ahead.pop()) {
    yield here;
    const depth = here.depth + 1;
    if (Array.isArray(here.value)) for (const item of here.value) ahead.push({ value: item, depth });
    else if (isObject(here.value)) for (const item of Object.values(here.value)) ahead.push({ value: item, depth });
  }
}

/** Of the value without what is in it: its brackets, commas, colons and keys. */
function ownBytes(value: unknown): number {
  if (Array.isArray(value)) return 2 + Math.max(0, value.length - 1);
  if (!isObject(value)) return Buffer.byteLength(JSON.stringify(value) ?? '');
  const keys = Object.keys(value);
  return keys.reduce((sum, key) => sum + Buffer.byteLength(JSON.stringify(key)) + 1, 2 + Math.max(0, keys.length - 1));
}
