import { isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { contentOf, identityOf } from '../drift/content.ts';
import type { Manifest } from '../objects/identity.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import { elementOf, type FieldMask, fieldOf, observesAnything } from '../schema/fieldMask.ts';

/** The bodies for the server-side applies of a manifest. Each one identifies the object. */
interface Split {
  readonly whole: JsonObject;
  readonly observed: JsonObject;
  /** Undefined if everything is observed: then one manager owns all fields. */
  readonly unobserved: JsonObject | undefined;
}

/**
 * Splits a manifest into the observed and the unobserved fields. An apply deletes the fields that its manager owns and
 * that it leaves out, so each part has its own manager. List elements in both parts have their keys in both. An atomic
 * value is in one part as a whole, because the API server does not know its parts; a correction combines it with the
 * live value.
 */
export function split(manifest: Manifest, mask: FieldMask, topology: SchemaNode): Split {
  const { object } = manifest;
  const content = contentOf(object);
  const parts = mask.type === 'leaf' ? { observed: content, unobserved: undefined } : partMap(content, mask, topology);
  return {
    whole: bodyOf(object, content),
    observed: bodyOf(object, parts.observed),
    unobserved: parts.unobserved === undefined ? undefined : bodyOf(object, parts.unobserved),
  };
}

/** `undefined`: the part has no fields. */
interface Parts<T = unknown> {
  readonly observed: T | undefined;
  readonly unobserved: T | undefined;
}

function part(value: unknown, mask: FieldMask | undefined, at: SchemaNode): Parts {
  if (mask?.type === 'leaf') return { observed: value, unobserved: undefined };
  if (!observesAnything(mask)) return { observed: undefined, unobserved: value };
  if (isObject(value) && at.map === 'granular') return partMap(value, mask, at);
  if (!Array.isArray(value) || at.list.type === 'atomic' || at.list.type === 'unknown')
    return { observed: value, unobserved: undefined };
  return partList(value, mask, at, at.list.type === 'map' ? at.list.keys : []);
}

function partMap(map: JsonObject, mask: FieldMask | undefined, at: SchemaNode): Parts<JsonObject> {
  const observed: [string, unknown][] = [];
  const unobserved: [string, unknown][] = [];
  for (const [name, value] of Object.entries(map)) {
    const parts = part(value, fieldOf(mask, name), at.field(name));
    if (parts.observed !== undefined) observed.push([name, parts.observed]);
    if (parts.unobserved !== undefined) unobserved.push([name, parts.unobserved]);
  }
  // An empty map also counts: the manifest says that the map exists.
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

/** Both parts of an element have its keys. A part with only keys is left out. */
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
