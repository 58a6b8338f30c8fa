import type { ApiRequest, ApiResult, KubeClient } from './kube/client.ts';
import { type ApiFailure, isRecoverable } from './kube/failure.ts';

/** Whether this replica may act. */
export interface Leading {
  /** Asked at the very moment before a request is sent. */
  isValid(): boolean;
  /** Aborted when it may not act any more: what is in flight is dropped. */
  readonly signal: AbortSignal;
}

/** Why a request was not sent, or nobody waits for its answer: another replica may lead. */
export const notLeading: ApiFailure = { kind: 'cancelled', message: 'this replica does not lead any more' };

/**
 * The client as the controllers have it: what changes the cluster is sent only while this replica leads, and fails as
 * `notLeading` otherwise. Reading is free to everybody.
 */
export function clientWhileLeading(client: KubeClient, leading: Leading): KubeClient {
  async function act(request: ApiRequest): Promise<ApiResult> {
    const result = await client.call({
      ...request,
      isWanted: () => leading.isValid() && (request.isWanted?.() ?? true),
      signal: request.signal === undefined ? leading.signal : AbortSignal.any([request.signal, leading.signal]),
    });
    if (result.ok || leading.isValid()) return result;
    // The answers of the server itself stay what they are.
    const isOpen = result.failure.kind === 'cancelled' || isRecoverable(result.failure);
    return isOpen ? { ok: false, failure: notLeading } : result;
  }
  return { ...client, call: (request) => (request.method === 'GET' ? client.call(request) : act(request)) };
}
