import { createHash, randomBytes } from 'node:crypto';
import { type CodedError, failed, type JsonObject, objectOf, ok, type Result } from '@weeder/kube-runtime/base';
import type { ApiRequest, ApiResult, FailureType, KubeClient } from '@weeder/kube-runtime/client';
import { describeFailure, isTransient } from '@weeder/kube-runtime/client';
import { codedError } from '../../base/errors.ts';
import { confidential, type RequestTarget } from '../references/answer.ts';
import { sourcePath, sourcesPath } from '../references/refs.ts';
import type { HashKey } from './digest.ts';
import { isSealedBy, type SealPurpose } from './seal.ts';

/** The Secret that holds the keys. */
export interface KeySecret {
  readonly namespace: string;
  readonly name: string;
}

/** The keys that tags are made with. */
export interface HashKeys {
  /** The key that new tags are made with. */
  readonly current: HashKey;
  /** The ids of all known keys. */
  readonly ids: readonly string[];
  /** Returns the key of this id: the current one, or an older one that workloads still refer to. */
  byId(id: string): HashKey | undefined;
  /** Whether this seal was made by `sealOf` with the key of this id. */
  confirms(id: string, purpose: SealPurpose, parts: readonly string[], seal: string): boolean;
}

/** Why there are no keys. */
interface KeyError extends CodedError {
  /** The next read may succeed although nothing is changed. */
  readonly isTransient: boolean;
}

/** The entry of the current key; older keys have any other name. */
const currentEntry = 'key';
/** The minimum length of a key in bytes: the output length of HMAC-SHA-256. */
const keyLength = 32;
const idLength = 8;

const advice =
  `Put ${keyLength} random bytes there, or delete the Secret: weeder creates another one, records again what all ` +
  'workloads run with, and restarts nothing for it.';

/** Returns the keys in a Secret; every entry has to be a key. The problem never contains any part of a key. */
function keysIn(secret: JsonObject, where: KeySecret): Result<HashKeys, KeyError> {
  const keys = new Map<string, HashKey>();
  const entries = new Map(Object.entries(objectOf(secret['data'])));
  if (!entries.has(currentEntry)) return failed(invalid(where, `has no entry ${currentEntry}.`));
  for (const [name, value] of entries) {
    const bytes = decoded(value);
    if (bytes === undefined) return failed(invalid(where, `has an entry ${name} that is not base64.`));
    if (bytes.length < keyLength) {
      return failed(invalid(where, `has ${bytes.length} bytes in ${name}, and a key needs at least ${keyLength}.`));
    }
    keys.set(name, hashKeyOf(bytes));
  }
  const current = keys.get(currentEntry);
  if (current === undefined) return failed(invalid(where, `has no entry ${currentEntry}.`));
  return ok(hashKeysOf(current, [...keys.values()]));
}

/** `all` includes the current key. */
export function hashKeysOf(current: HashKey, keys: readonly HashKey[]): HashKeys {
  const byId = (idToFind: string) => keys.find(({ id }) => id === idToFind);
  return {
    current,
    ids: keys.map(({ id }) => id),
    byId,
    confirms(id, purpose, parts, seal) {
      const key = byId(id);
      return key !== undefined && isSealedBy(key, purpose, parts, seal);
    },
  };
}

/** Whether the Secret has no entries yet. */
function isEmpty(secret: JsonObject): boolean {
  return Object.keys(objectOf(secret['data'])).length === 0;
}

/** Adds the id to a key. The id reveals nothing about the key. */
export function hashKeyOf(bytes: Buffer): HashKey {
  return { bytes, id: createHash('sha256').update(bytes).digest('base64url').slice(0, idLength) };
}

function invalid({ namespace, name }: KeySecret, sentence: string): KeyError {
  const error = codedError('HASH_KEY_INVALID', `The Secret ${namespace}/${name} ${sentence}`, advice);
  return { ...error, isTransient: false };
}

