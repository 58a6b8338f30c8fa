import { isObject, type JsonObject } from '../../base/json.ts';
import { any, itemStep, type ListShape, type Shape, shapeAt } from '../managedfields/shape.ts';

/** Merge keys of lists that the schema declares atomic, or does not declare. */
const otherMergeKeys: Readonly<Record<string, string>> = { conditions: 'type' };

/**
 * Strategic merge patch: merges lists by the first of their keys, adds to finalizers, and supports `$patch: delete` and
 * `$patch: replace`. Other directives are ignored.
 */
export function strategicPatch(shape: Shape, target: unknown, patch: JsonObject): JsonObject {
  if (patch['$patch'] === 'replace') return withoutDirectives(patch);
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    if (value === null || (isObject(value) && value['$patch'] === 'delete')) delete result[key];
    else {
      const merged = mergedValue(shapeAt(shape, key) ?? any, key, result[key], value);
      Object.defineProperty(result, key, { value: merged, configurable: true, enumerable: true, writable: true });
    }
  }
  return result;
}

function mergedValue(shape: Shape, key: string, before: unknown, value: unknown): unknown {
  if (isObject(value)) return strategicPatch(shape, before, value);
  if (!Array.isArray(value) || !Array.isArray(before)) return Array.isArray(value) ? items(value) : value;
  if (shape.type === 'list' && shape.relation === 'set') return [...new Set([...before, ...value])];
  const mergeKey = mergeKeyOf(shape, key);
  return mergeKey === undefined ? value : mergedItems(shape, before, value, mergeKey);
}

function mergeKeyOf(shape: Shape, key: string): string | undefined {
  const declared = shape.type === 'list' ? shape.keys[0]?.name : undefined;
  return declared ?? (Object.hasOwn(otherMergeKeys, key) ? otherMergeKeys[key] : undefined);
}

/** New items come before those that the patch does not mention. */
function mergedItems(
  shape: Shape,
  before: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string,
): readonly unknown[] {
  const itemShape = shape.type === 'list' ? shape.items : any;
  const by: ListShape = { type: 'list', relation: 'map', keys: [{ name: mergeKey, default: undefined }], items: any };
  const indexes = new Map(before.map((item, index) => [itemStep(by, item), index]));
  const patched = patch.filter(isObject).map((item) => ({ item, index: indexes.get(itemStep(by, item)) }));
  const patchedIndexes = new Set(patched.map(({ index }) => index));
  const untouched = [...before.keys()].filter((index) => !patchedIndexes.has(index));
  const out: unknown[] = [];
  for (const { item, index } of patched) {
    if (item['$patch'] === 'delete') continue;
    while (index !== undefined && (untouched[0] ?? index) < index) out.push(before[untouched.shift() ?? 0]);
    out.push(index === undefined ? withoutDirectives(item) : strategicPatch(itemShape, before[index], item));
  }
  return [...out, ...untouched.map((index) => before[index])];
}

function items(value: readonly unknown[]): readonly unknown[] {
  return value
    .filter((each) => !isObject(each) || each['$patch'] !== 'delete')
    .map((each) => (isObject(each) ? withoutDirectives(each) : each));
}

function withoutDirectives(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !key.startsWith('$')));
}
