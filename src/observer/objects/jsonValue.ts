import { createHash } from 'node:crypto';
import { ExactInteger, isObject, parseJson, truncate } from '@weeder/kube-runtime/base';
import type { Json } from './identity.ts';
import { bytesOf } from './measure.ts';

/** Returns an own field of a map, or undefined. A label may have the name `constructor`. */
export function ownField(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The API server accepts 10,000 levels. Serializing that many would overflow the stack of the process. */
const maxDepth = 500;
/** Bytes of JSON. */
const maxBytes = 1024;
/** Bytes of a longer text that are shown. */
const longestBeginning = 256;

/**
 * Returns a value that can be stored, compared and serialized: the value itself, or a unique text for it if it is
 * nested deeper than `maxDepth`. Undefined if it is not a JSON value.
 */
export function serializableJson(value: unknown): Json | undefined {
  if (isJson(value)) return value;
  return typeof value === 'object' ? `nested more than ${maxDepth} levels deep, sha256 ${hashOf(value)}` : undefined;
}

/** The same, also for a value of more than 1 KB: others write live objects, and may fill them. */
export function boundedJson(value: unknown): Json | undefined {
  const stored = serializableJson(value);
  if (stored === undefined || bytesOf(stored, maxBytes) <= maxBytes) return stored;
  const size = `${bytesOf(stored, Number.POSITIVE_INFINITY)} bytes, sha256 ${hashOf(stored)}`;
  return typeof stored === 'string' ? `${truncate(stored, longestBeginning)} (${size})` : size;
}

/** The same for the JSON in a text; undefined if the text is not JSON. */
export function parseBoundedJson(text: string): Json | undefined {
  try {
    return boundedJson(parseJson(text));
  } catch {
    return undefined;
  }
}

/** Returns true for a JSON value that is not nested too deeply. */
function isJson(value: unknown, depth = 0): value is Json {
  if (depth > maxDepth) return false;
  if (Array.isArray(value)) return value.every((each) => isJson(each, depth + 1));
  return isObject(value) ? Object.values(value).every((each) => isJson(each, depth + 1)) : isScalar(value);
}

/** Equal values have the same, and others do not. Works without recursion. */
function hashOf(value: unknown): string {
  const hash = createHash('sha256');
  const ahead: unknown[] = [value];
  for (let here = ahead.pop(); here !== undefined; here = ahead.pop()) {
    if (Array.isArray(here)) hash.update(`[${here.length}]`);
    else if (isObject(here)) hash.update(JSON.stringify(Object.keys(here).toSorted()));
    else hash.update(JSON.stringify(here));
    for (const part of partsOf(here)) ahead.push(part);
  }
  return hash.digest('hex');
}

function partsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  return Object.keys(value)
    .toSorted()
    .map((key) => value[key]);
}

/** Compares as JSON: the order of a map's keys does not count, that of a list does. Works without recursion. */
export function isSameJson(one: unknown, other: unknown): boolean {
  const ahead: [unknown, unknown][] = [[one, other]];
  for (let pair = ahead.pop(); pair !== undefined; pair = ahead.pop()) {
    const [left, right] = pair;
    if (left === right || isSameInteger(left, right)) continue;
    const pairs = pairsIn(left, right);
    if (pairs === undefined) return false;
    for (const partPair of pairs) ahead.push(partPair);
  }
  return true;
}

/** Returns true if a map or list in it has a field or an element that the other value does not have. */
export function hasMore(one: unknown, than: unknown): boolean {
  const ahead: [unknown, unknown][] = [[one, than]];
  for (let pair = ahead.pop(); pair !== undefined; pair = ahead.pop()) {
    const [left, right] = pair;
    const there = new Map(Array.isArray(left) === Array.isArray(right) ? entriesIn(right) : []);
    for (const [name, value] of entriesIn(left)) {
      if (!there.has(name)) return true;
      ahead.push([value, there.get(name)]);
    }
  }
  return false;
}

function entriesIn(value: unknown): [string, unknown][] {
  return isObject(value) || Array.isArray(value) ? Object.entries(value) : [];
}

function isSameInteger(left: unknown, right: unknown): boolean {
  return left instanceof ExactInteger && right instanceof ExactInteger && left.digits === right.digits;
}

/** Returns the pairs that must be equal for the two to be equal, or undefined if they differ already. */
function pairsIn(left: unknown, right: unknown): [unknown, unknown][] | undefined {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length ? left.map((item, index) => [item, right[index]]) : undefined;
  if (!isObject(left) || !isObject(right)) return undefined;
  const keys = Object.keys(left);
  const isSame = keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key));
  return isSame ? keys.map((key) => [left[key], right[key]]) : undefined;
}

function isScalar(value: unknown): boolean {
  return (
    value instanceof ExactInteger ||
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    Number.isFinite(value)
  );
}

const texts = new Map<string, string>();
const max = 50_000;
/** Characters. A longer text contains a value of one object. */
const longestShared = 512;

/**
 * Returns one shared copy of equal texts, because 1,000 applications of the same kind have the same paths. The pool is
 * bounded; a text beyond it is a separate copy.
 */
export function interned(text: string): string {
  if (text.length > longestShared) return text;
  const first = texts.get(text);
  if (first !== undefined) return first;
  if (texts.size >= max) texts.clear();
  texts.set(text, text);
  return text;
}
