import { createHash } from 'node:crypto';
import { ExactInteger } from '../../base/exactInteger.ts';
import { isObject } from '../../base/json.ts';
import type { Json } from './identity.ts';

/** The field of a map; undefined where it has none itself: a label may be called `constructor`. */
export function ownField(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The API server takes 10,000 levels, and writing so many of them as JSON ends a process whose stack is smaller. */
const maxDepth = 500;

/**
 * A value as it can be kept, compared and written: itself, or, where it is nested deeper than anything that a person
 * writes, a text in its place that is another one for every other value. Undefined: JSON cannot say it.
 */
export function boundedJson(value: unknown): Json | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (isJson(value)) return value;
  return typeof value === 'object' ? placeholder(value) : undefined;
}

/** Whether a value is what JSON can say, and no deeper. */
function isJson(value: unknown, depth = 0): value is Json {
  if (depth > maxDepth) return false;
  if (Array.isArray(value)) return value.every((each) => isJson(each, depth + 1));
  return isObject(value) ? Object.values(value).every((each) => isJson(each, depth + 1)) : isScalar(value);
}

/** Without recursion. */
function placeholder(value: object): string {
  const hash = createHash('sha256');
  const ahead: unknown[] = [value];
  for (let here = ahead.pop(); here !== undefined; here = ahead.pop()) {
    if (Array.isArray(here)) hash.update(`[${here.length}]`);
    else if (isObject(here)) hash.update(JSON.stringify(Object.keys(here).toSorted()));
    else hash.update(JSON.stringify(here));
    for (const each of partsOf(here)) ahead.push(each);
  }
  return `nested more than ${maxDepth} levels deep, sha256 ${hash.digest('hex')}`;
}

function partsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  return Object.keys(value)
    .toSorted()
    .map((key) => value[key]);
}

/** Equal as JSON: the order of a map's keys says nothing, that of a list does. Without recursion. */
export function isSameJson(one: unknown, other: unknown): boolean {
  const ahead: [unknown, unknown][] = [[one, other]];
  for (let pair = ahead.pop(); pair !== undefined; pair = ahead.pop()) {
    const [left, right] = pair;
    if (left === right || isSameInteger(left, right)) continue;
    const pairs = pairsIn(left, right);
    if (pairs === undefined) return false;
    for (const each of pairs) ahead.push(each);
  }
  return true;
}

function isSameInteger(left: unknown, right: unknown): boolean {
  return left instanceof ExactInteger && right instanceof ExactInteger && left.digits === right.digits;
}

/** What has to be the same for these to be; undefined: they are not, whatever is in them. */
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

const known = new Map<string, string>();
const most = 50_000;

/**
 * The same text, once: 1,000 applications of the same kind have the same paths, and each path would be there a thousand
 * times. What is kept is bounded; a text beyond that is one more copy, and nothing else.
 */
export function interned(text: string): string {
  const first = known.get(text);
  if (first !== undefined) return first;
  if (known.size >= most) known.clear();
  known.set(text, text);
  return text;
}
