import type { KubeClient } from './client.ts';

/** Whether this replica may act. */
export interface Leading {
  /** Asked at the very moment before a request is sent. */
  isValid(): boolean;
  /** Aborted when it may not act any more: what is in flight is dropped. */
  readonly signal: AbortSignal;
}

/** The same client, whose writes are sent only while this replica leads; whoever stands by may read. */
export function whileLeading(leading: Leading, client: KubeClient): KubeClient {
  return {
    ...client,
    async call(request) {
      if (request.method === 'GET') return client.call(request);
      const signals = request.signal === undefined ? [leading.signal] : [request.signal, leading.signal];
      const isWanted = () => leading.isValid() && request.isWanted?.() !== false;
      const result = await client.call({ ...request, isWanted, signal: AbortSignal.any(signals) });
      if (result.ok || result.failure.kind !== 'cancelled' || leading.isValid()) return result;
      return { ok: false, failure: { kind: 'cancelled', message: 'this replica does not lead any more' } };
    },
  };
}
