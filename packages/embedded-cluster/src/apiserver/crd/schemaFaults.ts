import { arrayOf, isObject, type JsonObject, numberOf, objectOf, textOf } from '../../base/json.ts';
import { type Fault, fault } from '../meta/status.ts';
import { isEmbedded, propertySchema } from './schemaValue.ts';

/** Validates a value against its schema. CEL rules, `oneOf` and the like are ignored. */
export function schemaFaults(schema: JsonObject, value: unknown, path: string): readonly Fault[] {
  if (value === null && schema['nullable'] === true) return [];
  const wrongType = typeFault(schema, value, path);
  if (wrongType !== undefined) return [wrongType];
  const { enum: allowed } = schema;
  if (Array.isArray(allowed) && !allowed.includes(value)) {
    return [fault.unsupported(path, value, allowed.map(String))];
  }
  if (isObject(value)) return objectFaults(schema, value, path);
  if (Array.isArray(value)) return listFaults(schema, value, path);
  return typeof value === 'string' ? textFaults(schema, value, path) : numberFaults(schema, value, path);
}

function typeFault(schema: JsonObject, value: unknown, path: string): Fault | undefined {
  const isEither = schema['x-kubernetes-int-or-string'] === true;
  const wanted = isEither ? 'integer,string' : textOf(schema['type']);
  const found = typeName(value);
  if (wanted === undefined || wanted.split(',').includes(found)) return undefined;
  return wanted === 'number' && found === 'integer' ? undefined : fault.typeInvalid(path, found, wanted);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function objectFaults(schema: JsonObject, value: JsonObject, path: string): readonly Fault[] {
  const needed = [...arrayOf(schema['required']).map(String), ...(isEmbedded(schema) ? ['apiVersion', 'kind'] : [])];
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  return [
    ...[...new Set(needed)].filter((key) => value[key] === undefined).map((key) => fault.required(at(key))),
    ...Object.entries(value).flatMap(([key, each]) => {
      const below = propertySchema(schema, key);
      return below === undefined ? [] : schemaFaults(below, each, at(key));
    }),
  ];
}

function listFaults(schema: JsonObject, list: readonly unknown[], path: string): readonly Fault[] {
  const [least, most] = [numberOf(schema['minItems']) ?? 0, numberOf(schema['maxItems']) ?? list.length];
  const few = `${path} in body should have at least ${least} items`;
  const faults = list.flatMap((item, index) => schemaFaults(objectOf(schema['items']), item, `${path}[${index}]`));
  return [
    ...(list.length < least ? [fault.invalid(path, list.length, few)] : []),
    ...(list.length > most ? [fault.tooMany(path, list.length, most)] : []),
    ...faults,
    ...(faults.length === 0 ? repeatedFaults(schema, list, path) : []),
  ];
}

/** Items of a set, or of a list with keys, must be unique. */
function repeatedFaults(schema: JsonObject, list: readonly unknown[], path: string): readonly Fault[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return [];
  const keys = arrayOf(schema['x-kubernetes-list-map-keys']).map(String);
  const known = new Set<string>();
  return list.flatMap((item, index) => {
    const identity = type === 'set' ? item : Object.fromEntries(keys.map((key) => [key, objectOf(item)[key]]));
    const text = JSON.stringify(identity);
    const isRepeated = known.has(text);
    known.add(text);
    return isRepeated ? [fault.duplicate(`${path}[${index}]`, identity)] : [];
  });
}

function textFaults(schema: JsonObject, value: string, path: string): readonly Fault[] {
  const [least, most] = [numberOf(schema['minLength']) ?? 0, numberOf(schema['maxLength'])];
  const length = [...value].length;
  const { pattern, format } = schema;
  if (length < least) return [fault.invalid(path, value, `${path} in body should be at least ${least} chars long`)];
  if (most !== undefined && length > most) return [fault.tooLong(path, most)];
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) {
    return [fault.invalid(path, value, `${path} in body should match '${pattern}'`)];
  }
  const isKnown = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (isKnown === undefined || isKnown(value)) return [];
  return [fault.typeInvalid(path, value, String(format))];
}

const formats: Readonly<Record<string, (value: string) => boolean>> = {
  'date-time': (value) =>
    /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value.replace(' ', 'T'))),
  // Accepts a sign, and days and weeks in addition to Go's units.
  duration: (value) => /^[+-]?(\d+(\.\d+)?\s*(ns|us|µs|ms|s|m|h|d|w))+$|^0$/.test(value),
};

function numberFaults(schema: JsonObject, value: unknown, path: string): readonly Fault[] {
  if (typeof value !== 'number') return [];
  const [least, most] = [numberOf(schema['minimum']) ?? value, numberOf(schema['maximum']) ?? value];
  return [
    ...(value < least
      ? [fault.invalid(path, value, `${path} in body should be greater than or equal to ${least}`)]
      : []),
    ...(value > most ? [fault.invalid(path, value, `${path} in body should be less than or equal to ${most}`)] : []),
  ];
}
