import { isObject, type JsonObject, objectOf } from '../base/json.ts';
import { mergePatch } from '../objects/mergePatch.ts';
import type { ApiResult, KubeClient } from './client.ts';
import type { ApiFailure } from './failure.ts';
import { isRecoverable } from './failureClass.ts';
import type { ApiRequest } from './request.ts';

/** Whether this replica may act. */
export interface LeaderCheck {
  /** Called immediately before a request is sent. */
  isValid(): boolean;
  /** Aborted when this replica may no longer act: requests in flight are dropped. */
  readonly signal: AbortSignal;
}

/** Why a write was not sent or its response was not waited for: another replica may lead. */
export const notLeading: ApiFailure = { type: 'cancelled', message: 'this replica lost leadership' };

/** Wraps the client so that it sends writes only while this replica leads. A standby may read. */
export function leaderGate(leading: LeaderCheck, client: KubeClient): KubeClient {
  async function write(request: ApiRequest): Promise<ApiResult> {
    const signals = request.signal === undefined ? [leading.signal] : [request.signal, leading.signal];
    const isNeeded = () => leading.isValid() && request.isNeeded?.() !== false;
    const result = await client.call({ ...request, isNeeded, signal: AbortSignal.any(signals) });
    if (result.ok || leading.isValid()) return result;
    // A final answer of the server stays as it is; a failure that could be retried becomes `notLeading`.
    const isOver = result.failure.type === 'cancelled' || isRecoverable(result.failure);
    return isOver ? { ok: false, failure: notLeading } : result;
  }
  return { ...client, call: (request) => (request.method === 'GET' ? client.call(request) : write(request)) };
}

/**
 * `--dry-run`: wraps the client so that it reads, but writes nothing. A write is answered as if it had been accepted:
 * with what was sent, or for a JSON merge patch with the object as it would be. A patch of another version is still a
 * conflict, and a patch of a missing object is not found. Requests with `dryRun=All` go to the server, which stores
 * nothing.
 */
export function dryRunClient(client: KubeClient): KubeClient {
  return {
    ...client,
    call: (request) => {
      if (request.method === 'GET' || request.query?.['dryRun'] === 'All') return client.call(request);
      return request.method === 'PATCH' ? patched(client, request) : Promise.resolve(accepted(request.body));
    },
  };
}

async function patched(client: KubeClient, { path, signal, body }: ApiRequest): Promise<ApiResult> {
  const result = await client.call({ method: 'GET', path, ...(signal === undefined ? {} : { signal }) });
  if (!result.ok || !isObject(body)) return result;
  if (!hasResourceVersion(result.body, body)) {
    return { ok: false, failure: { type: 'conflict', status: 409, message: 'the object has been modified' } };
  }
  return accepted(mergePatch(result.body, body));
}

function hasResourceVersion(object: unknown, patch: JsonObject): boolean {
  const expected = objectOf(patch['metadata'])['resourceVersion'];
  return expected === undefined || expected === objectOf(objectOf(object)['metadata'])['resourceVersion'];
}

function accepted(body: unknown): ApiResult {
  return { ok: true, status: 200, body };
}

/**
 * Wraps the client for requests that may wait. Unless a request says otherwise, it has a lower rank than the usual ones
 * and its own connections, so that neither the number of such requests nor one that hangs affects the others.
 */
export function backgroundClient(client: KubeClient): KubeClient {
  return {
    ...client,
    call: (request) => client.call({ rank: 'background', ...request }),
    openStream: (request) => client.openStream({ rank: 'background', ...request }),
  };
}

/** A client that counts its writes in flight. */
interface CountingClient extends KubeClient {
  readonly writes: number;
}

export function countingClient(client: KubeClient): CountingClient {
  let writes = 0;
  return {
    ...client,
    async call(request) {
      if (request.method === 'GET') return client.call(request);
      writes += 1;
      try {
        return await client.call(request);
      } finally {
        writes -= 1;
      }
    },
    get writes() {
      return writes;
    },
  };
}
