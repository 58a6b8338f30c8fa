import type { Dispatcher } from 'undici';
import type { ClusterAccess } from '../access/clusterAccess.ts';
import { type Credentials, credentialSource } from '../access/credentials.ts';
import type { Clock } from '../base/clock.ts';
import { startDeadline } from './deadline.ts';
import type { ApiFailure, ResponseHeaders } from './failure.ts';
import { guardedDispatch } from './guardedDispatch.ts';
import { networkFailure } from './networkFailure.ts';
import { rateLimiter } from './rateLimit.ts';
import type { ApiRequest } from './request.ts';
import { responseOf } from './responseBody.ts';
import { endSilentConnections } from './silentConnections.ts';
import { type Connection, createTransport } from './transport.ts';

/**
 * A request whose response headers have arrived. Exactly one of the three methods has to read its body immediately.
 */
export interface Exchange {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The generation of connections that it uses. */
  readonly connection: number;
  /**
   * The rest of a finite response. Throws if nothing arrives within the request's `timeoutMs`, or if it is not complete
   * within three times that.
   */
  body(): AsyncIterable<Buffer>;
  /** Reads and discards the rest within the same limits, so that the connection becomes free for other requests. */
  drain(): void;
  /** An endless response, which may pause: only the request's signal limits it. */
  endless(): AsyncIterable<Buffer>;
  /** Converts what a body threw into a failure: the client's deadline, the caller's signal, or the network. */
  explain(thrown: unknown): ApiFailure;
  /** The server rejected the credentials: the next request reads them again. */
  rejectCredentials(): void;
}

export type Opened =
  | { readonly ok: true; readonly exchange: Exchange }
  | { readonly ok: false; readonly failure: ApiFailure };

/** Sends requests through the rate limiter, with credentials, on shared connections, and with a time limit. */
interface Exchanger {
  open(request: ApiRequest): Promise<Opened>;
  renew(connection: number): void;
  close(): Promise<void>;
}

const defaultTimeoutMs = 10_000;
/**
 * The time limit of a whole response, as a multiple of the limit of each part, so that a response that trickles in
 * fails.
 */
const wholeFactor = 3;
/** After this many timeouts a generation of connections is replaced, even if some requests on it succeed. */
const manyTimeouts = 3;
const manyFailures = 3;
const deadConnection = 'the connection does not respond';
const cancelled: ApiFailure = { type: 'cancelled', message: 'the request was cancelled' };