/** Node accepts almost any text as base64. */
function decoded(value: unknown): Buffer | undefined {
  const isBase64 =
    typeof value === 'string' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value);
  return isBase64 ? Buffer.from(value, 'base64') : undefined;
}

/** Another client that creates or deletes the Secret at the same moment does so only once. */
const manyTries = 5;

/**
 * Reads the keys; creates the Secret if there is none, and fills one that has no entries. If two replicas do so at
 * once, one wins, and both then have its key. The problem never contains a key or any text of a response. The client
 * decides whether writes are sent (`leaderGate`, `dryRunClient`): in a dry run each read makes a new key. `onCreated`
 * is called if this process wrote the key.
 */
export async function readHashKeys(
  client: KubeClient,
  where: KeySecret,
  signal: AbortSignal,
  onCreated: () => void = () => {},
): Promise<Result<HashKeys, KeyError>> {
  for (let tries = 0; tries < manyTries; tries += 1) {
    const read = await attempt(client, where, signal, onCreated);
    if (read !== 'again') return read;
  }
  return failed(unavailable(where, 'It changes faster than it can be read.', true));
}

async function attempt(
  client: KubeClient,
  where: KeySecret,
  signal: AbortSignal,
  onCreated: () => void,
): Promise<Result<HashKeys, KeyError> | 'again'> {
  const path = sourcePath({ kind: 'Secret', ...where });
  const data = { [currentEntry]: randomBytes(keyLength).toString('base64') };

  async function write(verb: RequestTarget['verb'], request: ApiRequest, asExpected: ReadonlySet<FailureType>) {
    const result = await client.call({ ...request, signal });
    // Another client was faster, and its key is used.
    if (!result.ok && asExpected.has(result.failure.type)) return 'again';
    if (result.ok) onCreated();
    return keysFrom(result, verb);
  }

  function keysFrom(result: ApiResult, verb: RequestTarget['verb']): Result<HashKeys, KeyError> {
    const secretData = secretIn(result, verb);
    return secretData.ok ? keysIn(secretData.value, where) : secretData;
  }

  function secretIn(result: ApiResult, verb: RequestTarget['verb']): Result<JsonObject, KeyError> {
    if (!result.ok) {
      const failure = confidential(result.failure, { verb, kind: 'Secret', ...where });
      const isPassing = isTransient(result.failure) || result.failure.type === 'cancelled';
      return failed(unavailable(where, describeFailure(failure, client.server), isPassing));
    }
    const secret = objectOf(result.body);
    if (secret['kind'] === 'Secret' && objectOf(secret['metadata'])['name'] === where.name)
      return { ok: true, value: secret };
    return failed(unavailable(where, `${client.server} returned something other than a Secret.`));
  }

  const response = await client.call({ method: 'GET', path, signal });
  if (!response.ok && response.failure.type === 'notFound') {
    const collection = sourcesPath({ kind: 'Secret', ...where });
    return write('create', { method: 'POST', path: collection, body: newSecret(where, data) }, taken);
  }
  const secret = secretIn(response, 'get');
  if (!secret.ok) return secret;
  if (!isEmpty(secret.value)) return keysIn(secret.value, where);
  return write('update', { method: 'PUT', path, body: { ...secret.value, data } }, changed);
}

const taken: ReadonlySet<FailureType> = new Set(['conflict']);
const changed: ReadonlySet<FailureType> = new Set(['conflict', 'notFound']);

function newSecret({ namespace, name }: KeySecret, data: JsonObject) {
  const description =
    'The key that weeder hashes ConfigMaps and Secrets with. Keep it secret: a client that has it can guess their values.';
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name, annotations: { 'kubernetes.io/description': description } },
    type: 'Opaque',
    data,
  };
}

function unavailable({ namespace, name }: KeySecret, why: string, isPassing = false): KeyError {
  const sentence = `The Secret ${namespace}/${name} is unavailable: ${why}`;
  const hint = isPassing ? 'Weeder reads it again.' : undefined;
  return { ...codedError('HASH_KEY_UNAVAILABLE', sentence, hint), isTransient: isPassing };
}
