import { isObject, type JsonObject } from '../base/json.ts';

/** RFC 7386: null removes, objects are merged, and everything else replaces the previous value. */
export function mergePatch(target: unknown, patch: JsonObject): JsonObject {
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else define(result, key, isObject(value) ? mergePatch(result[key], value) : value);
  }
  return result;
}

/** A key named `__proto__` is handled like any other key. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
}
