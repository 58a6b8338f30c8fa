import type { JsonObject } from '../../base/json.ts';

/** Returns the object with only these keys. */
export function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => object[key] !== undefined).map((key) => [key, object[key]]));
}
