import type { Path } from '../config/fault.ts';
import { isObject, type JsonObject, objectOf } from '../json.ts';

/** Whether a manifest of a Secret brings content along. */
export function hasContent(object: JsonObject): boolean {
  return [object['data'], object['stringData']].some((part) => Object.keys(objectOf(part)).length > 0);
}

/**
 * A Secret with its `stringData` in `data`, as the API server would store it. Applied as it is, `stringData` would be
 * owned as such, and a key that is taken out of the manifest would stay in `data` for ever (A17).
 */
export function withoutStringData({ stringData, ...rest }: JsonObject): JsonObject {
  if (!isObject(stringData)) return rest;
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(typeof value === 'string' ? value : '').toString('base64'),
  ]);
  return { ...rest, data: { ...objectOf(rest['data']), ...Object.fromEntries(encoded) } };
}

/** Where `stringData` has something else than texts. The API server would say so, and echo the value. */
export function wrongStringData({ stringData }: JsonObject): readonly Path[] {
  if (stringData === undefined || stringData === null) return [];
  if (!isObject(stringData)) return [['stringData']];
  return Object.entries(stringData).flatMap(([key, value]) => (typeof value === 'string' ? [] : [['stringData', key]]));
}
