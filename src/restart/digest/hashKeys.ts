import { createHash } from 'node:crypto';
import { failed, ok, type Problem, problem, type Result } from '../../base/errors.ts';
import { type JsonObject, objectOf } from '../../base/json.ts';
import type { HashKey } from './digest.ts';
import { isSealedBy, type SealPurpose } from './seal.ts';

/** The Secret that holds the keys. */
export interface KeySecret {
  readonly namespace: string;
  readonly name: string;
}

/** The keys that tags are made with. */
export interface HashKeys {
  /** The one that new tags are made with. */
  readonly current: HashKey;
  /** Of all that are known. */
  readonly ids: readonly string[];
  /** That one, or an older one that is kept until no workload names it any more. */
  byId(id: string): HashKey | undefined;
  /** Whether this seal was made with the key of this id, as `sealOf` makes it. */
  confirms(id: string, purpose: SealPurpose, parts: readonly string[], seal: string): boolean;
}

/** The entry of the current key; older ones are kept under any other name. */
export const currentEntry = 'key';
/** How long a key is at least, in bytes: as long as what HMAC-SHA-256 makes with it. */
export const keyLength = 32;
const idLength = 8;

const advice =
  `Put ${keyLength} random bytes there, or delete the Secret: weeder makes another one, takes down anew what all ` +
  'workloads run with, and restarts nothing for it.';

/** The keys in a Secret; every entry has to be one. No part of a key is ever in the problem. */
export function keysIn(secret: JsonObject, where: KeySecret): Result<HashKeys> {
  const keys = new Map<string, HashKey>();
  const entries = new Map(Object.entries(objectOf(secret['data'])));
  if (!entries.has(currentEntry)) return failed(invalid(where, `has no entry ${currentEntry}.`));
  for (const [name, value] of entries) {
    const bytes = decoded(value);
    if (bytes === undefined) return failed(invalid(where, `has an entry ${name} that is not base64.`));
    if (bytes.length < keyLength) {
      return failed(invalid(where, `has ${bytes.length} bytes in ${name}, and a key has ${keyLength} at least.`));
    }
    keys.set(name, hashKeyOf(bytes));
  }
  const current = keys.get(currentEntry);
  if (current === undefined) return failed(invalid(where, `has no entry ${currentEntry}.`));
  return ok(hashKeysOf(current, [...keys.values()]));
}

/** `all`: the current one among them. */
export function hashKeysOf(current: HashKey, all: readonly HashKey[]): HashKeys {
  const byId = (wanted: string) => all.find(({ id }) => id === wanted);
  return {
    current,
    ids: all.map(({ id }) => id),
    byId,
    confirms(id, purpose, parts, seal) {
      const key = byId(id);
      return key !== undefined && isSealedBy(key, purpose, parts, seal);
    },
  };
}

/** Whether nobody has put anything into it yet. */
export function isEmpty(secret: JsonObject): boolean {
  return Object.keys(objectOf(secret['data'])).length === 0;
}

/** A key and its name, which tells nothing of it. */
export function hashKeyOf(bytes: Buffer): HashKey {
  return { bytes, id: createHash('sha256').update(bytes).digest('base64url').slice(0, idLength) };
}

function invalid({ namespace, name }: KeySecret, sentence: string): Problem {
  return problem('HASH_KEY_INVALID', `The Secret ${namespace}/${name} ${sentence}`, advice);
}

/** Node takes whatever looks a little like base64. */
function decoded(value: unknown): Buffer | undefined {
  const isBase64 =
    typeof value === 'string' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value);
  return isBase64 ? Buffer.from(value, 'base64') : undefined;
}