export function createExchanger(
  access: ClusterAccess,
  clock: Clock,
  userAgent: string,
  limit: { readonly qps: number; readonly burst: number },
): Exchanger {
  let lastNumber = 0;
  const nextNumber = () => {
    lastNumber += 1;
    return lastNumber;
  };
  // A failure of a background request must not end requests of others on the same connection.
  const transports = {
    usual: createTransport(access, nextNumber),
    background: createTransport(access, nextNumber),
  } as const;
  const transport = (request: ApiRequest) => transports[request.rank === 'background' ? 'background' : 'usual'];
  const renew = (number: number, cause: string) => {
    for (const poolTransport of Object.values(transports)) poolTransport.renew(number, cause);
  };
  const sources = credentialSource(access, clock);
  const limiter = rateLimiter(limit.qps, limit.burst, clock);
  const { origin, pathname, host } = new URL(access.server);
  const stopListening = endSilentConnections(host);
  const basePath = pathname === '/' ? '' : pathname;
  let isClosed = false;

  /** If the connection received data recently, the server is slow and the connection is not dead. */
  function recordTimeout(connection: Connection, timeoutMs: number): void {
    connection.timeouts += 1;
    const quietMs = clock.monotonic() - connection.receivedAt;
    if (quietMs >= timeoutMs / 2 || connection.timeouts >= manyTimeouts) renew(connection.number, deadConnection);
  }

  /**
   * An HTTP/2 connection may be open and refuse every stream, for example because the server is out of memory: a new
   * connection helps.
   */
  function recordFailure(connection: Connection): void {
    connection.failures += 1;
    if (connection.failures >= manyFailures) renew(connection.number, 'the connection refuses every request');
  }

  function isCancelled(request: ApiRequest): boolean {
    return isClosed || request.signal?.aborted === true || request.isNeeded?.() === false;
  }

  async function open(request: ApiRequest): Promise<Opened> {
    const mayGo = request.rank === 'urgent' || (await limiter.take(request.signal, request.rank));
    if (!mayGo) return { ok: false, failure: cancelled };
    const credentials = await sources.current();
    if (!credentials.ok) return { ok: false, failure: { type: 'credentials', message: credentials.error } };
    if (isCancelled(request)) return { ok: false, failure: cancelled };
    return exchange(request, credentials.value);
  }

  /** Rejects when `signal` is aborted; so does the body. */
  function send(request: ApiRequest, credentials: Credentials, dispatcher: Dispatcher, signal: AbortSignal) {
    const { isNeeded, method } = request;
    const path = basePath + request.path + queryText(request.query);
    const headers = headersOf(request, credentials, userAgent);
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    const guarded = guardedDispatch(dispatcher, () => isNeeded?.() !== false && !signal.aborted);
    return responseOf(guarded.request({ origin, path, method, headers, body }), body !== null, signal);
  }

  async function exchange(request: ApiRequest, credentials: Credentials): Promise<Opened> {
    const timeoutMs = request.timeoutMs ?? defaultTimeoutMs;
    const connection = transport(request).connection(credentials);
    const abort = new AbortController();
    const onAbort = () => abort.abort();
    request.signal?.addEventListener('abort', onAbort, { once: true });
    let overdue: string | undefined;
    const limit = (ms: number, message: string) =>
      startDeadline(clock, ms, () => {
        overdue ??= message;
        recordTimeout(connection, timeoutMs);
        abort.abort();
      });
    const next = limit(timeoutMs, `no data was received for ${timeoutMs / 1_000} s`);
    const wholeMs = wholeFactor * timeoutMs;
    const whole = limit(wholeMs, `the response was not complete after ${wholeMs / 1_000} s`);
    const stopLimits = () => {
      next.stop();
      whole.stop();
    };
    const release = () => {
      stopLimits();
      request.signal?.removeEventListener('abort', onAbort);
    };
    const explain = (thrown: unknown): ApiFailure => {
      if (overdue !== undefined) return { type: 'timeout', message: overdue };
      return isCancelled(request) ? cancelled : networkFailure(thrown);
    };
    const rejectCredentials = () => sources.invalidate(credentials);
    try {
      const response = await send(request, credentials, connection.dispatcher, abort.signal);
      connection.failures = 0;
      const recordReceived = (bytes: number) => {
        connection.receivedAt = clock.monotonic();
        next.restart();
        request.onReceived?.(bytes);
      };
      recordReceived(0);
      const read = () => {
        const body = response.read().once('close', release);
        // The body may fail before it is read; a later reader gets the error.
        body.on('error', () => undefined);
        return listened(body, recordReceived);
      };
      const opened: Exchange = {
        status: response.statusCode,
        headers: response.headers,
        connection: connection.number,
        body: read,
        drain() {
          request.signal?.removeEventListener('abort', onAbort);
          response.drain(() => recordReceived(0), release);
        },
        endless: () => {
          stopLimits();
          return read();
        },
        explain,
        rejectCredentials,
      };
      return { ok: true, exchange: opened };
    } catch (error) {
      release();
      const failure = explain(error);
      if (failure.reason === 'TLS') rejectCredentials();
      if (failure.type === 'network') recordFailure(connection);
      return { ok: false, failure };
    }
  }

  return {
    open,
    renew: (connection) => renew(connection, deadConnection),
    async close() {
      isClosed = true;
      limiter.close();
      stopListening();
      await Promise.all(Object.values(transports).map((each) => each.close()));
    },
  };
}

/** undici's body is a Readable without an encoding, so its chunks are Buffers, which its types do not express. */
async function* listened(body: AsyncIterable<Buffer>, recordReceived: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    recordReceived(piece.length);
    yield piece;
  }
}

function headersOf(
  request: ApiRequest,
  credentials: Credentials,
  userAgent: string,
): Record<string, string | string[]> {
  const { impersonate } = request;
  const who = impersonate === undefined ? credentials.headers : impersonating(credentials.headers, impersonate);
  const cached = request.etag === undefined ? {} : { 'if-none-match': request.etag };
  const headers = { ...who, ...cached, accept: request.accept ?? 'application/json', 'user-agent': userAgent };
  return request.body === undefined
    ? headers
    : { ...headers, 'content-type': request.contentType ?? 'application/json' };
}

/** Removes all impersonation headers of the kubeconfig, including groups, before it sets the user. */
function impersonating(headers: Credentials['headers'], user: string): Credentials['headers'] {
  const own = Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith('impersonate-'));
  return { ...Object.fromEntries(own), 'impersonate-user': user };
}

function queryText(query: ApiRequest['query']): string {
  if (query === undefined) return '';
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value));
  }
  return given.size === 0 ? '' : `?${given}`;
}
