import { isObject } from '@weeder/kube-runtime/base';
import type { Node } from './observerCases.ts';

/** Everything that one manager can own and another cannot, in plain form: path, value, and the schema's entry. */
export interface Leaf {
  readonly path: string;
  readonly value: unknown;
  readonly isObserved: boolean;
  /** It identifies its element, so a client that applies a field of the element applies this one too. */
  readonly isKey: boolean;
}

export function leavesOf(node: Node | undefined, value: unknown, schema: unknown, path = ''): Leaf[] {
  const isMap = isObject(value) && !(node?.type === 'map' && node.isAtomic);
  const isMerged = Array.isArray(value) && node?.type === 'list' && node.list !== 'atomic' && node.list !== 'unknown';
  if (isMap && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, below]) =>
      leavesOf(fieldOf(node, name), below, schemaAt(schema, name), `${path}/${name}`),
    );
  const isEmpty = isMap || (isMerged && value.length === 0);
  const isObserved = isEmpty ? schema === null || schema === 'observed' : listsAny(schema);
  if (!isMerged || value.length === 0) return [{ path, value, isObserved, isKey: false }];
  return value.flatMap((element, index) => {
    const keys = node.list === 'set' ? [] : node.list === 'one' ? ['k'] : ['k', 'p'];
    const id = isObject(element) ? keys.map((key) => element[key] ?? 'TCP').join() : JSON.stringify(element);
    return leavesOf(node.items, element, schemaOfElement(schema, index, value.length), `${path}[${id}]`).map(
      (leaf) => ({
        ...leaf,
        isKey: leaf.isKey || keys.some((key) => leaf.path === `${path}[${id}]/${key}`),
      }),
    );
  });
}

function fieldOf(node: Node | undefined, name: string): Node | undefined {
  return node?.type === 'map' && Object.hasOwn(node.fields, name) ? node.fields[name] : undefined;
}

function schemaAt(schema: unknown, name: string): unknown {
  if (!isObject(schema)) return schema;
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

function schemaOfElement(schema: unknown, index: number, length: number): unknown {
  if (!Array.isArray(schema)) return schema;
  if (index < schema.length - 1) return schema[index];
  const { observer_schema_list_min_length: min } = schema.at(-1);
  return index < Math.min(min, length) ? 'observed' : undefined;
}

/** Whether anything in a schema is observed: for an atomic value that is enough for all of it. */
function listsAny(schema: unknown): boolean {
  if (Array.isArray(schema)) {
    const { observer_schema_list_min_length: min, observer_schema_list_max_length: max } = schema.at(-1);
    return min > 0 || max > 0 || schema.slice(0, -1).some(listsAny);
  }
  return isObject(schema) ? Object.values(schema).some(listsAny) : schema !== undefined;
}
