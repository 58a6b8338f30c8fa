import { any, type Field, type ListKey, type ScalarShape, type Shape } from '../managedfields/shape.ts';
import { containerTypes } from './containerTypes.ts';
import { kindTypes } from './kindTypes.ts';
import { metaTypes } from './metaTypes.ts';
import { networkTypes } from './networkTypes.ts';
import { podTypes } from './podTypes.ts';
import { volumeTypes } from './volumeTypes.ts';
import { workloadTypes } from './workloadTypes.ts';

/**
 * The API's types by name; a type is atomic if its name begins with `!`. A type is a list of fields: `name` (a string),
 * `n#` (an integer; a zero is omitted if it is `n#0`), `b?` (a boolean; `b?0`), `q*` (a quantity), `p%` (an
 * IntOrString), `x:Type`, `x:Any`; `m{}…` (a map), `m{!}…` (an atomic map); `l[]…` (an atomic list), `l[=]…` (a set),
 * `l[key,key]:Type` (a list with keys). A field with the prefix `+` is required; the suffix `=TEXT` is the default of a
 * field that is part of a key.
 */
const declarations: Readonly<Record<string, string>> = {
  ...metaTypes,
  ...volumeTypes,
  ...containerTypes,
  ...podTypes,
  ...workloadTypes,
  ...networkTypes,
  ...kindTypes,
};

/** A parsed field of a type. */
export interface FieldDeclaration {
  readonly name: string;
  readonly isRequired: boolean;
  readonly dropsZero: boolean;
  /** The type of a field, or of the items of a map or list. */
  readonly of: { readonly type: string } | { readonly scalar: ScalarShape['scalar'] };
  readonly container: 'map' | 'atomicMap' | 'list' | 'set' | 'keyed' | undefined;
  readonly keys: readonly string[];
  readonly default: string | undefined;
}

export interface TypeDeclaration {
  readonly isAtomic: boolean;
  readonly fields: readonly FieldDeclaration[];
}

const scalars: Readonly<Record<string, ScalarShape['scalar']>> = {
  '#': 'integer',
  '?': 'boolean',
  '*': 'quantity',
  '%': 'intOrString',
};

const parsed = new Map<string, TypeDeclaration>();
const shapes = new Map<string, Shape>();

/** Returns a declared type; undefined if there is none of that name. */
export function typeOf(name: string): TypeDeclaration | undefined {
  const cachedType = parsed.get(name);
  if (cachedType !== undefined) return cachedType;
  const text = declarations[name] ?? declarations[`!${name}`];
  if (text === undefined) return undefined;
  const type = { isAtomic: declarations[name] === undefined, fields: text.trim().split(/\s+/).map(parseField) };
  parsed.set(name, type);
  return type;
}

/** Returns the shape of a type; undefined if there is none of that name. */
export function shapeOf(name: string): Shape | undefined {
  const cachedShape = shapes.get(name);
  const type = typeOf(name);
  if (cachedShape !== undefined || type === undefined) return cachedShape;
  const fields = new Map<string, Field>();
  const shape: Shape = { type: 'map', isAtomic: type.isAtomic, fields, values: undefined };
  shapes.set(name, shape);
  for (const field of type.fields) {
    const { isRequired, dropsZero, default: fallback } = field;
    fields.set(field.name, { shape: fieldShape(field), isRequired, dropsZero, default: fallback });
  }
  return shape;
}

/** Returns the value of a key for items that do not have it. */
function keyDefault(type: string, key: string): unknown {
  const field = typeOf(type)?.fields.find(({ name }) => name === key);
  if (field?.default !== undefined || !field?.isRequired) return field?.default;
  return 'scalar' in field.of && field.of.scalar === 'integer' ? 0 : '';
}

function parseField(word: string): FieldDeclaration {
  const match = /^(\+?)(\w+)(\{!?\}|\[[\w,=]*\])?([#?*%]?)(0?)(?::(\w+))?(?:=(\w*))?$/.exec(word);
  if (match === null) throw new Error(`invalid field declaration: ${word}`);
  const [, required, name = '', brackets = '', mark = '', zero, type, fallback] = match;
  const keys = /^\[[^=]/.test(brackets) && brackets !== '[]' ? brackets.slice(1, -1).split(',') : [];
  return {
    name,
    isRequired: required !== '',
    dropsZero: zero !== '',
    of: type === undefined ? { scalar: scalars[mark] ?? 'string' } : { type },
    container: containers[brackets] ?? (keys.length > 0 ? 'keyed' : undefined),
    keys,
    default: fallback,
  };
}

function namedShape(type: string): Shape {
  const shape = type === 'Any' ? any : shapeOf(type);
  if (shape === undefined) throw new Error(`unknown type ${type}`);
  return shape;
}

const containers: Readonly<Record<string, FieldDeclaration['container']>> = {
  '{}': 'map',
  '{!}': 'atomicMap',
  '[]': 'list',
  '[=]': 'set',
};

function fieldShape({ container, keys, of }: FieldDeclaration): Shape {
  const element: Shape = 'scalar' in of ? { type: 'scalar', scalar: of.scalar } : namedShape(of.type);
  if (container === undefined) return element;
  if (container === 'map' || container === 'atomicMap') {
    return { type: 'map', isAtomic: container === 'atomicMap', fields: new Map(), values: element };
  }
  const type = 'type' in of ? of.type : '';
  const listKeys: readonly ListKey[] = keys.map((name) => ({ name, default: keyDefault(type, name) }));
  const relation = { list: 'atomic', set: 'set', keyed: 'map' } as const;
  return { type: 'list', relation: relation[container], keys: listKeys, items: element };
}
