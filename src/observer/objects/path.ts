import { ExactInteger, isObject } from '@weeder/kube-runtime/base';
import type { Json } from './identity.ts';
import { boundedJson } from './jsonValue.ts';
import type { ListTopology } from './schemaNode.ts';

/** One step down into an object: a field, or a list element by its keys, its value or its position. */
export type PathElement =
  | { readonly field: string }
  | { readonly key: Readonly<Record<string, Json>> }
  | { readonly value: Json }
  | { readonly index: number };

/** Starts at the root of an object. */
export type Path = readonly PathElement[];

/**
 * Formats the path exactly as the API server does in `details.causes[].field` of a 409:
 * `.spec.template.spec.containers[name="a"].env[name="A"].value`, `[="x"]` for a set's value, `[0]` for a position.
 */
export function pathText(path: Path): string {
  return path.map(elementText).join('');
}

/** One step of `pathText`. */
export function elementText(element: PathElement): string {
  if ('field' in element) return `.${element.field}`;
  if ('value' in element) return `[=${valueText(element.value)}]`;
  if ('index' in element) return `[${element.index}]`;
  const keys = Object.keys(element.key).toSorted();
  return `[${keys.map((key) => `${key}=${valueText(element.key[key] ?? null)}`).join(',')}]`;
}

/** Strings are quoted, so a port "80" differs from a port 80. */
function valueText(value: Json): string {
  return JSON.stringify(value);
}

/**
 * Returns the steps to the fields of one map, as `elementText` formats them. A name with a dot or a bracket that is
 * ambiguous with a path (`a.b` beside a map `a`) is quoted, so no two fields have the same path.
 */
export function fieldTexts(
  names: readonly string[],
  hasParts: (name: string) => boolean,
): readonly (readonly [name: string, text: string])[] {
  const maps = names.some((name) => wayIn.test(name)) ? new Set(names.filter(hasParts)) : undefined;
  return names.map((name) => {
    const isOdd = maps !== undefined && wayIn.test(name) && leadsInto(maps, name);
    return [name, isOdd ? `[${JSON.stringify(name)}]` : elementText({ field: name })];
  });
}

const wayIn = /[.[]/;

function leadsInto(maps: ReadonlySet<string>, name: string): boolean {
  return name.split('').some((letter, index) => wayIn.test(letter) && maps.has(name.slice(0, index)));
}

/**
 * Lists to which any controller adds elements, by `pathText`. weeder never removes such an element: a finalizer, for
 * example, keeps an object until its controller has cleaned up.
 */
export const sharedLists: ReadonlySet<string> = new Set(['.metadata.finalizers', '.metadata.ownerReferences']);

/**
 * Returns the path step from a list to its i-th element: by keys, value or position, as the API server identifies it.
 */
export function elementStep(list: ListTopology, element: unknown, index: number): PathElement {
  if (list.type === 'map' && isObject(element)) {
    const keys = list.keys.map((key) => [key, jsonOf(element[key] ?? list.defaults[key])] as const);
    return { key: Object.fromEntries(keys.filter((each): each is [string, Json] => each[1] !== undefined)) };
  }
  return list.type === 'set' ? { value: jsonOf(element) ?? null } : { index };
}

/** Keys and the values of sets are scalars in every object that the API server accepts. */
function jsonOf(value: unknown): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (value instanceof ExactInteger) return value;
  return value === undefined ? undefined : JSON.stringify(boundedJson(value) ?? null);
}
