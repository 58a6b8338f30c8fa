import { randomBytes } from 'node:crypto';
import { failed, type Problem, problem, type Result } from '../../base/errors.ts';
import { type JsonObject, objectOf } from '../../base/json.ts';
import type { ApiResult, KubeClient } from '../../kube/client/client.ts';
import { describeFailure } from '../../kube/client/describeFailure.ts';
import type { FailureKind } from '../../kube/client/failure.ts';
import type { ApiRequest } from '../../kube/client/request.ts';
import { type Asked, confidential } from '../model/confidential.ts';
import { sourcePath, sourcesPath } from '../model/paths.ts';
import { currentEntry, type HashKeys, isEmpty, type KeySecret, keyLength, keysIn } from './hashKeys.ts';

export type { HashKeys, KeySecret } from './hashKeys.ts';

/** Somebody who makes it, or takes it away, at the same moment does so once. */
const manyTries = 5;

/**
 * Reads the keys; makes the Secret where there is none, and fills one that has no entries. Of two replicas that do so
 * at once one wins, and both have its key then. Neither a key nor a word of an answer is ever in the problem. Whether
 * it may write, the client says (`whileLeading`, `withoutWrites`): in a dry run each reading makes a key of its own.
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

function unavailable({ namespace, name }: KeySecret, why: string): Problem {
  return problem('HASH_KEY_UNAVAILABLE', `The Secret ${namespace}/${name} cannot be had: ${why}`);
}
