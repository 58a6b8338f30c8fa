import { isObject, type JsonObject } from '@weeder/kube-runtime/base';
import { elementStep, elementText, type Path } from './path.ts';
import type { SchemaNode } from './schemaNode.ts';

/** A value in an object, found by the text of its path. */
interface Found {
  readonly path: Path;
  readonly value: unknown;
  readonly at: SchemaNode;
}

/**
 * Returns the values at these paths (`pathText`) in an object. Missing values and values within an atomic value are
 * left out. A text alone is ambiguous because field names may have dots, so the object's own names are compared.
 */
export function findPaths(
  object: JsonObject,
  topology: SchemaNode,
  texts: ReadonlySet<string>,
): ReadonlyMap<string, Found> {
  const values = new Map<string, Found>();
  if (texts.size > 0)
    walk(object, topology, (text, path, value, at) => {
      if (texts.has(text)) values.set(text, { path, value, at });
      return leadsToOne(texts, text);
    });
  return values;
}

/** Returns the paths of all values below this one that can have a field manager of their own. */
export function pathsBelow(value: unknown, at: SchemaNode, path: Path): readonly Path[] {
  const paths: Path[] = [];
  walkBelow(value, at, '', path, (_text, below) => {
    paths.push(below);
    return true;
  });
  return paths;
}

/** Returns the object without the values at these paths. The other elements of a list stay, and so do empty maps. */
export function omitPaths(object: JsonObject, topology: SchemaNode, texts: ReadonlySet<string>): JsonObject {
  return texts.size === 0 ? object : omitFields(object, topology, '', texts);
}

/**
 * Called, top down, for every value that can have a field manager of its own. Returns false to skip the values below.
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

/** Yields nothing in an atomic value, which belongs to one manager as a whole. */
function* stepsOf(value: unknown, at: SchemaNode) {
  if (isObject(value) && at.map === 'granular') {
    for (const [field, below] of Object.entries(value)) yield { step: { field }, below, place: at.field(field) };
  } else if (Array.isArray(value) && (at.list.type === 'map' || at.list.type === 'set')) {
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
