import { isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { Json } from '../objects/identity.ts';
import { parseBoundedJson } from '../objects/jsonValue.ts';
import { elementText, type Path, type PathElement } from '../objects/path.ts';

/**
 * `fieldsV1` of an entry of `metadata.managedFields`: the fields that its manager owns, as a tree. `f:name` is a field.
 * `k:{"name":"a"}`, `v:"x"` and `i:0` are list elements by keys, value or position. A node that is owned itself is an
 * empty object, or has `.` beside its children.
 */
export type FieldsTree = JsonObject;

/** The result of `cut`. Undefined: no fields. */
interface Cut {
  readonly rest: FieldsTree | undefined;
  readonly taken: FieldsTree | undefined;
}

/** Returns the `pathText` of one step of a tree, or undefined for `.` and for an unknown step. */
export function stepTextOf(key: string): string | undefined {
  const [prefix, rest] = [key.slice(0, 2), key.slice(2)];
  if (prefix === 'f:') return elementText({ field: rest });
  const value = prefix === 'k:' || prefix === 'v:' ? parseBoundedJson(rest) : undefined;
  if (prefix === 'k:') return isKey(value) ? elementText({ key: value }) : undefined;
  if (prefix === 'v:') return value === undefined ? undefined : elementText({ value });
  return prefix === 'i:' ? elementText({ index: Number(rest) }) : undefined;
}

/**
 * Far below every observed field: there, a tree is treated as a whole. The API server accepts 10,000 levels, which would
 * overflow the stack.
 */
const deepest = 500;

/**
 * Splits a tree into the fields at these paths (`pathText`) and below, with the steps that lead there, and the rest.
 */
export function cut(tree: FieldsTree, paths: ReadonlySet<string>): Cut {
  return cutBelow(tree, paths, '', 0);
}

function cutBelow(tree: FieldsTree, paths: ReadonlySet<string>, prefix: string, depth: number): Cut {
  if (depth > deepest) return { rest: tree, taken: undefined };
  const rest: Record<string, unknown> = {};
  const taken: Record<string, unknown> = {};
  for (const [key, below] of Object.entries(tree)) {
    const parts = cutOne(key, below, paths, prefix, depth);
    if (parts.rest !== undefined) rest[key] = parts.rest;
    if (parts.taken !== undefined) taken[key] = parts.taken;
  }
  return { rest: orNothing(rest), taken: orNothing(taken) };
}

function cutOne(key: string, below: unknown, paths: ReadonlySet<string>, prefix: string, depth: number): Cut {
  const tree = objectOf(below);
  const step = stepTextOf(key);
  if (step === undefined) return { rest: tree, taken: undefined };
  if (paths.has(prefix + step)) return { rest: undefined, taken: tree };
  if (Object.keys(tree).length === 0) return { rest: tree, taken: undefined };
  return cutBelow(tree, paths, prefix + step, depth + 1);
}

/** Returns all fields that are in one of the two. */
export function union(one: FieldsTree, other: FieldsTree): FieldsTree {
  return unionAt(one, other, 0);
}

function unionAt(one: FieldsTree, other: FieldsTree, depth: number): FieldsTree {
  if (depth > deepest) return one;
  const union: Record<string, unknown> = { ...one };
  for (const [key, below] of Object.entries(other)) {
    const present = union[key];
    union[key] = isObject(present) && isObject(below) ? owning(present, below, depth) : below;
  }
  return union;
}

/**
 * Returns the fields that `one` owns and `other` does not, or undefined if there are none. A map or list without any
 * fields left is removed as well.
 */
export function difference(one: FieldsTree, other: FieldsTree): FieldsTree | undefined {
  return differenceBelow(one, other, 0);
}

function differenceBelow(one: FieldsTree, other: FieldsTree, depth: number): FieldsTree | undefined {
  if (depth > deepest) return one;
  const rest: Record<string, unknown> = {};
  for (const [key, below] of Object.entries(one)) {
    const left = key in other ? differenceAt(objectOf(below), objectOf(other[key]), depth) : objectOf(below);
    if (left !== undefined) rest[key] = left;
  }
  return orNothing(rest);
}

function differenceAt(one: FieldsTree, other: FieldsTree, depth: number): FieldsTree | undefined {
  if (Object.keys(one).length === 0) return isItselfOwned(other) ? undefined : one;
  const rest = differenceBelow(one, other, depth + 1);
  const isHollow = rest !== undefined && Object.keys(rest).every((key) => key === '.');
  return isHollow ? undefined : rest;
}

function isItselfOwned(tree: FieldsTree): boolean {
  return Object.keys(tree).length === 0 || '.' in tree;
}

/** An empty object means that the node itself is owned. With children, `.` means that. */
function owning(one: FieldsTree, other: FieldsTree, depth: number): FieldsTree {
  const isOwned = [one, other].some(isItselfOwned);
  const union = unionAt(one, other, depth + 1);
  return isOwned && Object.keys(union).length > 0 ? { '.': {}, ...union } : union;
}

/** Returns a tree that owns only the node at `path`. */
export function treeOf(path: Path): FieldsTree {
  const last = path.at(-1);
  if (last === undefined) return {};
  const below: FieldsTree = 'field' in last || 'value' in last ? {} : { '.': {} };
  return path.toReversed().reduce<FieldsTree>((tree, step, i) => ({ [stepKey(step)]: i === 0 ? below : tree }), {});
}

/** Returns true if the tree owns anything at this path (`pathText`) or below it. */
export function ownsAt(tree: FieldsTree, path: string): boolean {
  return cut(tree, new Set([path])).taken !== undefined;
}

function stepKey(step: PathElement): string {
  if ('field' in step) return `f:${step.field}`;
  if ('value' in step) return `v:${JSON.stringify(step.value)}`;
  if ('index' in step) return `i:${step.index}`;
  const names = Object.keys(step.key).toSorted();
  return `k:${JSON.stringify(Object.fromEntries(names.map((name) => [name, step.key[name]])))}`;
}

function orNothing(tree: FieldsTree): FieldsTree | undefined {
  return Object.keys(tree).length === 0 ? undefined : tree;
}

function isKey(value: Json | undefined): value is { readonly [key: string]: Json } {
  return isObject(value);
}
