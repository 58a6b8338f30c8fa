import { createHash, randomBytes } from 'node:crypto';
import { type CodedError, codedError, failed, ok, type Result } from '../../base/errors.ts';
import { type JsonObject, objectOf } from '../../base/json.ts';
import type { ApiResult, KubeClient } from '../../kube/client/client.ts';
import { describeFailure } from '../../kube/client/describeFailure.ts';
import type { FailureKind } from '../../kube/client/failure.ts';
import type { ApiRequest } from '../../kube/client/request.ts';
import { type Asked, confidential } from '../model/answer.ts';
import { sourcePath, sourcesPath } from '../model/refs.ts';
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
const currentEntry = 'key';
/** How long a key is at least, in bytes: as long as what HMAC-SHA-256 makes with it. */
const keyLength = 32;
const idLength = 8;

const advice =
  `Put ${keyLength} random bytes there, or delete the Secret: weeder creates another one, records anew what all ` +
  'workloads run with, and restarts nothing for it.';

/** The keys in a Secret; every entry has to be one. No part of a key is ever in the problem. */
function keysIn(secret: JsonObject, where: KeySecret): Result<HashKeys> {
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
  const byId = (idToFind: string) => all.find(({ id }) => id === idToFind);
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
function isEmpty(secret: JsonObject): boolean {
  return Object.keys(objectOf(secret['data'])).length === 0;
}

/** A key and its id, which reveals nothing of it. */
export function hashKeyOf(bytes: Buffer): HashKey {
  return { bytes, id: createHash('sha256').update(bytes).digest('base64url').slice(0, idLength) };
}

function invalid({ namespace, name }: KeySecret, sentence: string): CodedError {
  return codedError('HASH_KEY_INVALID', `The Secret ${namespace}/${name} ${sentence}`, advice);
}

/** Node accepts almost anything as base64. */
function decoded(value: unknown): Buffer | undefined {
  const isBase64 =
    typeof value === 'string' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value);
  return isBase64 ? Buffer.from(value, 'base64') : undefined;
}

/** Somebody who makes it, or takes it away, at the same moment does so once. */
const manyTries = 5;

/**
 * Reads the keys; makes the Secret where there is none, and fills one that has no entries. Of two replicas that do so
 * at once one wins, and both have its key then. Neither a key nor a word of an answer is ever in the problem. Whether
 * it may write, the client says (`leaderGate`, `dryRunClient`): in a dry run each reading makes a key of its own.
 */
export async function readHashKeys(
  client: KubeClient,
  where: KeySecret,
  signal: AbortSignal,
): Promise<Result<HashKeys>> {
  for (let tries = 0; tries < manyTries; tries += 1) {
    const found = await attempt(client, where, signal);
    if (found !== 'again') return found;
  }
  return failed(unavailable(where, 'Others change it faster than it can be read.'));
}

async function attempt(client: KubeClient, where: KeySecret, signal: AbortSignal): Promise<Result<HashKeys> | 'again'> {
  const path = sourcePath({ kind: 'Secret', ...where });
  const data = { [currentEntry]: randomBytes(keyLength).toString('base64') };

  async function write(verb: Asked['verb'], request: ApiRequest, asExpected: ReadonlySet<FailureKind>) {
    const result = await client.call({ ...request, signal });
    // Somebody else was faster: what they wrote counts.
    if (!result.ok && asExpected.has(result.failure.kind)) return 'again';
    return keysFrom(result, verb);
  }

  function keysFrom(result: ApiResult, verb: Asked['verb']): Result<HashKeys> {
    const found = secretIn(result, verb);
    return found.ok ? keysIn(found.value, where) : found;
  }

  function secretIn(result: ApiResult, verb: Asked['verb']): Result<JsonObject> {
    if (!result.ok) {
      const failure = confidential(result.failure, { verb, kind: 'Secret', ...where });
      return failed(unavailable(where, describeFailure(failure, client.server)));
    }
    const secret = objectOf(result.body);
    if (secret['kind'] === 'Secret' && objectOf(secret['metadata'])['name'] === where.name)
      return { ok: true, value: secret };
    return failed(unavailable(where, `${client.server} answered with something else.`));
  }

  const found = await client.call({ method: 'GET', path, signal });
  if (!found.ok && found.failure.kind === 'notFound') {
    const collection = sourcesPath({ kind: 'Secret', ...where });
    return write('create', { method: 'POST', path: collection, body: newSecret(where, data) }, taken);
  }
  const secret = secretIn(found, 'get');
  if (!secret.ok) return secret;
  if (!isEmpty(secret.value)) return keysIn(secret.value, where);
  return write('update', { method: 'PUT', path, body: { ...secret.value, data } }, changed);
}

const taken: ReadonlySet<FailureKind> = new Set(['conflict']);
const changed: ReadonlySet<FailureKind> = new Set(['conflict', 'notFound']);

function newSecret({ namespace, name }: KeySecret, data: JsonObject) {
  const description =
    'The key that weeder hashes ConfigMaps and Secrets with. Keep it to yourself: who has it can guess at their values.';
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name, annotations: { 'kubernetes.io/description': description } },
    type: 'Opaque',
    data,
  };
}

function unavailable({ namespace, name }: KeySecret, why: string): CodedError {
  return codedError('HASH_KEY_UNAVAILABLE', `The Secret ${namespace}/${name} cannot be had: ${why}`);
}
