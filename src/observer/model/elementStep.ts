import { ExactInteger } from '../../base/exactInteger.ts';
import { isObject } from '../../base/json.ts';
import type { Json } from './identity.ts';
import { keptJson } from './jsonValue.ts';
import type { PathElement } from './path.ts';
import type { ListStructure } from './structure.ts';

/** The step from a list to its i-th element, as the server itself tells its elements apart. */
export function elementStep(list: ListStructure, element: unknown, index: number): PathElement {
  if (list.is === 'map' && isObject(element)) {
    const keys = list.keys.map((key) => [key, jsonOf(element[key] ?? list.defaults[key])] as const);
    return { key: Object.fromEntries(keys.filter((each): each is [string, Json] => each[1] !== undefined)) };
  }
  return list.is === 'set' ? { value: jsonOf(element) ?? null } : { index };
}

/** Keys and the values of sets are scalars in all that the API server accepts. */
function jsonOf(value: unknown): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (value instanceof ExactInteger) return value;
  return value === undefined ? undefined : JSON.stringify(keptJson(value) ?? null);
}
