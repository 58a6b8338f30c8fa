import { arrayOf, isObject, type JsonObject, numberOf, objectOf, textOf } from '../../base/json.ts';
import { type FieldError, fieldError } from '../meta/status.ts';
import { isEmbedded, propertySchema } from './schemaValue.ts';

/** Validates a value against its schema. CEL rules, `oneOf` and the like are ignored. */
export function schemaErrors(schema: JsonObject, value: unknown, path: string): readonly FieldError[] {
  if (value === null && schema['nullable'] === true) return [];
  const wrongType = typeError(schema, value, path);
  if (wrongType !== undefined) return [wrongType];
  const { enum: allowed } = schema;
  if (Array.isArray(allowed) && !allowed.includes(value)) {
    return [fieldError.unsupported(path, value, allowed.map(String))];
  }
  if (isObject(value)) return objectErrors(schema, value, path);
  if (Array.isArray(value)) return listErrors(schema, value, path);
  return typeof value === 'string' ? textErrors(schema, value, path) : numberErrors(schema, value, path);
}

function typeError(schema: JsonObject, value: unknown, path: string): FieldError | undefined {
  const isEither = schema['x-kubernetes-int-or-string'] === true;
  const expected = isEither ? 'integer,string' : textOf(schema['type']);
  const actual = typeName(value);
  if (expected === undefined || expected.split(',').includes(actual)) return undefined;
  return expected === 'number' && actual === 'integer' ? undefined : fieldError.typeInvalid(path, actual, expected);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function objectErrors(schema: JsonObject, value: JsonObject, path: string): readonly FieldError[] {
  const required = [...arrayOf(schema['required']).map(String), ...(isEmbedded(schema) ? ['apiVersion', 'kind'] : [])];
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  return [
    ...[...new Set(required)].filter((key) => value[key] === undefined).map((key) => fieldError.required(at(key))),
    ...Object.entries(value).flatMap(([key, propertyValue]) => {
      const below = propertySchema(schema, key);
      return below === undefined ? [] : schemaErrors(below, propertyValue, at(key));
    }),
  ];
}

function listErrors(schema: JsonObject, list: readonly unknown[], path: string): readonly FieldError[] {
  const [min, max] = [numberOf(schema['minItems']) ?? 0, numberOf(schema['maxItems']) ?? list.length];
  const tooFew = `${path} in body should have at least ${min} items`;
  const errors = list.flatMap((item, index) => schemaErrors(objectOf(schema['items']), item, `${path}[${index}]`));
  return [
    ...(list.length < min ? [fieldError.invalid(path, list.length, tooFew)] : []),
    ...(list.length > max ? [fieldError.tooMany(path, list.length, max)] : []),
    ...errors,
    ...(errors.length === 0 ? repeatedErrors(schema, list, path) : []),
  ];
}

/** Items of a set, or of a list with keys, must be unique. */
function repeatedErrors(schema: JsonObject, list: readonly unknown[], path: string): readonly FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return [];
  const keys = arrayOf(schema['x-kubernetes-list-map-keys']).map(String);
  const identities = new Set<string>();
  return list.flatMap((item, index) => {
    const identity = type === 'set' ? item : Object.fromEntries(keys.map((key) => [key, objectOf(item)[key]]));
    const text = JSON.stringify(identity);
    const isRepeated = identities.has(text);
    identities.add(text);
    return isRepeated ? [fieldError.duplicate(`${path}[${index}]`, identity)] : [];
  });
}

function textErrors(schema: JsonObject, value: string, path: string): readonly FieldError[] {
  const [min, max] = [numberOf(schema['minLength']) ?? 0, numberOf(schema['maxLength'])];
  const length = [...value].length;
  const { pattern, format } = schema;
  if (length < min) return [fieldError.invalid(path, value, `${path} in body should be at least ${min} chars long`)];
  if (max !== undefined && length > max) return [fieldError.tooLong(path, max)];
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) {
    return [fieldError.invalid(path, value, `${path} in body should match '${pattern}'`)];
  }
  const isValid = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (isValid === undefined || isValid(value)) return [];
  return [fieldError.typeInvalid(path, value, String(format))];
}

const formats: Readonly<Record<string, (value: string) => boolean>> = {
  'date-time': (value) =>
    /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value.replace(' ', 'T'))),
  // Accepts a sign, and days and weeks in addition to Go's units.
  duration: (value) => /^[+-]?(\d+(\.\d+)?\s*(ns|us|µs|ms|s|m|h|d|w))+$|^0$/.test(value),
};

function numberErrors(schema: JsonObject, value: unknown, path: string): readonly FieldError[] {
  if (typeof value !== 'number') return [];
  const [min, max] = [numberOf(schema['minimum']) ?? value, numberOf(schema['maximum']) ?? value];
  return [
    ...(value < min
      ? [fieldError.invalid(path, value, `${path} in body should be greater than or equal to ${min}`)]
      : []),
    ...(value > max ? [fieldError.invalid(path, value, `${path} in body should be less than or equal to ${max}`)] : []),
  ];
}
