import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, request as forward } from 'node:https';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Cleanup, cleanUp } from '../cleanup.ts';

import type { Cluster } from './access.ts';
import { startHttpsServer } from './ports.ts';

/** A request to the API server. */
export interface PassingRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly body: string;
}

/** A proxy of the API server, with the same certificate, that can record and delay requests. */
export type RequestProxy = Awaited<ReturnType<typeof startRequestProxy>>;

/**
 * Starts a proxy. It forwards a request when the promise of `onRequest` resolves. If that resolves with `loseAnswer`,
 * the proxy closes the connection in place of the answer. `rewrite` can change the path.
 */
export async function startRequestProxy(
  t: Cleanup,
  cluster: Cluster,
  onRequest: (request: PassingRequest) => unknown,
  rewrite: (path: string) => string = (path) => path,
  user = 'admin',
) {
  const requests: PassingRequest[] = [];
  const agent = new Agent({ keepAlive: true, ca: cluster.ca });

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const seen = { method: incoming.method ?? '', path: incoming.url ?? '', body };
    requests.push(seen);
    const isLost = (await onRequest(seen)) === 'loseAnswer';
    const { method, headers } = incoming;
    const upstream = forward(`${cluster.url}${rewrite(seen.path)}`, { agent, method, headers });
    outgoing.on('close', () => upstream.destroy());
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    upstream.on('response', resolve).on('error', reject).end(body);
    const answer = await promise;
    if (isLost) return void outgoing.destroy();
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    await pipeline(answer, outgoing);
  }

  const { port } = await startHttpsServer(t, cluster, (incoming, outgoing) => {
    // A watch that its client closes causes an error here, too.
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  cleanUp(t, () => agent.destroy());
  return {
    /** All requests so far. */
    requests,
    /** The path of a kubeconfig for the proxy. */
    kubeconfig: cluster.kubeconfigFor(user, { server: `https://127.0.0.1:${port}` }),
  };
}

/** Delays matching requests until the test opens the gate. */
export function gate(matches: (request: PassingRequest) => boolean) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  return {
    /** The callback for `startRequestProxy`. */
    onRequest: async (request: PassingRequest) => {
      if (!matches(request)) return;
      waiting += 1;
      await promise;
      waiting -= 1;
    },
    /** The number of waiting requests. */
    get waiting() {
      return waiting;
    },
    /** Releases the waiting requests and all later ones. */
    open: resolve,
  };
}
