import { isObject, type JsonObject } from '../../base/json.ts';

/** What the API's schema says of a value, as far as merging and owning fields need it. */
export type Shape = ScalarShape | ListShape | MapShape | AnyShape;

export interface ScalarShape {
  readonly is: 'scalar';
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'quantity' | 'intOrString';
}

export interface ListShape {
  readonly is: 'list';
  /** `atomic`: one whole; `set`: items told apart by their value; `map`: by their keys. */
  readonly relation: 'atomic' | 'set' | 'map';
  /** Empty but for `map`. */
  readonly keys: readonly ListKey[];
  readonly items: Shape;
}

export interface ListKey {
  readonly name: string;
  /** What an item that does not say it has there; undefined: it has to. */
  readonly default: unknown;
}

export interface MapShape {
  readonly is: 'map';
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  /** Of the keys that are no declared fields; undefined: there are none. */
  readonly values: Shape | undefined;
}

export interface Field {
  readonly shape: Shape;
  /** Written even when it is empty. */
  readonly isRequired: boolean;
  /** A zero or a false is as good as nothing. */
  readonly dropsZero: boolean;
  /** What is written where nobody says anything; undefined: nothing. Of custom resources, and of list keys. */
  readonly default: unknown;
}

/** Nothing is declared: maps are merged key by key, lists are whole. */
interface AnyShape {
  readonly is: 'any';
}

export const any: AnyShape = { is: 'any' };

/** One part of a value that is no whole. */
export interface Child {
  /** As fieldsV1 writes it: `f:name`, `k:{"name":"a"}`, `v:"x"`. */
  readonly step: string;
  readonly shape: Shape;
  readonly value: unknown;
  /** A field that the schema declares by its name. */
  readonly isDeclared: boolean;
}

/** The parts by which a value is merged and owned; undefined: it is one whole, or null. Items without keys are left out. */
export function childrenOf(shape: Shape, value: unknown): readonly Child[] | undefined {
  if (isObject(value)) return shape.is === 'map' || shape.is === 'any' ? mapChildren(shape, value) : undefined;
  if (!Array.isArray(value) || shape.is !== 'list' || shape.relation === 'atomic') return undefined;
  return value.flatMap((item: unknown) => {
    const step = itemStep(shape, item);
    return step === undefined ? [] : [{ step, shape: shape.items, value: item, isDeclared: false }];
  });
}

function mapChildren(shape: MapShape | AnyShape, value: JsonObject): readonly Child[] | undefined {
  if (shape.is === 'map' && shape.isAtomic) return undefined;
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([key, each]) => ({
      step: `f:${key}`,
      shape: shapeAt(shape, key) ?? any,
      value: each,
      isDeclared: shape.is === 'map' && shape.fields.has(key),
    }));
}

/** What a key of a map holds; undefined: the schema does not know it. */
export function shapeAt(shape: Shape, key: string): Shape | undefined {
  if (shape.is === 'any') return any;
  return shape.is === 'map' ? (shape.fields.get(key)?.shape ?? shape.values) : undefined;
}

/** By what an item of a list is known, its keys' defaults filled in; undefined: a key is missing. */
export function itemStep(shape: ListShape, item: unknown): string | undefined {
  if (shape.relation === 'set') return `v:${JSON.stringify(item)}`;
  if (!isObject(item)) return undefined;
  const keys = shape.keys.map(({ name, default: fallback }) => [name, item[name] ?? fallback] as const);
  if (keys.some(([, value]) => value === undefined)) return undefined;
  return keyStep(Object.fromEntries(keys));
}

/** The keys in the order of their names, as the server writes them. */
export function keyStep(keys: JsonObject): string {
  const sorted = Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : 1));
  return `k:${JSON.stringify(Object.fromEntries(sorted))}`;
}

/** Nothing in it, or no such thing at all. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
