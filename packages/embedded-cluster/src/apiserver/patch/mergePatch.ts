import { isObject, type JsonObject } from '../../base/json.ts';

/** Applies a merge patch (RFC 7386): null removes a key, objects are merged, other values replace the old ones. */
export function mergePatch(target: unknown, patch: JsonObject): JsonObject {
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else define(result, key, isObject(value) ? mergePatch(result[key], value) : value);
  }
  return result;
}

/** Defines a property, because an assignment to the key `__proto__` would set the prototype. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
}
