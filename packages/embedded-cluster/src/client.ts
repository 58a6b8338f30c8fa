import { type JsonObject, objectOf } from './base/json.ts';

/** The response to a request. The body is parsed if it is JSON, and is the text otherwise. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RequestOptions {
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly text?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  /** `If-None-Match`. */
  readonly etag?: string;
  /** Default `application/json`; a PATCH needs another type, such as `application/merge-patch+json`. */
  readonly contentType?: string;
  /** The impersonated user (`Impersonate-User`). */
  readonly impersonate?: string;
  readonly signal?: AbortSignal;
}

/** One event of a watch. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: JsonObject;
}

/** A minimal HTTP client for an API server. */
export interface Client {
  send(method: Method, path: string, options?: RequestOptions): Promise<ApiResponse>;
  /** Sends a GET and yields the body line by line until the server ends it; throws if `signal` aborts. */
  lines(path: string, options?: RequestOptions): Promise<{ status: number; lines: AsyncGenerator<string> }>;
  /** Server-side apply of the object at `path`; throws if the server refuses it. */
  apply(path: string, object: JsonObject, fieldManager?: string): Promise<JsonObject>;
  /** Watches the collection at `path`, and yields each existing object as ADDED and then each change. */
  watch(path: string, signal?: AbortSignal): AsyncGenerator<WatchEvent>;
}

export function createClient(server: string): Client {
  const open = (method: Method, path: string, options: RequestOptions): Promise<Response> => {
    const body = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    return fetch(`${server}${path}`, {
      method,
      headers: headersOf(options, body !== undefined),
      ...(body === undefined ? {} : { body }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
  };
  const client: Client = {
    async send(method, path, options = {}) {
      const response = await open(method, path, options);
      const text = await response.text();
      const headers = Object.fromEntries(response.headers);
      const isJson = String(headers['content-type']).startsWith('application/json');
      return { status: response.status, headers, body: isJson ? JSON.parse(text) : text };
    },
    async lines(path, options = {}) {
      const response = await open('GET', path, options);
      return { status: response.status, lines: linesOf(response) };
    },
    async apply(path, object, fieldManager = 'embedded-cluster') {
      const options = { body: object, contentType: 'application/apply-patch+yaml' };
      const { status, body } = await client.send('PATCH', `${path}?fieldManager=${fieldManager}&force=true`, options);
      if (status >= 300) throw new Error(`PATCH ${path}: ${status} ${JSON.stringify(body)}`);
      return objectOf(body);
    },
    async *watch(path, signal) {
      const { status, lines } = await client.lines(`${path}?watch=true`, signal === undefined ? {} : { signal });
      if (status !== 200) throw new Error(`watch of ${path}: ${status}`);
      for await (const line of lines) {
        const event: WatchEvent = JSON.parse(line);
        yield event;
      }
    },
  };
  return client;
}

function headersOf({ accept, etag, token, impersonate, contentType }: RequestOptions, hasBody: boolean) {
  return {
    accept: accept ?? 'application/json',
    // Otherwise fetch sends its own User-Agent, from which the server derives the field manager.
    'user-agent': '',
    ...(hasBody ? { 'content-type': contentType ?? 'application/json' } : {}),
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(impersonate === undefined ? {} : { 'impersonate-user': impersonate }),
  };
}

/** References the response, because fetch cancels the body of a response that is garbage-collected. */
async function* linesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
}
