import type { Path } from '../../base/fault.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { FaultList } from './faults.ts';
import type { ListShape } from './shape.ts';

const prefix = 'observer_schema_list_';
const names = { min: `${prefix}min_length`, max: `${prefix}max_length`, key: `${prefix}key` } as const;
const known: ReadonlySet<string> = new Set(Object.values(names));

/** The element of a list that is about the list itself, also when its keys are misspelt. */
export function isBounds(element: unknown): element is JsonObject {
  return isObject(element) && Object.keys(element).some(isBoundsKey);
}

export function isBoundsKey(key: string): boolean {
  return key.startsWith(prefix);
}

/** Reads `{observer_schema_list_min_length, observer_schema_list_max_length, observer_schema_list_key?}`. */
export function readBounds(
  bounds: JsonObject,
  listed: number,
  path: Path,
  faults: FaultList,
): Pick<ListShape, 'min' | 'max' | 'key'> {
  for (const name of Object.keys(bounds))
    if (!known.has(name)) faults.add('unknownBound', [...path, name], 'is not a key of bounds');
  const min = readLength(bounds, 'min', path, faults);
  const max = readLength(bounds, 'max', path, faults);
  const key = readKey(bounds[names.key], path, faults);
  if (min !== undefined && max !== undefined && max !== 0) {
    if (max < min) faults.add('maxBelowMin', path, `has the greatest length ${max}, and the least ${min}`);
    if (max < listed) faults.add('maxBelowListed', path, `allows ${max}, and ${listed} elements are listed`);
  }
  return { min: min ?? 0, max: max ?? 0, ...(key === undefined ? {} : { key }) };
}

function readLength(bounds: JsonObject, which: 'min' | 'max', path: Path, faults: FaultList): number | undefined {
  const name = names[which];
  const value = bounds[name];
  if (Number.isSafeInteger(value) && typeof value === 'number' && value >= 0) return value;
  const isMissing = value === undefined || value === null;
  faults.add(`${which}Length`, [...path, name], isMissing ? 'is missing' : 'is no whole number from 0');
  return undefined;
}

function readKey(value: unknown, path: Path, faults: FaultList): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const keys: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = keys.filter((key) => typeof key === 'string' && key !== '');
  const isRight = texts.length === keys.length && keys.length > 0 && new Set(keys).size === keys.length;
  if (!isRight) faults.add('listKey', [...path, names.key], 'is neither a key nor a list of keys');
  return isRight ? texts.map(String) : undefined;
}
