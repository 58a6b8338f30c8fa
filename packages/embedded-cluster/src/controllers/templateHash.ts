import { createHash } from 'node:crypto';
import { isObject } from '../base/json.ts';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A hash of ten letters for a template, used in the names of ReplicaSets and revisions. */
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
