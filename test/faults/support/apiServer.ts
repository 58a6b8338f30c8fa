import type { IncomingMessage } from 'node:http';
import { Agent, request as forward } from 'node:https';
import {
  type FaultyServer,
  faultyServer,
  isWatch,
  type ReceivedRequest,
  type ServerAnswer,
  serverCertificate,
} from '@weeder/kube-runtime/testing';
import { type Cleanup, cleanUp } from '../../cluster/support/cleanup.ts';
import type { Cluster } from '../../cluster/support/plane/access.ts';

/** The protocols with which weeder can connect. Requests to the real API server use HTTP/1.1 in both cases. */
export const protocols = ['https', 'h2'] as const;
export type Protocol = (typeof protocols)[number];

/** A proxy for the real API server that injects faults. It has its own address and certificate. */
export interface FaultyApiServer extends FaultyServer {
  /** A kubeconfig for this address. */
  readonly kubeconfig: string;
  /** The number of open watches. */
  readonly openWatches: number;
  /** Stops all data of the open watches without closing them. Other requests and new watches are answered. */
  muteWatches(): void;
}

/** Starts the proxy. It ends with the test. */
export async function faultyApiServer(t: Cleanup, cluster: Cluster, protocol: Protocol): Promise<FaultyApiServer> {
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
  // Object.assign would read a getter once and copy its value.
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

/** Forwards a request, and streams the answer back. Closes the connection if the API server does. */
function pass(agent: Agent, origin: string, request: ReceivedRequest, answer: ServerAnswer): void {
  const { method, path, query, headers, body } = request;
  const outgoing = forward(`${origin}${path}${query.size === 0 ? '' : `?${query}`}`, {
    agent,
    method,
    headers: { ...requestHeaders(headers), 'content-length': Buffer.byteLength(body) },
  });
  answer.onClose(() => outgoing.destroy());
  outgoing.on('error', () => answer.cut());
  outgoing.on('response', (incoming) => copy(incoming, answer));
  outgoing.end(body);
}

function copy(incoming: IncomingMessage, answer: ServerAnswer): void {
  incoming.on('error', () => answer.cut());
  incoming.on('data', (bytes: Buffer) => answer.write(bytes));
  incoming.on('end', () => answer.end());
  answer.head(incoming.statusCode ?? 502, responseHeaders(incoming));
}

const forwarded = ['accept', 'authorization', 'content-type', 'user-agent'];

function requestHeaders(headers: ReceivedRequest['headers']): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) => {
    return forwarded.includes(name) && typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

function responseHeaders({ headers }: IncomingMessage): Record<string, string> {
  const { 'content-type': type, 'retry-after': wait } = headers;
  return {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(wait === undefined ? {} : { 'retry-after': wait }),
  };
}
