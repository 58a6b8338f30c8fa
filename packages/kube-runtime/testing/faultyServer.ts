import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { answerOver, createServer, listen, type Protocol, readBody, type ServerAnswer } from './httpServer.ts';
import { createRelay } from './relay.ts';
import { statusObject } from './watchLines.ts';

export { type Protocol, type ServerAnswer, serverCertificate } from './httpServer.ts';

/** A request that reached the server. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Which TCP connection it came on, counted from 1. */
  readonly connection: number;
  /** When the whole request had been read. Monotonic milliseconds. */
  readonly at: number;
}

/** How a server responds when no fault applies. */
export type Serve = (request: ReceivedRequest, answer: ServerAnswer) => void;

/**
 * Responds to a request instead of the server; `proceed` lets the server respond after all, possibly to a wrapper that
 * changes the response.
 */
export type Fault = (answer: ServerAnswer, request: ReceivedRequest, proceed: (to?: ServerAnswer) => void) => void;

interface Armed {
  readonly fault: Fault;
  readonly applies: (request: ReceivedRequest) => boolean;
  readonly isOneShot: boolean;
}

export const isWatch = (request: ReceivedRequest): boolean => request.query.get('watch') === 'true';
export const isInitialWatch = (request: ReceivedRequest): boolean => request.query.has('sendInitialEvents');
export const isResumedWatch = (request: ReceivedRequest): boolean => isWatch(request) && !isInitialWatch(request);

/** A server with faults that tests inject. */
export type FaultyServer = Awaited<ReturnType<typeof faultyServer>>;

/** Starts the server on a free port of 127.0.0.1, behind a relay that can freeze. */
export async function faultyServer(protocol: Protocol, serve: Serve) {
  const requests: ReceivedRequest[] = [];
  const armed = new Set<Armed>();
  const server = createServer(protocol, (request, answer) => void receive(request, answerOver(answer)));
  const relay = createRelay(await listen(server));
  const port = await listen(relay.server);

  const numbers = new Map<unknown, number>();
  function numberOf(raw: IncomingMessage | Http2ServerRequest): number {
    const connection = 'stream' in raw ? raw.stream.session : raw.socket;
    const number = numbers.get(connection) ?? numbers.size + 1;
    numbers.set(connection, number);
    return number;
  }

  async function receive(raw: IncomingMessage | Http2ServerRequest, answer: ServerAnswer): Promise<void> {
    raw.on('error', () => undefined);
    const url = new URL(raw.url ?? '/', 'http://server');
    const request: ReceivedRequest = {
      method: raw.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: raw.headers,
      body: await readBody(raw),
      connection: numberOf(raw),
      at: performance.now(),
    };
    requests.push(request);
    const rule = [...armed].find((each) => each.applies(request));
    if (rule?.isOneShot) armed.delete(rule);
    const proceed = (to = answer) => serve(request, to);
    if (rule === undefined) proceed();
    else rule.fault(answer, request, proceed);
  }

  async function close(): Promise<void> {
    relay.cut();
    relay.server.close();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  }

  return {
    url: `${protocol === 'http' ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    /** The next request for which `applies` is true gets this fault; faults queue up. */
    failNext(fault: Fault, applies: (request: ReceivedRequest) => boolean = () => true) {
      armed.add({ fault, applies, isOneShot: true });
    },
    /** Every request for which `applies` is true gets this fault, until the returned function is called. */
    failAll(fault: Fault, applies: (request: ReceivedRequest) => boolean = () => true) {
      const rule = { fault, applies, isOneShot: false };
      armed.add(rule);
      return () => armed.delete(rule);
    },
    /** From now on the existing connections pass no bytes, and stay open: half-open. */
    freeze: relay.freeze,
    /** Freezes all connections made until `restore`, too: the server accepts connections and never responds. */
    freezeAll: relay.freezeAll,
    /** Breaks every connection. */
    cutConnections: relay.cut,
    /** Breaks every connection and accepts no new one: nothing listens at this address any more. */
    stopListening() {
      relay.server.close();
      relay.cut();
    },
    /** Listens and responds again, at the same address. */
    async restore() {
      relay.unfreeze();
      if (!relay.server.listening) await listen(relay.server, port);
    },
    /** The number of TCP connections ever opened. */
    get connections() {
      return relay.count();
    },
    /** The number of connections that the client has not closed. */
    get openConnections() {
      return relay.openCount();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A fault that responds with a status and a body, and perhaps headers. */
export function answerWith(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Fault {
  return (answer) => {
    answer.head(status, headers);
    answer.end(body);
  };
}

/** The Status object that an API server returns for errors. */
export function statusBody(code: number, reason: string, message: string): string {
  return JSON.stringify(statusObject(code, reason, message));
}
