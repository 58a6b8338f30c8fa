import { arrayOf, isObject, type JsonObject } from '@weeder/kube-runtime/base';
import { elementStep, elementText } from '../objects/path.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import {
  elementOf,
  type FieldMask,
  fieldOf,
  type ListMask,
  observesAll,
  observesAnything,
} from '../schema/fieldMask.ts';

/** A place in a manifest, with its mask and topology. */
interface Place {
  readonly manifest: unknown;
  readonly mask: FieldMask | undefined;
  readonly at: SchemaNode;
}

/**
 * Returns true if the resource has atomic values of which only a part is observed. Then the live object must be known.
 */
export function hasPartlyObservedAtomics(manifest: JsonObject, mask: FieldMask, topology: SchemaNode): boolean {
  return anyAtomic({ manifest, mask, at: topology });
}

/**
 * Returns the body to apply. Each atomic value of which only a part is observed has its live content, with the observed
 * leaves from the manifest. The API server writes an atomic list or map as a whole, so applying only the observed part
 * of an Ingress's rules would delete its paths.
 */
export function fillAtomics(
  body: JsonObject,
  manifest: JsonObject,
  live: JsonObject,
  mask: FieldMask,
  topology: SchemaNode,
): JsonObject {
  const filled = fill(body, live, { manifest, mask, at: topology });
  return isObject(filled) ? filled : body;
}

function anyAtomic(place: Place): boolean {
  const { manifest } = place;
  if (!isPartly(place)) return false;
  return isAtomic(place) || childrenOf(manifest, place).some(({ child }) => anyAtomic(child));
}

function fill(body: unknown, live: unknown, place: Place): unknown {
  if (body === undefined || live === undefined || !isPartly(place)) return body;
  if (isAtomic(place)) return merged(live, place);
  if (isObject(body) && isObject(place.manifest) && isObject(live)) {
    const { manifest, mask, at } = place;
    const fields = Object.entries(body).map(([name, value]) => {
      const child = { manifest: manifest[name], mask: fieldOf(mask, name), at: at.field(name) };
      return [name, fill(value, live[name], child)] as const;
    });
    return Object.fromEntries(fields);
  }
  if (!Array.isArray(body) || place.at.list.type !== 'map') return body;
  const step = (element: unknown) => elementText(elementStep(place.at.list, element, 0));
  const children = new Map(childrenOf(place.manifest, place).map(({ child }) => [step(child.manifest), child]));
  const liveElements = new Map(arrayOf(live).map((element) => [step(element), element]));
  return body.map((element) => {
    const child = children.get(step(element));
    return child === undefined ? element : fill(element, liveElements.get(step(element)), child);
  });
}

/** Returns true if a part of it is observed and a part is not. */
function isPartly({ manifest, mask }: Place): boolean {
  return observesAnything(mask) && !observesAll(mask, manifest);
}

function isAtomic({ manifest, at }: Place): boolean {
  if (isObject(manifest)) return at.map === 'atomic';
  return Array.isArray(manifest) && at.list.type !== 'map' && at.list.type !== 'set';
}

function childrenOf(manifest: unknown, { mask, at }: Place): readonly { readonly child: Place }[] {
  if (isObject(manifest))
    return Object.entries(manifest).map(([name, value]) => ({
      child: { manifest: value, mask: fieldOf(mask, name), at: at.field(name) },
    }));
  return arrayOf(manifest).map((value, i) => ({
    child: { manifest: value, mask: elementOf(mask, i), at: at.items() },
  }));
}

/** Returns the live value with the observed leaves from the manifest. */
function merged(live: unknown, place: Place): unknown {
  const { manifest, mask, at } = place;
  if (mask === undefined) return live;
  if (mask.type === 'map' && isObject(live) && isObject(manifest)) return mergedMap(live, manifest, mask, at);
  if (mask.type === 'list' && Array.isArray(live) && Array.isArray(manifest))
    return mergedList(live, manifest, mask, at);
  return manifest;
}

function mergedMap(
  live: JsonObject,
  manifest: JsonObject,
  mask: FieldMask & { readonly type: 'map' },
  at: SchemaNode,
): JsonObject {
  const result = new Map(Object.entries(live));
  for (const [name, below] of mask.fields) {
    // A field that is observed and not in the manifest is desired to be absent. The API server fills in its default, if
    // it has one.
    if (!Object.hasOwn(manifest, name)) result.delete(name);
    else if (Object.hasOwn(live, name))
      result.set(name, merged(live[name], { manifest: manifest[name], mask: below, at: at.field(name) }));
    else result.set(name, manifest[name]);
  }
  return Object.fromEntries(result);
}

/** Corrects the elements that the mask lists in place, and keeps as many of the others as the list may have. */
function mergedList(
  live: readonly unknown[],
  manifest: readonly unknown[],
  mask: ListMask,
  at: SchemaNode,
): readonly unknown[] {
  const textOf = identifierOf(mask);
  const desired = new Map(manifest.map((element, i) => [textOf(element, i), i]));
  const seen = new Set<number>();
  const kept: { readonly element: unknown; readonly isListed: boolean }[] = [];
  for (const [position, element] of live.entries()) {
    const i = desired.get(textOf(element, position));
    if (i === undefined || seen.has(i)) {
      if (i === undefined) kept.push({ element, isListed: false });
      continue;
    }
    seen.add(i);
    const below = elementOf(mask, i);
    const child = { manifest: manifest[i], mask: below, at: at.items() };
    kept.push({ element: merged(element, child), isListed: below !== undefined });
  }
  const gone = manifest.flatMap((element, i) => {
    return seen.has(i) ? [] : [{ element, isListed: observesAnything(elementOf(mask, i)) }];
  });
  const listed = gone.filter(({ isListed }) => isListed);
  const toFill = Math.max(0, mask.min - kept.length - listed.length);
  const others = gone.filter(({ isListed }) => !isListed).slice(0, toFill);
  const missing = gone.filter((each) => listed.includes(each) || others.includes(each));
  return withinBounds([...kept, ...missing], mask.max).map(({ element }) => element);
}

/** Removes excess elements, the last ones that the schema does not list first. */
function withinBounds<T extends { readonly isListed: boolean }>(elements: readonly T[], max: number): readonly T[] {
  let tooMany = max === 0 ? 0 : elements.length - max;
  return elements
    .toReversed()
    .filter(({ isListed }) => {
      if (isListed || tooMany <= 0) return true;
      tooMany -= 1;
      return false;
    })
    .toReversed();
}

/** Uses `observer_schema_list_key` if it is set, and the position otherwise. */
function identifierOf({ key }: ListMask): (element: unknown, position: number) => string {
  return (element, position) =>
    key === undefined || !isObject(element) ? `${position}` : JSON.stringify(key.map((name) => element[name] ?? null));
}
