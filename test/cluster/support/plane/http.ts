import { Agent, type Dispatcher, request } from 'undici';

/** The answer of a server. The body is parsed if its content type is JSON, and text otherwise. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

export interface RequestOptions {
  readonly token?: string;
  /** A body that is sent as JSON. */
  readonly body?: unknown;
  /** A body that is sent unchanged. */
  readonly text?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  /** The header `If-None-Match`. */
  readonly etag?: string;
  /** Default `application/json`, and for a PATCH `application/merge-patch+json`. */
  readonly contentType?: string;
  /** The token of the user. */
  readonly impersonate?: string;
  readonly signal?: AbortSignal;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

function contentTypeOf(method: Method): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
}

function headersOf({ accept, etag, token, impersonate }: RequestOptions): Record<string, string> {
  return {
    accept: accept ?? 'application/json',
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(impersonate === undefined ? {} : { 'impersonate-user': impersonate }),
  };
}

/**
 * A client of the tests for one server, which shares no code with weeder, and trusts only the given certificates (PEM).
 */
export function httpClient(origin: string, ca?: string) {
  // HTTP/1.1, so that each watch has its own connection.
  const agent = new Agent({
    allowH2: false,
    bodyTimeout: 0,
    headersTimeout: 60_000,
    ...(ca ? { connect: { ca } } : {}),
  });
  const open = (method: Method, path: string, options: RequestOptions): Promise<Dispatcher.ResponseData> => {
    const body = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    return request(`${origin}${path}`, {
      dispatcher: agent,
      method,
      headers: {
        ...headersOf(options),
        ...(body === undefined ? {} : { 'content-type': options.contentType ?? contentTypeOf(method) }),
      },
      ...(body === undefined ? {} : { body }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
  };
  return {
    send: async (method: Method, path: string, options: RequestOptions = {}) => {
      const response = await open(method, path, options);
      const text = await response.body.text();
      const isJson = String(response.headers['content-type']).startsWith('application/json');
      return { status: response.statusCode, headers: response.headers, body: isJson ? parse(text) : text };
    },
    /** Yields the lines of a response, such as a watch, until the server ends it. Throws when `signal` aborts. */
    lines: async (path: string, options: RequestOptions = {}) => {
      const response = await open('GET', path, options);
      return { status: response.statusCode, lines: linesOf(response.body) };
    },
    close: () => agent.destroy(),
  };
}

function parse(text: string): unknown {
  return JSON.parse(text);
}

/** Splits a response into lines. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
}
