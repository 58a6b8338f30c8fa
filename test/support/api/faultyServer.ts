import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { answerOver, createServer, listen, type Protocol, readBody, type ServerAnswer } from './httpServer.ts';
import { createRelay } from './relay.ts';

export { type Protocol, type ServerAnswer, serverCertificate } from './httpServer.ts';

/** A request that really arrived. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Which TCP connection it came on, counted from 1. */
  readonly connection: number;
  /** When it was read as a whole. Monotonic milliseconds. */
  readonly at: number;
}

/** How a server answers where nothing goes wrong. */
export type Serve = (request: ReceivedRequest, answer: ServerAnswer) => void;

/**
 * Answers a request in place of the server; `proceed` lets the server answer after all, perhaps not to the client but
 * to somebody who changes what it says.
 */
export type Fault = (answer: ServerAnswer, request: ReceivedRequest, proceed: (to?: ServerAnswer) => void) => void;

/** A server that does what it is told to do wrong. */
export interface FaultyServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** The next request that `applies` gets this fault; faults wait in line. */
  failNext(fault: Fault, applies?: (request: ReceivedRequest) => boolean): void;
  /** Every request that `applies` gets it, until the returned function is called. */
  failAll(fault: Fault, applies?: (request: ReceivedRequest) => boolean): () => void;
  /** From now on nothing passes on the connections that exist, and nothing closes them: half-open. */
  freeze(): void;
  /** The same for all that are made until `comeBack`: a server that accepts connections and never says a word. */
  goSilent(): void;
  /** Breaks every connection. */
  cutConnections(): void;
  /** Breaks every connection and takes no new one: nothing listens at this address any more. */
  goAway(): void;
  /** Listens and answers again, at the same address. */
  comeBack(): Promise<void>;
  /** How many TCP connections were ever opened. */
  readonly connections: number;
  /** How many of them the client has not closed. */
  readonly openConnections: number;
  close(): Promise<void>;
}

interface Armed {
  readonly fault: Fault;
  readonly applies: (request: ReceivedRequest) => boolean;
  readonly isOneShot: boolean;
}

export const isWatch = (request: ReceivedRequest): boolean => request.query.get('watch') === 'true';
export const isInitialWatch = (request: ReceivedRequest): boolean => request.query.has('sendInitialEvents');
export const isResumedWatch = (request: ReceivedRequest): boolean => isWatch(request) && !isInitialWatch(request);

/** Starts it on a free port of 127.0.0.1, behind a relay that can freeze. */
export async function faultyServer(protocol: Protocol, serve: Serve): Promise<FaultyServer> {
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
    const found = [...armed].find((each) => each.applies(request));
    if (found?.isOneShot) armed.delete(found);
    const proceed = (to = answer) => serve(request, to);
    if (found === undefined) proceed();
    else found.fault(answer, request, proceed);
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
    failNext(fault, applies = () => true) {
      armed.add({ fault, applies, isOneShot: true });
    },
    failAll(fault, applies = () => true) {
      const each = { fault, applies, isOneShot: false };
      armed.add(each);
      return () => armed.delete(each);
    },
    freeze: relay.freeze,
    goSilent: relay.goSilent,
    cutConnections: relay.cut,
    goAway() {
      relay.server.close();
      relay.cut();
    },
    async comeBack() {
      relay.speak();
      if (!relay.server.listening) await listen(relay.server, port);
    },
    get connections() {
      return relay.count();
    },
    get openConnections() {
      return relay.openCount();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A fault that answers with a status and a body, and perhaps headers. */
export function answerWith(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Fault {
  return (answer) => {
    answer.head(status, headers);
    answer.end(body);
  };
}

/** The Status object that an API server answers errors with. */
export function statusBody(code: number, reason: string, message: string): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });
}
