import { isObject, type JsonObject, objectOf } from '../../base/json.ts';
import { mergePatch } from '../objects/mergePatch.ts';
import type { ApiResult, KubeClient } from './client.ts';
import type { ApiRequest } from './request.ts';

/**
 * `--dry-run`: the same client, which reads and writes nothing. A write is answered as if it had been accepted: with
 * what was sent, a JSON merge patch with the object as it would be. A patch of another version is a conflict all the
 * same, and one of nothing is not found. What the server itself is asked to try only (`dryRun=All`) goes there: it
 * keeps nothing of it.
 */
export function withoutWrites(client: KubeClient): KubeClient {
  return {
    ...client,
    call: (request) => {
      if (request.method === 'GET' || request.query?.['dryRun'] === 'All') return client.call(request);
      return request.method === 'PATCH' ? patched(client, request) : Promise.resolve(accepted(request.body));
    },
  };
}

async function patched(client: KubeClient, { path, signal, body }: ApiRequest): Promise<ApiResult> {
  const found = await client.call({ method: 'GET', path, ...(signal === undefined ? {} : { signal }) });
  if (!found.ok || !isObject(body)) return found;
  if (!isOfVersion(found.body, body)) {
    return { ok: false, failure: { kind: 'conflict', status: 409, message: 'the object has been modified' } };
  }
  return accepted(mergePatch(found.body, body));
}

function isOfVersion(object: unknown, patch: JsonObject): boolean {
  const wanted = objectOf(patch['metadata'])['resourceVersion'];
  return wanted === undefined || wanted === objectOf(objectOf(object)['metadata'])['resourceVersion'];
}

function accepted(body: unknown): ApiResult {
  return { ok: true, status: 200, body };
}
