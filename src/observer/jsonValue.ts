import { isObject } from '../json.ts';
import type { Json } from './identity.ts';

/** The field of a map; undefined where it has none itself: a label may be called `constructor`. */
export function ownField(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether a value is what JSON can say. Without recursion: what is live may be nested as deep as anybody likes. */
export function isJson(value: unknown): value is Json {
  const ahead: unknown[] = [value];
  while (ahead.length > 0) {
    const here = ahead.pop();
    if (Array.isArray(here)) for (const item of here) ahead.push(item);
    else if (isObject(here)) for (const item of Object.values(here)) ahead.push(item);
    else if (!isScalar(here)) return false;
  }
  return true;
}

/** Equal as JSON: the order of a map's keys says nothing, that of a list does. Without recursion. */
export function isSameJson(one: Json, other: Json): boolean {
  const ahead: [unknown, unknown][] = [[one, other]];
  for (let pair = ahead.pop(); pair !== undefined; pair = ahead.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    const pairs = pairsIn(left, right);
    if (pairs === undefined) return false;
    ahead.push(...pairs);
  }
  return true;
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
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
