import type { IncomingMessage } from 'node:http';
import { Agent, request as forward } from 'node:https';
import { type Cleanup, cleanUp } from '../../cluster/support/cleanup.ts';

import type { Cluster } from '../../cluster/support/plane/access.ts';
import {
  type FaultyServer,
  faultyServer,
  isWatch,
  type ReceivedRequest,
  type ServerAnswer,
  serverCertificate,
} from '../../support/api/faultyServer.ts';

/** How weeder connects to it; requests to the real API server behind it use HTTP/1.1 in both cases. */
export const protocols = ['https', 'h2'] as const;
export type Spoken = (typeof protocols)[number];

/** The real API server at another address, with another certificate, and with faults on demand. */
export interface FaultyApiServer extends FaultyServer {
  /** A kubeconfig for this address. */
  readonly kubeconfig: string;
  /** How many watches are open. */
  readonly openWatches: number;
  /** Open watches deliver nothing more, and do not end; other requests are answered, also new watches. */
  muteWatches(): void;
}

/** Ends together with the test. */
export async function faultyApiServer(t: Cleanup, cluster: Cluster, protocol: Spoken): Promise<FaultyApiServer> {
  const agent = new Agent({ keepAlive: true, ca: cluster.ca });
  const watches = new Map<ServerAnswer, { isMute: boolean }>();

  function serve(request: ReceivedRequest, answer: ServerAnswer): void {
    if (!isWatch(request)) {
      pass(agent, cluster.url, request, answer);
      return;
    }
    const watch = { isMute: false };
    watches.set(answer, watch);
    answer.onClose(() => watches.delete(answer));
    pass(agent, cluster.url, request, {
      ...answer,
      write: (bytes) => watch.isMute || answer.write(bytes),
      end: (bytes) => watch.isMute || answer.end(bytes),
    });
  }

  const server = await faultyServer(protocol, serve);
  cleanUp(t, async () => {
    agent.destroy();
    await server.close();
  });
  const kubeconfig = cluster.kubeconfigFor('admin', { server: server.url, ca: serverCertificate.toString() });
  // Its getters stay getters.
  return Object.defineProperty(
    Object.assign(server, {
      kubeconfig,
      openWatches: 0,
      muteWatches() {
        for (const watch of watches.values()) watch.isMute = true;
      },
    }),
    'openWatches',
    { get: () => watches.size },
  );
}

/** Forwards a request, and the answer as it comes. Where the API server breaks off, so does the answer. */
function pass(agent: Agent, origin: string, request: ReceivedRequest, answer: ServerAnswer): void {
  const { method, path, query, headers, body } = request;
  const onward = forward(`${origin}${path}${query.size === 0 ? '' : `?${query}`}`, {
    agent,
    method,
    headers: { ...onwardHeaders(headers), 'content-length': Buffer.byteLength(body) },
  });
  answer.onClose(() => onward.destroy());
  onward.on('error', () => answer.cut());
  onward.on('response', (incoming) => copy(incoming, answer));
  onward.end(body);
}

function copy(incoming: IncomingMessage, answer: ServerAnswer): void {
  incoming.on('error', () => answer.cut());
  incoming.on('data', (bytes: Buffer) => answer.write(bytes));
  incoming.on('end', () => answer.end());
  answer.head(incoming.statusCode ?? 502, backHeaders(incoming));
}

const forwarded = ['accept', 'authorization', 'content-type', 'user-agent'];

function onwardHeaders(headers: ReceivedRequest['headers']): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) => {
    return forwarded.includes(name) && typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

function backHeaders({ headers }: IncomingMessage): Record<string, string> {
  const { 'content-type': type, 'retry-after': wait } = headers;
  return {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(wait === undefined ? {} : { 'retry-after': wait }),
  };
}
