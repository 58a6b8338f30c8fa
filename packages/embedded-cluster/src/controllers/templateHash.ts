import { createHash } from 'node:crypto';
import { isObject } from '../base/json.ts';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Returns a hash of ten characters for the names of the ReplicaSets and revisions of a template. */
export function templateHash(template: unknown): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify(ordered(template)))
    .digest()
    .subarray(0, 10);
  return [...bytes].map((byte) => alphabet[byte % alphabet.length] ?? 'x').join('');
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, ordered(value[key])]),
  );
}
