import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../base/json.ts';

/** One operation of RFC 6902, not yet validated. */
type Operation = JsonObject;

/** Applies a JSON patch (RFC 6902); undefined if an operation or a test fails. The target is not changed. */
export function jsonPatch(target: JsonObject, operations: readonly unknown[]): JsonObject | undefined {
  let document: unknown = structuredClone(target);
  for (const operation of operations) {
    if (!isObject(operation)) return undefined;
    const done = apply(document, operation);
    if (done === undefined) return undefined;
    document = done.document;
  }
  return isObject(document) ? document : undefined;
}

interface Done {
  readonly document: unknown;
}

function apply(document: unknown, operation: Operation): Done | undefined {
  const path = pathOf(operation['path']);
  if (path === undefined) return undefined;
  switch (operation['op']) {
    case 'test':
      return isDeepStrictEqual(valueAt(document, path), operation['value']) ? { document } : undefined;
    case 'add':
      return put(document, path, operation['value'], true);
    case 'replace':
      return put(document, path, operation['value'], false);
    case 'remove':
      return take(document, path);
    case 'copy':
    case 'move':
      return transfer(document, pathOf(operation['from']), path, operation['op'] === 'move');
    default:
      return undefined;
  }
}

function transfer(
  document: unknown,
  from: readonly string[] | undefined,
  to: readonly string[],
  isMove: boolean,
): Done | undefined {
  if (from === undefined) return undefined;
  const value = valueAt(document, from);
  if (value === undefined) return undefined;
  const rest = isMove ? take(document, from) : { document };
  return rest === undefined ? undefined : put(rest.document, to, structuredClone(value), true);
}

function pathOf(pointer: unknown): readonly string[] | undefined {
  if (pointer === '') return [];
  if (typeof pointer !== 'string' || !pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const key of path) value = childOf(value, key);
  return value;
}

function childOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return isIndex(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isIndex(key: string): boolean {
  return /^(0|[1-9]\d*)$/.test(key);
}

/** Changes the document, which is a copy, in place. */
function put(document: unknown, path: readonly string[], value: unknown, isInsertion: boolean): Done | undefined {
  const key = path.at(-1);
  if (key === undefined) return { document: value };
  const parent = valueAt(document, path.slice(0, -1));
  if (Array.isArray(parent)) return putItem(parent, key, value, isInsertion) ? { document } : undefined;
  if (!isObject(parent)) return undefined;
  Object.defineProperty(parent, key, { value, configurable: true, enumerable: true, writable: true });
  return { document };
}

function putItem(list: unknown[], key: string, value: unknown, isInsertion: boolean): boolean {
  if (key === '-' && isInsertion) return list.push(value) > 0;
  const index = Number(key);
  if (!isIndex(key) || index > list.length || (index === list.length && !isInsertion)) return false;
  list.splice(index, isInsertion ? 0 : 1, value);
  return true;
}

function take(document: unknown, path: readonly string[]): Done | undefined {
  const key = path.at(-1);
  const parent = valueAt(document, path.slice(0, -1));
  if (key === undefined || childOf(parent, key) === undefined) return undefined;
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (isObject(parent)) Reflect.deleteProperty(parent, key);
  return { document };
}
