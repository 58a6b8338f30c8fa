import { isObject, type JsonObject, objectOf } from '../../base/json.ts';
import { mergePatch } from '../objects/mergePatch.ts';
import type { ApiResult, KubeClient } from './client.ts';
import { type ApiFailure, isRecoverable } from './failure.ts';
import type { ApiRequest } from './request.ts';

/** Whether this replica may act. */
export interface LeaderCheck {
  /** Asked at the very moment before a request is sent. */
  isValid(): boolean;
  /** Aborted when it may not act any more: what is in flight is dropped. */
  readonly signal: AbortSignal;
}

/** Why a write was not sent, or nobody waits for its answer: another replica may lead. */
export const notLeading: ApiFailure = { kind: 'cancelled', message: 'this replica lost leadership' };

/** The same client, whose writes are sent only while this replica leads; whoever stands by may read. */
export function leaderGate(leading: LeaderCheck, client: KubeClient): KubeClient {
  async function write(request: ApiRequest): Promise<ApiResult> {
    const signals = request.signal === undefined ? [leading.signal] : [request.signal, leading.signal];
    const isWanted = () => leading.isValid() && request.isWanted?.() !== false;
    const result = await client.call({ ...request, isWanted, signal: AbortSignal.any(signals) });
    if (result.ok || leading.isValid()) return result;
    // What the server decided stays as it is; what could be tried again is not.
    const isOver = result.failure.kind === 'cancelled' || isRecoverable(result.failure);
    return isOver ? { ok: false, failure: notLeading } : result;
  }
  return { ...client, call: (request) => (request.method === 'GET' ? client.call(request) : write(request)) };
}

/**
 * `--dry-run`: the same client, which reads and writes nothing. A write is answered as if it had been accepted: with
 * what was sent, a JSON merge patch with the object as it would be. A patch of another version is a conflict all the
 * same, and one of nothing is not found. What the server itself is asked to try only (`dryRun=All`) goes there: it
 * keeps nothing of it.
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
  const found = await client.call({ method: 'GET', path, ...(signal === undefined ? {} : { signal }) });
  if (!found.ok || !isObject(body)) return found;
  if (!hasResourceVersion(found.body, body)) {
    return { ok: false, failure: { kind: 'conflict', status: 409, message: 'the object has been modified' } };
  }
  return accepted(mergePatch(found.body, body));
}

function hasResourceVersion(object: unknown, patch: JsonObject): boolean {
  const wanted = objectOf(patch['metadata'])['resourceVersion'];
  return wanted === undefined || wanted === objectOf(objectOf(object)['metadata'])['resourceVersion'];
}

function accepted(body: unknown): ApiResult {
  return { ok: true, status: 200, body };
}

/**
 * The same client for what may wait: where nothing else is said, its requests come after the usual ones, and have
 * connections of their own, so that neither their number nor a request that hangs is felt by anybody else.
 */
export function backgroundClient(client: KubeClient): KubeClient {
  return {
    ...client,
    call: (request) => client.call({ rank: 'background', ...request }),
    openStream: (request) => client.openStream({ rank: 'background', ...request }),
  };
}

/** A client that knows how many of its requests that may change something are under way. */
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
