import { isObject, type JsonObject } from '../../base/json.ts';

/** RFC 7386: null removes, objects are merged, everything else takes the place of what was there. */
export function mergePatch(target: unknown, patch: JsonObject): JsonObject {
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else define(result, key, isObject(value) ? mergePatch(result[key], value) : value);
  }
  return result;
}

/** A key called `__proto__` is a key like any other. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
}
