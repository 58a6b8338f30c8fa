import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@weeder/kube-runtime/base';
import type { Case, ListNode, Node } from './observerCases.ts';

/**
 * Whether something observed differs, in the plainest form, straight from the observer schema's own text and from
 * the rules in the docs: one function that walks four values in parallel, without paths, projections or masks.
 */
export function differs({ node, manifest, schema, reply, live }: Case): boolean {
  return differ(node, manifest, schema ?? 'observed', reply, live);
}

function differ(node: Node | undefined, manifest: unknown, schema: unknown, reply: unknown, live: unknown): boolean {
  if (schema === undefined) return false;
  if (Array.isArray(schema) || (Array.isArray(manifest) && isText(schema)))
    return listsDiffer(node, Array.isArray(manifest) ? manifest : [], schema, reply, live);
  const isWhole = node?.type === 'map' && node.isAtomic && isObject(manifest) && listsAll(schema, manifest);
  if (isWhole) return !isDeepStrictEqual(reply, live);
  if (isText(schema) && !isObject(manifest)) return !isDeepStrictEqual(unordered(node, reply), unordered(node, live));
  if (isText(schema) && isObject(manifest) && Object.keys(manifest).length === 0)
    return !(isObject(reply) && isObject(live)) && !isDeepStrictEqual(reply, live);
  return Object.keys(isObject(schema) ? schema : Object(manifest)).some((name) => {
    const below = isObject(schema) ? schema[name] : schema;
    return differ(fieldOf(node, name), get(manifest, name), below, get(reply, name), get(live, name));
  });
}

function listsDiffer(
  node: Node | undefined,
  manifest: readonly unknown[],
  schema: unknown,
  reply: unknown,
  live: unknown,
): boolean {
  const isOpaque = node?.type !== 'list' || node.list === 'atomic' || node.list === 'unknown';
  if (isOpaque && listsAll(schema, manifest)) return !isDeepStrictEqual(reply, live);
  const before = elementsOf(node, reply, schema);
  const after = elementsOf(node, live, schema);
  const observed = manifest.map((_, index) => schemaOf(schema, manifest, index));
  const listed = manifest
    .map((element, index) => who(node, element, index, schema))
    .filter((_, index) => observed[index] !== undefined);
  const isOther = manifest.some((element, index) => {
    const id = who(node, element, index, schema);
    const items = node?.type === 'list' ? node.items : undefined;
    return differ(items, element, observed[index], before.get(id)?.[0], after.get(id)?.[0]);
  });
  const isTwice = [...after].some(([id, all]) => all.length > Math.max(1, before.get(id)?.length ?? 1));
  return isOther || isTwice || isLengthOther(schema, before, after, listed);
}

type Elements = ReadonlyMap<string, readonly unknown[]>;

function isLengthOther(schema: unknown, before: Elements, after: Elements, listed: readonly string[]): boolean {
  const removed = listed.filter((id) => before.has(id) && !after.has(id)).length;
  const back = listed.filter((id) => !before.has(id) && after.has(id)).length;
  const whenPutBack = after.size + Math.max(0, removed - back);
  if (!Array.isArray(schema)) return after.size !== before.size || whenPutBack !== before.size;
  const { observer_schema_list_min_length: min = 0, observer_schema_list_max_length: max = 0 } = schema.at(-1) ?? {};
  if (min === 0 && max === 0) return false;
  const isShort = after.size < Math.min(min, before.size);
  return isShort || (max > 0 && whenPutBack > Math.max(max, before.size));
}

/** For the n-th element: its own entry, or the whole one if the list must have so many elements. */
function schemaOf(schema: unknown, manifest: readonly unknown[], index: number): unknown {
  if (!Array.isArray(schema)) return schema;
  if (index < schema.length - 1) return schema[index];
  return index < Math.min(schema.at(-1)?.observer_schema_list_min_length ?? 0, manifest.length)
    ? 'observed'
    : undefined;
}

function listsAll(schema: unknown, manifest: unknown): boolean {
  if (schema === undefined || isText(schema)) return schema !== undefined;
  if (isObject(manifest) && isObject(schema))
    return Object.keys(manifest).every((name) => listsAll(get(schema, name), manifest[name]));
  if (!Array.isArray(manifest) || !Array.isArray(schema)) return false;
  const { observer_schema_list_min_length: min, observer_schema_list_max_length: max } = schema.at(-1);
  return (
    keyOf(schema) === undefined &&
    max > 0 &&
    min === max &&
    max === manifest.length &&
    manifest.every((each, i) => listsAll(schemaOf(schema, manifest, i), each))
  );
}

function elementsOf(node: Node | undefined, list: unknown, schema: unknown): Elements {
  const elements = new Map<string, unknown[]>();
  for (const [index, element] of (Array.isArray(list) ? list : []).entries()) {
    const id = who(node, element, index, schema);
    elements.set(id, [...(elements.get(id) ?? []), element]);
  }
  return elements;
}

function keyOf(schema: unknown): unknown {
  return Array.isArray(schema) ? get(schema.at(-1), 'observer_schema_list_key') : undefined;
}

/** The identity of an element. */
function who(node: Node | undefined, element: unknown, index: number, schema: unknown): string {
  const list: ListNode['list'] = node?.type === 'list' ? node.list : 'unknown';
  if (list === 'set') return `value ${JSON.stringify(element)}`;
  const hasKey = list === 'one' || list === 'two' || keyOf(schema) !== undefined;
  if (!hasKey || !isObject(element)) return `position ${index}`;
  return `keys ${JSON.stringify(list === 'two' ? [element['k'], element['p'] ?? 'TCP'] : [element['k']])}`;
}

function isText(schema: unknown): boolean {
  return schema === null || schema === 'observed';
}

function fieldOf(node: Node | undefined, name: string): Node | undefined {
  return node?.type === 'map' && Object.hasOwn(node.fields, name) ? node.fields[name] : undefined;
}

function get(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A form in which the order of a map list or a set makes no difference. */
function unordered(node: Node | undefined, value: unknown): unknown {
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([k, each]) => [k, unordered(fieldOf(node, k), each)]));
  if (!Array.isArray(value)) return value;
  const items = node?.type === 'list' ? node.items : undefined;
  const elements = value.map((element, index) => ({
    id: who(node, element, index, undefined),
    value: unordered(items, element),
  }));
  return node?.type === 'list'
    ? elements.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
    : elements;
}
