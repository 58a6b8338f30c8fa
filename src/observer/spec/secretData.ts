import { isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { Path } from '../../base/fieldError.ts';

/** Returns true if a manifest of a Secret has content. */
export function hasContent(object: JsonObject): boolean {
  return [object['data'], object['stringData']].some((part) => Object.keys(objectOf(part)).length > 0);
}

/**
 * Moves the `stringData` of a Secret to `data`, as the API server would store it. Applied as it is, `stringData` would
 * be owned as such, and a key that is removed from the manifest would stay in `data` forever.
 */
export function withoutStringData({ stringData, ...rest }: JsonObject): JsonObject {
  if (!isObject(stringData)) return rest;
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(typeof value === 'string' ? value : '').toString('base64'),
  ]);
  return { ...rest, data: { ...objectOf(rest['data']), ...Object.fromEntries(encoded) } };
}

/**
 * Returns the paths at which `data` or `stringData` is not a map, or has a value that is not a string; a null in `data`
 * is an empty value. The API server would refuse the Secret, and quote the value in its message.
 */
export function wrongSecretData({ data, stringData }: JsonObject): readonly Path[] {
  return [...wrongIn('data', data, isNothing), ...wrongIn('stringData', stringData, () => false)];
}

function wrongIn(part: string, map: unknown, mayBe: (value: unknown) => boolean): readonly Path[] {
  if (isNothing(map)) return [];
  if (!isObject(map)) return [[part]];
  return Object.entries(map).flatMap(([key, value]) =>
    typeof value === 'string' || mayBe(value) ? [] : [[part, key]],
  );
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
