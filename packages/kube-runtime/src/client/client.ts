import type { ClusterAccess } from '../access/clusterAccess.ts';
import type { Clock } from '../base/clock.ts';
import { parseJson } from '../base/exactInteger.ts';
import { createExchanger, type Exchange, type Opened } from './exchange.ts';
import { type ApiFailure, classify, describeBody } from './failure.ts';
import { networkFailure } from './networkFailure.ts';
import type { ApiRequest } from './request.ts';

/** The parsed response body (undefined for an empty one; a string for one that is text), or the failure. */
export type ApiResult =
  | {
      readonly ok: true;
      readonly status: number;
      readonly body: unknown;
      /** The ETag, if the server sent one. */
      readonly etag?: string;
    }
  | { readonly ok: false; readonly failure: ApiFailure };

/** A response whose body is still being received, or the failure. */
export type StreamResult =
  | { readonly ok: true; readonly body: AsyncIterable<Buffer>; readonly connection: number }
  | { readonly ok: false; readonly failure: ApiFailure };

/** A completed request, for metrics. */
export interface RequestOutcome {
  readonly method: ApiRequest['method'];
  readonly path: string;
  /** Whether the response is endless: a watch. */
  readonly isStream: boolean;
  /** The HTTP status, or the kind of failure if there was no response. */
  readonly outcome: number | ApiFailure['type'];
  /** The time until the response was complete; for streams, until its headers arrived. */
  readonly durationMs: number;
}

/** All access to the cluster goes through this client. Its methods never throw or reject. */
export interface KubeClient {
  /** The server's URL, for messages. */
  readonly server: string;
  /** Sends one request and reads the whole response. */
  call(request: ApiRequest): Promise<ApiResult>;
  /**
   * Opens an endless response, and resolves when its headers have arrived. Iterating over `body` throws when the
   * connection breaks; `signal` ends it. `connection` is the argument for `renew`.
   */
  openStream(request: ApiRequest): Promise<StreamResult>;
  /**
   * Reports that the `connection` of a stream is dead. All connections of that generation are replaced once, however
   * often this is called.
   */
  renew(connection: number): void;
  /** Converts what iterating over a stream's body threw into a failure. */
  failureOf(thrown: unknown): ApiFailure;
  /** Ends all requests and closes the connections. */
  close(): Promise<void>;
}

interface KubeClientOptions {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  /** The API server derives the default field manager from it: `name/version`. */
  readonly userAgent: string;
  /** Requests per second, and the burst; 0: no client-side limit (--kube-api-qps, --kube-api-burst). */
  readonly qps?: number;
  readonly burst?: number;
  readonly onRequest?: (event: RequestOutcome) => void;
}

/** More than any page of a list can have. A longer body is an error, and would use too much memory. */
const longestBody = 128 << 20;
/** The limit for the body of an error response. */
const longestErrorBody = 1 << 20;
const notModified = 304;

/** A client for one cluster, with one shared pool of connections. */
export function createKubeClient({
  access,
  clock,
  userAgent,
  qps = 0,
  burst = 0,
  onRequest,
}: KubeClientOptions): KubeClient {
  const exchanger = createExchanger(access, clock, userAgent, { qps, burst });

  async function refusal({ isConfidential = false }: ApiRequest, exchange: Exchange): Promise<ApiFailure> {
    const { status, headers } = exchange;
    if (status === 401) exchange.rejectCredentials();
    const text = await readText(exchange, longestErrorBody);
    return classify(status, headers, typeof text === 'string' ? text : '', clock.now(), isConfidential);
  }

  async function answer(request: ApiRequest): Promise<ApiResult> {
    const opened = await exchanger.open(request);
    if (!opened.ok) return opened;
    const { exchange } = opened;
    if (exchange.status === notModified && request.etag !== undefined) {
      exchange.drain();
      return { ok: true, status: exchange.status, body: undefined, etag: request.etag };
    }
    if (!isSuccess(exchange.status)) return { ok: false, failure: await refusal(request, exchange) };
    if (request.onlyStatus && isJson(exchange)) {
      exchange.drain();
      return { ok: true, status: exchange.status, body: undefined };
    }
    const { limit, keep } = request.tail ?? { limit: longestBody };
    const text = await readText(exchange, limit, keep);
    return typeof text === 'string' ? parse(request, exchange, text) : { ok: false, failure: text };
  }

  async function stream(request: ApiRequest): Promise<StreamResult> {
    const opened: Opened = await exchanger.open(request);
    if (!opened.ok) return opened;
    const { exchange } = opened;
    if (!isSuccess(exchange.status)) return { ok: false, failure: await refusal(request, exchange) };
    if (!isJson(exchange)) {
      const text = await readText(exchange, longestErrorBody);
      return unreadable(request, exchange.status, typeof text === 'string' ? text : '');
    }
    return { ok: true, connection: exchange.connection, body: exchange.endless() };
  }

  async function observed<T extends ApiResult | StreamResult>(
    request: ApiRequest,
    isStream: boolean,
    run: () => Promise<T>,
  ): Promise<T> {
    if (onRequest === undefined) return run();
    const { method, path } = request;
    const startedAt = clock.monotonic();
    const result = await run();
    const outcome = result.ok
      ? 'status' in result
        ? result.status
        : 200
      : (result.failure.status ?? result.failure.type);
    onRequest({ method, path, isStream, outcome, durationMs: clock.monotonic() - startedAt });
    return result;
  }

  return {
    server: access.server,
    call: (request) => observed(request, false, () => answer(request)),
    openStream: (request) => observed(request, true, () => stream(request)),
    renew: exchanger.renew,
    failureOf: networkFailure,
    close: exchanger.close,
  };
}

/** Reads the whole body as text, and returns the last `keep` bytes of it. */
async function readText(exchange: Exchange, longest: number, keep = longest): Promise<string | ApiFailure> {
  const pieces: Buffer[] = [];
  let length = 0;
  let dropped = 0;
  try {
    for await (const piece of exchange.body()) {
      pieces.push(piece);
      length += piece.length;
      if (length > longest)
        return { type: 'badAnswer', message: `the response is longer than ${longest >> 20} MiB`, isTooLong: true };
      for (let [first] = pieces; first !== undefined && length - dropped - first.length >= keep; [first] = pieces)
        dropped += pieces.shift()?.length ?? 0;
    }
    return Buffer.concat(pieces).subarray(-keep).toString('utf8');
  } catch (error) {
    return exchange.explain(error);
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function isJson({ headers }: Exchange): boolean {
  const type = headers['content-type'];
  return type === undefined || String(type).includes('json');
}

function parse(request: ApiRequest, { status, headers }: Exchange, text: string): ApiResult {
  if (request.isText) return { ok: true, status, body: text };
  if (text === '') return { ok: true, status, body: undefined };
  const { etag } = headers;
  try {
    const body = parseJson(text);
    return { ok: true, status, body, ...(typeof etag === 'string' ? { etag } : {}) };
  } catch {
    return unreadable(request, status, text);
  }
}

function unreadable(
  { isConfidential }: ApiRequest,
  status: number,
  text: string,
): { readonly ok: false; readonly failure: ApiFailure } {
  const message = isConfidential ? 'the response is not JSON' : `the response is not JSON, but ${describeBody(text)}`;
  return { ok: false, failure: { type: 'badAnswer', status, message } };
}
