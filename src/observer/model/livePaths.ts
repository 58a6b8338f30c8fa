import { isObject, type JsonObject } from '../../base/json.ts';
import { elementStep, elementText, type Path } from './path.ts';
import type { SchemaNode } from './schemaNode.ts';

/** Something in an object, found by the text of its path. */
interface Found {
  readonly path: Path;
  readonly value: unknown;
}

/**
 * What is at these paths (`pathText`) in an object; what is not there, or within an atomic value, is left out. A text cannot be taken apart by
 * itself, for a field's name may have dots in it: the object says which names there are.
 */
export function findPaths(
  object: JsonObject,
  topology: SchemaNode,
  texts: ReadonlySet<string>,
): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>();
  if (texts.size > 0)
    walk(object, topology, (text, path, value) => {
      if (texts.has(text)) found.set(text, { path, value });
      return leadsToOne(texts, text);
    });
  return found;
}

/** The object without what is at these paths; a list's other elements stay, and so do maps that are empty then. */
export function omitPaths(object: JsonObject, topology: SchemaNode, texts: ReadonlySet<string>): JsonObject {
  return texts.size === 0 ? object : omitFields(object, topology, '', texts);
}

/**
 * Called for everything in an object that can have a field manager of its own, top down. Returns false to skip what is
 * below.
 */
type Visit = (text: string, path: Path, value: unknown, at: SchemaNode) => boolean;

export function walk(object: JsonObject, topology: SchemaNode, see: Visit): void {
  walkBelow(object, topology, '', [], see);
}

function walkBelow(value: unknown, at: SchemaNode, prefix: string, path: Path, see: Visit): void {
  for (const { step, below, place } of stepsOf(value, at)) {
    const text = prefix + elementText(step);
    const way = [...path, step];
    if (see(text, way, below, place)) walkBelow(below, place, text, way, see);
  }
}

/** Nothing in an atomic value: it belongs to one manager, and is there or is left out as a whole. */
function* stepsOf(value: unknown, at: SchemaNode) {
  if (isObject(value) && at.map === 'granular') {
    for (const [field, below] of Object.entries(value)) yield { step: { field }, below, place: at.field(field) };
  } else if (Array.isArray(value) && (at.list.is === 'map' || at.list.is === 'set')) {
    for (const [index, below] of value.entries())
      yield { step: elementStep(at.list, below, index), below, place: at.items() };
  }
}

function omitFields(object: JsonObject, at: SchemaNode, prefix: string, texts: ReadonlySet<string>): JsonObject {
  const kept = Object.entries(object).flatMap(([field, value]) => {
    const text = prefix + elementText({ field });
    return texts.has(text) ? [] : [[field, omitBelow(value, at.field(field), text, texts)] as const];
  });
  return Object.fromEntries(kept);
}

function omitBelow(value: unknown, at: SchemaNode, prefix: string, texts: ReadonlySet<string>): unknown {
  if (!leadsToOne(texts, prefix)) return value;
  if (isObject(value)) return omitFields(value, at, prefix, texts);
  if (!Array.isArray(value)) return value;
  return value.flatMap((element, index) => {
    const text = prefix + elementText(elementStep(at.list, element, index));
    return texts.has(text) ? [] : [omitBelow(element, at.items(), text, texts)];
  });
}

function leadsToOne(texts: ReadonlySet<string>, prefix: string): boolean {
  for (const text of texts) if (text.startsWith(prefix)) return true;
  return false;
}
