import { isObject, type JsonObject } from '../../base/json.ts';
import { elementStep, elementText, type Path } from './path.ts';
import type { At } from './structure.ts';

/** Something in an object, found by the text of its path. */
interface Found {
  readonly path: Path;
  readonly value: unknown;
}

/**
 * What is at these paths (`pathText`) in an object; what is not there, or within an atomic value, is left out. A text cannot be taken apart by
 * itself, for a field's name may have dots in it: the object says which names there are.
 */
export function findPaths(object: JsonObject, structure: At, texts: ReadonlySet<string>): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>();
  if (texts.size > 0)
    visit(object, structure, (text, path, value) => {
      if (texts.has(text)) found.set(text, { path, value });
      return leadsToOne(texts, text);
    });
  return found;
}

/** The object without what is at these paths; a list's other elements stay, and so do maps that are empty then. */
export function leaveOut(object: JsonObject, structure: At, texts: ReadonlySet<string>): JsonObject {
  return texts.size === 0 ? object : withoutFields(object, structure, '', texts);
}

/**
 * Told of everything in an object that can belong to a manager of its own, from the top down; false: what lies below is
 * not wanted.
 */
type Visit = (text: string, path: Path, value: unknown, at: At) => boolean;

export function visit(object: JsonObject, structure: At, see: Visit): void {
  visitBelow(object, structure, '', [], see);
}

function visitBelow(value: unknown, at: At, prefix: string, path: Path, see: Visit): void {
  for (const { step, below, place } of stepsOf(value, at)) {
    const text = prefix + elementText(step);
    const way = [...path, step];
    if (see(text, way, below, place)) visitBelow(below, place, text, way, see);
  }
}

/** Nothing in an atomic value: it belongs to one manager, and is there or is left out as a whole. */
function* stepsOf(value: unknown, at: At) {
  if (isObject(value) && at.map === 'granular') {
    for (const [field, below] of Object.entries(value)) yield { step: { field }, below, place: at.field(field) };
  } else if (Array.isArray(value) && (at.list.is === 'map' || at.list.is === 'set')) {
    for (const [index, below] of value.entries())
      yield { step: elementStep(at.list, below, index), below, place: at.items() };
  }
}

function withoutFields(object: JsonObject, at: At, prefix: string, texts: ReadonlySet<string>): JsonObject {
  const kept = Object.entries(object).flatMap(([field, value]) => {
    const text = prefix + elementText({ field });
    return texts.has(text) ? [] : [[field, without(value, at.field(field), text, texts)] as const];
  });
  return Object.fromEntries(kept);
}

function without(value: unknown, at: At, prefix: string, texts: ReadonlySet<string>): unknown {
  if (!leadsToOne(texts, prefix)) return value;
  if (isObject(value)) return withoutFields(value, at, prefix, texts);
  if (!Array.isArray(value)) return value;
  return value.flatMap((element, index) => {
    const text = prefix + elementText(elementStep(at.list, element, index));
    return texts.has(text) ? [] : [without(element, at.items(), text, texts)];
  });
}

function leadsToOne(texts: ReadonlySet<string>, prefix: string): boolean {
  for (const text of texts) if (text.startsWith(prefix)) return true;
  return false;
}
