import { isObject, type JsonObject } from '../../base/json.ts';

/** The part of a schema that merging and ownership of fields need. */
export type Shape = ScalarShape | ListShape | MapShape | AnyShape;

export interface ScalarShape {
  readonly type: 'scalar';
  readonly scalar: 'string' | 'integer' | 'number' | 'boolean' | 'quantity' | 'intOrString';
}

export interface ListShape {
  readonly type: 'list';
  /** `atomic`: replaced as a whole; `set`: items are identified by their value; `map`: by their keys. */
  readonly relation: 'atomic' | 'set' | 'map';
  /** Empty except for `map`. */
  readonly keys: readonly ListKey[];
  readonly items: Shape;
}

export interface ListKey {
  readonly name: string;
  /** The value for items that lack the key; undefined if the key is required. */
  readonly default: unknown;
}

export interface MapShape {
  readonly type: 'map';
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  /** The shape of undeclared keys; undefined if the map has none. */
  readonly values: Shape | undefined;
}

export interface Field {
  readonly shape: Shape;
  /** Whether it is serialized even if it is empty. */
  readonly isRequired: boolean;
  /** Whether a zero or a false is omitted, as with Go's `omitempty`. */
  readonly dropsZero: boolean;
  /** The default, if there is one; only custom resources and list keys have one. */
  readonly default: unknown;
}

/** The shape of a value without a schema: maps are merged key by key, lists are atomic. */
interface AnyShape {
  readonly type: 'any';
}

export const any: AnyShape = { type: 'any' };

/** One child of a value that is not atomic. */
export interface Child {
  /** In the form of fieldsV1: `f:name`, `k:{"name":"a"}`, `v:"x"`. */
  readonly step: string;
  readonly shape: Shape;
  readonly value: unknown;
  /** Whether the schema declares the field by its name. */
  readonly isDeclared: boolean;
}

/**
 * Returns the children by which a value is merged and owned; undefined if it is atomic or null. Items without keys are
 * omitted.
 */
export function childrenOf(shape: Shape, value: unknown): readonly Child[] | undefined {
  if (isObject(value)) return shape.type === 'map' || shape.type === 'any' ? mapChildren(shape, value) : undefined;
  if (!Array.isArray(value) || shape.type !== 'list' || shape.relation === 'atomic') return undefined;
  return value.flatMap((item: unknown) => {
    const step = itemStep(shape, item);
    return step === undefined ? [] : [{ step, shape: shape.items, value: item, isDeclared: false }];
  });
}

function mapChildren(shape: MapShape | AnyShape, value: JsonObject): readonly Child[] | undefined {
  if (shape.type === 'map' && shape.isAtomic) return undefined;
  return Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .map((key) => ({
      step: `f:${key}`,
      shape: shapeAt(shape, key) ?? any,
      value: value[key],
      isDeclared: shape.type === 'map' && shape.fields.has(key),
    }));
}

/** Returns the shape of a key of a map; undefined if the schema does not declare it. */
export function shapeAt(shape: Shape, key: string): Shape | undefined {
  if (shape.type === 'any') return any;
  return shape.type === 'map' ? (shape.fields.get(key)?.shape ?? shape.values) : undefined;
}

/** Returns the step of a list item, with the defaults of its keys; undefined if a key is missing. */
export function itemStep(shape: ListShape, item: unknown): string | undefined {
  if (shape.relation === 'set') return `v:${JSON.stringify(item)}`;
  if (!isObject(item)) return undefined;
  const keys = shape.keys.map(({ name, default: fallback }) => [name, item[name] ?? fallback] as const);
  if (keys.some(([, value]) => value === undefined)) return undefined;
  return keyStep(Object.fromEntries(keys));
}

/** Serializes the keys sorted by name, as the real server does. */
export function keyStep(keys: JsonObject): string {
  const sorted = Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : 1));
  return `k:${JSON.stringify(Object.fromEntries(sorted))}`;
}

/** Returns whether the value is absent, null, or an empty list or map. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
