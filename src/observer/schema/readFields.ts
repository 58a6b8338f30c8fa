import { ExactInteger, isObject, type JsonObject } from '@weeder/kube-runtime/base';
import type { Path } from '../../base/fieldError.ts';
import { type FieldMask, type ListMask, leaf } from './fieldMask.ts';
import type { ErrorList, SchemaErrorCode } from './schemaErrors.ts';

const prefix = 'observer_schema_list_';
const names = { min: `${prefix}min_length`, max: `${prefix}max_length`, key: `${prefix}key` } as const;
const knownNames: ReadonlySet<string> = new Set(Object.values(names));

/** Returns true for the element of a list that holds its bounds, even if its keys are misspelt. */
function isBounds(element: unknown): element is JsonObject {
  return isObject(element) && Object.keys(element).some(isBoundsKey);
}

function isBoundsKey(key: string): boolean {
  return key.startsWith(prefix);
}

/** Reads `{observer_schema_list_min_length, observer_schema_list_max_length, observer_schema_list_key?}`. */
function readBounds(
  bounds: JsonObject,
  listed: number,
  path: Path,
  errors: ErrorList,
): Pick<ListMask, 'min' | 'max' | 'key'> {
  for (const name of Object.keys(bounds))
    if (!knownNames.has(name)) errors.add('unknownBound', [...path, name], 'is not a key of bounds');
  const min = readLength(bounds, 'min', path, errors);
  const max = readLength(bounds, 'max', path, errors);
  const key = readKey(bounds[names.key], path, errors);
  if (min !== undefined && max !== undefined && max !== 0) {
    if (max < min) errors.add('maxBelowMin', path, `has the maximum length ${max}, and the minimum length ${min}`);
    if (max < listed) errors.add('maxBelowListed', path, `allows ${max}, and ${listed} elements are listed`);
  }
  return { min: min ?? 0, max: max ?? 0, ...(key === undefined ? {} : { key }) };
}

function readLength(bounds: JsonObject, which: 'min' | 'max', path: Path, errors: ErrorList): number | undefined {
  const name = names[which];
  const value = bounds[name];
  if (Number.isSafeInteger(value) && typeof value === 'number' && value >= 0) return value;
  const isMissing = value === undefined || value === null;
  errors.add(`${which}Length`, [...path, name], isMissing ? 'is missing' : 'is not a whole number from 0');
  return undefined;
}

function readKey(value: unknown, path: Path, errors: ErrorList): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const keys: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = keys.filter((key) => typeof key === 'string' && key !== '');
  const isValid = texts.length === keys.length && keys.length > 0 && new Set(keys).size === keys.length;
  if (!isValid) errors.add('listKey', [...path, names.key], 'is neither a key nor a list of keys');
  return isValid ? texts.map(String) : undefined;
}

/** The maximum depth below an entry, and the maximum number of nodes in all entries. */
const maxDepth = 200;
const maxNodes = 100_000;

/**
 * Reads the fields that the entries of one schema list. A node with an error is read as a leaf, so that the rest is
 * checked too.
 */
export type ReadFields = (map: JsonObject, path: Path, errors: ErrorList) => FieldMask;

export function createFieldReader(): ReadFields {
  let nodes = 0;
  return (map, path, errors) => {
    // An exceeded limit is reported once for each entry.
    const reported = new Set<SchemaErrorCode>();
    const reportOnce = (code: SchemaErrorCode, message: string): FieldMask => {
      if (!reported.has(code)) errors.add(code, path, message);
      reported.add(code);
      return leaf;
    };
    return readFields(map, path, errors, (at) => {
      nodes += 1;
      if (nodes > maxNodes) return reportOnce('tooLarge', `is beyond the ${maxNodes} parts of a schema that are read`);
      return at.length > maxDepth ? reportOnce('tooDeep', `is more than ${maxDepth} levels deep`) : undefined;
    });
  };
}

/** Returns a mask in place of a node if no further node may be read. */
type Limit = (path: Path) => FieldMask | undefined;

function readFields(entry: JsonObject, top: Path, errors: ErrorList, limit: Limit): FieldMask {
  /** The nodes above the current one: a node that is among them contains itself. */
  const above = new Set<unknown>();

  function node(value: unknown, path: Path): FieldMask {
    const instead = limit(path);
    if (instead !== undefined || value === null || value === 'observed') return instead ?? leaf;
    if (!isObject(value) && !Array.isArray(value)) errors.add('leaf', path, `has ${nameOf(value)} for a value`);
    else if (above.has(value)) errors.add('cyclic', path, 'contains itself');
    else return within(value, path);
    return leaf;
  }

  function within(value: object, path: Path): FieldMask {
    above.add(value);
    const mask = Array.isArray(value) ? list(value, path) : isObject(value) ? fields(value, path) : leaf;
    above.delete(value);
    return mask;
  }

  function fields(map: JsonObject, path: Path): FieldMask {
    // An entry without fields is reported as a whole.
    if (path.length > 1 && Object.keys(map).length === 0) errors.add('nullsLost', path, 'is an empty map');
    if (isBounds(map)) errors.add('boundsOutsideList', path, 'has the bounds of a list, and is not a list');
    const read = new Map<string, FieldMask>();
    for (const [name, value] of Object.entries(map))
      if (!isBoundsKey(name)) read.set(name, node(value, [...path, name]));
    return { type: 'map', fields: read };
  }

  function list(values: readonly unknown[], path: Path): FieldMask {
    const at = indexOfBounds(values, path, errors);
    const elements = values.flatMap((value, index) => (isBounds(value) ? [] : [node(value, [...path, index])]));
    const bounds = at === undefined ? undefined : values[at];
    if (at === undefined || !isBounds(bounds)) return { type: 'list', elements, min: 0, max: 0 };
    return { type: 'list', elements, ...readBounds(bounds, elements.length, [...path, at], errors) };
  }

  return fields(entry, top);
}

/** Returns the index of the bounds; undefined if there are none. */
function indexOfBounds(values: readonly unknown[], path: Path, errors: ErrorList): number | undefined {
  const indexes = values.flatMap((value, index) => (isBounds(value) ? [index] : []));
  const at = indexes.at(-1);
  if (values.length === 0) errors.add('nullsLost', path, 'is an empty list, also without bounds');
  else if (at === undefined) errors.add('boundsMissing', path, 'does not end with its bounds');
  else if (indexes.length > 1) errors.add('boundsTwice', path, `has bounds ${indexes.length} times`);
  else if (at !== values.length - 1)
    errors.add('boundsNotLast', [...path, at], 'has the bounds of the list, and is not its end');
  return at;
}

function nameOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'the empty text' : 'a text';
  if (typeof value === 'boolean') return `the word ${value}`;
  return typeof value === 'number' || value instanceof ExactInteger ? 'a number' : 'something else';
}
