import { isObject, type JsonObject, objectOf } from '../../base/json.ts';
import { contentOf, identityOf } from '../drift/content.ts';
import type { Manifest } from '../model/identity.ts';
import type { SchemaNode } from '../model/schemaNode.ts';
import { elementOf, type FieldMask, fieldOf, observesAnything } from '../schema/fieldMask.ts';

/** What is applied of a manifest, each a body for server-side apply with all that says which object it is. */
interface Split {
  readonly whole: JsonObject;
  readonly observed: JsonObject;
  /** Undefined: everything is observed, and one manager has it all. */
  readonly unobserved: JsonObject | undefined;
}

/**
 * Takes a manifest apart into what is observed and what is not: whoever applies less than it owns deletes the rest, so
 * each part belongs to a manager of its own. Elements of lists that are in both carry their keys in both. An atomic
 * value is in one of them, whole: the server knows no part of it; who corrects it mixes it with what is live.
 */
export function split(manifest: Manifest, mask: FieldMask, topology: SchemaNode): Split {
  const { object } = manifest;
  const content = contentOf(object);
  const parts = mask.is === 'leaf' ? { observed: content, unobserved: undefined } : partMap(content, mask, topology);
  return {
    whole: bodyOf(object, content),
    observed: bodyOf(object, parts.observed),
    unobserved: parts.unobserved === undefined ? undefined : bodyOf(object, parts.unobserved),
  };
}

/** `undefined`: there is nothing of it. */
interface Parts<T = unknown> {
  readonly observed: T | undefined;
  readonly unobserved: T | undefined;
}

function part(value: unknown, mask: FieldMask | undefined, at: SchemaNode): Parts {
  if (mask?.is === 'leaf') return { observed: value, unobserved: undefined };
  if (!observesAnything(mask)) return { observed: undefined, unobserved: value };
  if (isObject(value) && at.map === 'granular') return partMap(value, mask, at);
  if (!Array.isArray(value) || at.list.is === 'atomic' || at.list.is === 'unknown')
    return { observed: value, unobserved: undefined };
  return partList(value, mask, at, at.list.is === 'map' ? at.list.keys : []);
}

function partMap(map: JsonObject, mask: FieldMask | undefined, at: SchemaNode): Parts<JsonObject> {
  const observed: [string, unknown][] = [];
  const unobserved: [string, unknown][] = [];
  for (const [name, value] of Object.entries(map)) {
    const parts = part(value, fieldOf(mask, name), at.field(name));
    if (parts.observed !== undefined) observed.push([name, parts.observed]);
    if (parts.unobserved !== undefined) unobserved.push([name, parts.unobserved]);
  }
  // An empty map is something too: that it is there.
  if (observed.length === 0) return { observed: undefined, unobserved: map };
  return {
    observed: Object.fromEntries(observed),
    unobserved: unobserved.length === 0 ? undefined : Object.fromEntries(unobserved),
  };
}

function partList(
  list: readonly unknown[],
  mask: FieldMask | undefined,
  at: SchemaNode,
  keys: readonly string[],
): Parts<readonly unknown[]> {
  const parts = list.map((element, index) => partElement(element, elementOf(mask, index), at.items(), keys));
  const observed = parts.flatMap((each) => (each.observed === undefined ? [] : [each.observed]));
  const unobserved = parts.flatMap((each) => (each.unobserved === undefined ? [] : [each.unobserved]));
  if (observed.length === 0) return { observed: undefined, unobserved: list };
  return { observed, unobserved: unobserved.length === 0 ? undefined : unobserved };
}

/** Both parts of an element say which one it is; one that says nothing else is no part. */
function partElement(element: unknown, mask: FieldMask | undefined, at: SchemaNode, keys: readonly string[]): Parts {
  const parts = part(element, mask, at);
  if (!isObject(element) || !isObject(parts.observed) || !isObject(parts.unobserved)) return parts;
  const { observed, unobserved } = parts;
  const key = Object.fromEntries(keys.flatMap((name) => (name in element ? [[name, element[name]]] : [])));
  const isOnlyKey = Object.keys(unobserved).every((name) => keys.includes(name));
  return { observed: { ...key, ...observed }, unobserved: isOnlyKey ? undefined : { ...key, ...unobserved } };
}

function bodyOf(object: JsonObject, content: JsonObject = {}): JsonObject {
  const identity = identityOf(object);
  const { metadata, ...fields } = content;
  return { ...identity, metadata: { ...objectOf(metadata), ...objectOf(identity['metadata']) }, ...fields };
}
