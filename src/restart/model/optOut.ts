import type { JsonObject } from '../../base/json.ts';
import { entriesOf, isKeyName, quoted } from './names.ts';

/** What of a source never causes a restart: nothing of it, all of it, or these keys. */
export type OptOut = 'none' | 'all' | ReadonlySet<string>;

/** On a source: `"true"` for the whole of it, or the names of keys, `"key1,key2"`. */
export const skipHashCalculation = 'weeder.dev/skip-hash-calculation';
/** KUDO's word for it counts when it is there, with any value. */
export const kudoSkipHashCalculation = 'kudo.dev/skip-hash-calculation';
/** Reloader's word for it counts with the value `"true"`. */
export const reloaderIgnore = 'reloader.stakater.com/ignore';

/** Reads it from a source's annotations. One that cannot be read leaves the whole source out: it restarts nothing. */
export function optOutOf(annotations: JsonObject): OptOut {
  if (annotations[kudoSkipHashCalculation] !== undefined || annotations[reloaderIgnore] === 'true') return 'all';
  const value = annotations[skipHashCalculation] ?? 'false';
  if (value === 'false') return 'none';
  if (typeof value !== 'string' || value === 'true') return 'all';
  const keys = entriesOf(value);
  if (!keys.every(isKeyName)) return 'all';
  return keys.length === 0 ? 'none' : new Set(keys);
}

/** What is wrong with a source's opt-out, in one sentence; undefined when nothing is. */
export function optOutFault(annotations: JsonObject): string | undefined {
  const value = annotations[skipHashCalculation] ?? 'false';
  const wrong = typeof value === 'string' ? entriesOf(value).find((entry) => !isKeyName(entry)) : typeof value;
  if (wrong === undefined) return undefined;
  const rule = 'wanted is "true", or the names of keys with commas between them';
  return `${quoted(wrong)} is no name of a key: ${rule}. Until then all of it is left out.`;
}
