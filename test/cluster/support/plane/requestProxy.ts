import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request as forward } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Cleanup, cleanUp } from '../cleanup.ts';

import type { Cluster } from './access.ts';
import { freePorts } from './ports.ts';

/** A request in flight to the API server. */
export interface PassingRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: string;
}

/** The API server at another address, with its own certificate: requests can be observed, and delayed, there. */
export interface RequestProxy {
  /** A kubeconfig for this address. */
  readonly kubeconfig: string;
  /** Every request so far. */
  readonly requests: readonly PassingRequest[];
}

/**
 * `onRequest` is called before a request is forwarded, which happens when its promise resolves; with `loseAnswer`
 * the connection breaks after the API server has acted. `rewrite` may change the path; `user` is the kubeconfig's.
 */
export async function startRequestProxy(
  t: Cleanup,
  cluster: Cluster,
  onRequest: (request: PassingRequest) => unknown,
  rewrite: (path: string) => string = (path) => path,
  user = 'admin',
): Promise<RequestProxy> {
  const [port = 0] = await freePorts(1);
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

  const certificate = (suffix: string) => readFileSync(join(cluster.dir, `apiserver.${suffix}`));
  // Idle connections stay open for about as long as the API server keeps them.
  const options = { cert: certificate('crt'), key: certificate('key'), keepAliveTimeout: 90_000 };
  const server = createServer(options, (incoming, outgoing) => {
    // A watch that its client ends ends here with an error, too, and so does a mistake of the test.
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
    agent.destroy();
  });
  return { requests, kubeconfig: cluster.kubeconfigFor(user, { server: `https://127.0.0.1:${port}` }) };
}

/** Holds requests until the test releases them. */
export interface Gate {
  /** For `startRequestProxy`. */
  readonly onRequest: (request: PassingRequest) => Promise<void> | void;
  /** How many wait. */
  readonly waiting: number;
  /** Releases them, and those that come later. */
  open(): void;
}

/** A closed gate for these requests; others pass. */
export function gate(matches: (request: PassingRequest) => boolean): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  return {
    onRequest: async (request) => {
      if (!matches(request)) return;
      waiting += 1;
      await promise;
      waiting -= 1;
    },
    get waiting() {
      return waiting;
    },
    open: resolve,
  };
}
