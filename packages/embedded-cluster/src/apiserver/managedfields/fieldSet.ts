import { isObject } from '../../base/json.ts';
import { childrenOf, isEmpty, keyStep, type Shape, shapeAt } from './shape.ts';

/**
 * A set of field paths, each with its steps joined by `separator`. A map or an item can be a member in addition to its
 * fields.
 */
export type FieldSet = ReadonlySet<string>;

/** A character that no key of an object contains. */
export const separator = '\0';

export function joined(path: string, step: string): string {
  return path === '' ? step : `${path}${separator}${step}`;
}

/** The fields that an applied configuration sets: its leaves, the items of its lists, and its empty maps. */
export function fieldSetOf(shape: Shape, value: unknown): FieldSet {
  const set = new Set<string>();
  const walk = (path: string, at: Shape, here: unknown) => {
    const children = childrenOf(at, here);
    if (children === undefined && path !== '') set.add(path);
    for (const child of children ?? []) {
      const below = joined(path, child.step);
      walk(below, child.shape, child.value);
      const isEmptyMap = isObject(child.value) && isEmpty(child.value);
      if (Array.isArray(here) || isEmptyMap || !child.isDeclared) set.add(below);
    }
  };
  walk('', shape, value);
  return set;
}

/** Adds the declared ancestors of each member, which fieldsV1 does not list. */
export function withDeclared(shape: Shape, set: FieldSet): FieldSet {
  const fields = new Set(set);
  for (const member of set) {
    let at: Shape | undefined = shape;
    let path = '';
    for (const step of member.split(separator)) {
      if (at === undefined) break;
      path = joined(path, step);
      if (step.startsWith('f:') && at.type === 'map' && at.fields.has(step.slice(2))) fields.add(path);
      at = shapeBelow(at, step);
    }
  }
  return fields;
}

function shapeBelow(shape: Shape, step: string): Shape | undefined {
  if (step.startsWith('f:')) return shapeAt(shape, step.slice(2));
  return shape.type === 'list' ? shape.items : undefined;
}

/** Removes the members at or below one of these paths. */
export function outside(set: FieldSet, prefixes: readonly string[]): FieldSet {
  if (prefixes.length === 0) return set;
  const isWithin = (path: string) =>
    prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}${separator}`));
  return new Set([...set].filter((path) => !isWithin(path)));
}

/** Formats a path as messages do: `.spec.ports[port=80,protocol="TCP"].targetPort`. */
export function readable(path: string): string {
  return path.split(separator).map(readableStep).join('');
}

function readableStep(step: string): string {
  const value = step.slice(2);
  if (step.startsWith('f:')) return `.${value}`;
  if (!step.startsWith('k:')) return `[=${value}]`;
  const keys: unknown = JSON.parse(value);
  const pairs = isObject(keys) ? Object.entries(keys) : [];
  return `[${pairs.map(([key, each]) => `${key}=${JSON.stringify(each)}`).join(',')}]`;
}

/** Normalizes a step of a client's fieldsV1; undefined if it is invalid. */
export function parseStep(step: string): string | undefined {
  const value = step.slice(2);
  if (step.startsWith('f:')) return step;
  try {
    const parsed: unknown = JSON.parse(value);
    if (step.startsWith('k:')) return isObject(parsed) ? keyStep(parsed) : undefined;
    return `${step.slice(0, 2)}${JSON.stringify(parsed)}`;
  } catch {
    return undefined;
  }
}
