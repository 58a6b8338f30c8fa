import { isObject, type JsonObject } from '../../base/json.ts';
import { readable } from './fieldSet.ts';
import { itemStep, type ListShape, type MapShape, type ScalarShape, type Shape, shapeAt } from './shape.ts';

/** Returns a message for each field that does not match the schema: `.data.a: expected string, got …`. */
export function typeErrors(shape: Shape, value: unknown, path = ''): readonly string[] {
  if (value === null || value === undefined || shape.type === 'any') return [];
  if (shape.type === 'map') {
    return isObject(value) ? mapErrors(shape, value, path) : [`${path}: expected map, got ${wrapped(value)}`];
  }
  if (shape.type === 'list') {
    return Array.isArray(value) ? listErrors(shape, value, path) : [`${path}: expected list, got ${wrapped(value)}`];
  }
  const expected = expectations[shape.scalar];
  return expected.holds(value) ? [] : [`${path}: expected ${expected.name}, got ${expected.actual(value)}`];
}

function mapErrors(shape: MapShape, value: JsonObject, path: string): readonly string[] {
  return Object.entries(value).flatMap(([key, fieldValue]) => {
    const at = shapeAt(shape, key);
    const below = `${path}.${key}`;
    return at === undefined ? [`${below}: field not declared in schema`] : typeErrors(at, fieldValue, below);
  });
}

function listErrors(shape: ListShape, list: readonly unknown[], path: string): readonly string[] {
  const steps = new Set<string>();
  return list.flatMap((item, index) => {
    if (shape.relation === 'atomic') return typeErrors(shape.items, item, `${path}[${index}]`);
    const step = itemStep(shape, item);
    if (step === undefined) return [`${path}: ${withoutKey(shape, item, index)}`];
    const errors = typeErrors(shape.items, item, path + readable(step));
    const isRepeated = steps.has(step);
    steps.add(step);
    return isRepeated ? [...errors, `${path}: duplicate entries for key ${readable(step)}`] : errors;
  });
}

function withoutKey({ keys }: ListShape, item: unknown, index: number): string {
  if (!isObject(item)) return `element ${index}: associative list with keys may not have non-map elements`;
  const missing = keys.find(({ name, default: fallback }) => (item[name] ?? fallback) === undefined);
  return `element ${index}: associative list with keys has an element that omits key field ${JSON.stringify(missing?.name)} (and doesn't have default value)`;
}

interface Expectation {
  readonly name: string;
  readonly holds: (value: unknown) => boolean;
  readonly actual: (value: unknown) => string;
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const wrapped = (value: unknown) => `&{${goText(value)}}`;
const numeric = { name: 'numeric (int or float)', holds: isNumber, actual: goType };
const textOrNumber = { name: 'scalar', holds: (value: unknown) => isText(value) || isNumber(value), actual: wrapped };

/** As on the real server, the message contains the value, even that of a Secret. */
const expectations: Readonly<Record<ScalarShape['scalar'], Expectation>> = {
  string: {
    name: 'string',
    holds: isText,
    actual: (value) => `&value.valueUnstructured{Value:${JSON.stringify(value)}}`,
  },
  integer: numeric,
  number: numeric,
  boolean: { name: 'boolean', holds: (value) => typeof value === 'boolean', actual: wrapped },
  quantity: textOrNumber,
  intOrString: textOrNumber,
};

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return isObject(value) ? 'map[string]interface {}' : typeof value;
}

function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, each]) => `${key}:${goText(each)}`).join(' ')}]`;
}
