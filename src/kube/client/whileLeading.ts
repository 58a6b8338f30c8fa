import type { ApiResult, KubeClient } from './client.ts';
import { type ApiFailure, isRecoverable } from './failure.ts';
import type { ApiRequest } from './request.ts';

/** Whether this replica may act. */
export interface Leading {
  /** Asked at the very moment before a request is sent. */
  isValid(): boolean;
  /** Aborted when it may not act any more: what is in flight is dropped. */
  readonly signal: AbortSignal;
}

/** Why a write was not sent, or nobody waits for its answer: another replica may lead. */
export const notLeading: ApiFailure = { kind: 'cancelled', message: 'this replica lost leadership' };

/** The same client, whose writes are sent only while this replica leads; whoever stands by may read. */
export function whileLeading(leading: Leading, client: KubeClient): KubeClient {
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
