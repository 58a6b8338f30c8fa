import { isObject, type JsonObject } from '../../json.ts';

/** Lists whose items are told apart by a field, wherever in an object they stand (patchMergeKey in the API's types). */
const mergeKeys: Readonly<Record<string, string>> = {
  conditions: 'type',
  containers: 'name',
  ephemeralContainers: 'name',
  env: 'name',
  hostAliases: 'ip',
  imagePullSecrets: 'name',
  initContainers: 'name',
  ownerReferences: 'uid',
  podIPs: 'ip',
  volumeMounts: 'mountPath',
  volumes: 'name',
};

/**
 * A strategic merge patch, as far as built-in types need it: as a merge patch, but the lists above are merged item by
 * item, finalizers are added to, and `$patch` with delete or replace is kept to. Other directives are ignored.
 */
export function strategicPatch(target: unknown, patch: JsonObject): JsonObject {
  if (patch['$patch'] === 'replace') return withoutDirectives(patch);
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    if (value === null || (isObject(value) && value['$patch'] === 'delete')) delete result[key];
    else {
      const merged = mergedValue(key, result[key], value);
      Object.defineProperty(result, key, { value: merged, configurable: true, enumerable: true, writable: true });
    }
  }
  return result;
}

function mergedValue(key: string, before: unknown, value: unknown): unknown {
  if (isObject(value)) return strategicPatch(before, value);
  if (!Array.isArray(value) || !Array.isArray(before)) return Array.isArray(value) ? items(value) : value;
  if (key === 'finalizers') return [...new Set([...before, ...value])];
  const mergeKey = Object.hasOwn(mergeKeys, key) ? mergeKeys[key] : undefined;
  return mergeKey === undefined ? value : mergedItems(before, value, mergeKey);
}

function mergedItems(before: readonly unknown[], patch: readonly unknown[], mergeKey: string): readonly unknown[] {
  const result = [...before];
  for (const item of patch) {
    if (!isObject(item)) continue;
    const at = result.findIndex((each) => isObject(each) && each[mergeKey] === item[mergeKey]);
    if (item['$patch'] === 'delete') {
      if (at !== -1) result.splice(at, 1);
    } else if (at === -1) result.push(withoutDirectives(item));
    else result[at] = strategicPatch(result[at], item);
  }
  return result;
}

function items(value: readonly unknown[]): readonly unknown[] {
  return value
    .filter((each) => !isObject(each) || each['$patch'] !== 'delete')
    .map((each) => (isObject(each) ? withoutDirectives(each) : each));
}

function withoutDirectives(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !key.startsWith('$')));
}
