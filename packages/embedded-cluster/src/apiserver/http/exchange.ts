import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { failed, ok } from '../../base/result.ts';
import { failure, type Outcome, type Status } from '../meta/status.ts';

/** A request of which only the headers have been read, and its response. */
export interface Exchange {
  readonly method: string;
  /** With the query string, and without a host. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The text, or its pieces. */
  readonly body: string | AsyncIterable<unknown>;
  readonly response: Response;
}

/** The part of a `ServerResponse` that the server uses. */
export interface Response extends Pick<ServerResponse, 'headersSent' | 'destroyed' | 'writableEnded' | 'flushHeaders'> {
  setHeader(name: string, value: string): unknown;
  writeHead(code: number, headers: Readonly<Record<string, string | number>>): unknown;
  write(text: string): boolean;
  end(content?: string | Buffer): unknown;
  once(event: 'close' | 'drain', listener: () => void): unknown;
}

/** The limit of the real server; that of etcd is 1.5 MiB. */
const maxBodyBytes = 3 << 20;

export function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const { method = 'GET', url = '/', headers } = request;
  return { method, url, ...partsOf(url), headers, body: request, response };
}

/** Splits a URL without a host. */
export function partsOf(url: string): Pick<Exchange, 'path' | 'query'> {
  const queryStart = url.indexOf('?');
  return {
    path: queryStart === -1 ? url : url.slice(0, queryStart),
    query: new URLSearchParams(queryStart === -1 ? '' : url.slice(queryStart + 1)),
  };
}

/** Reads the body as text. Fails with 413. */
export async function bodyOf({ body }: Exchange): Promise<Outcome<string>> {
  if (typeof body === 'string') return ok(body);
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body) {
    if (!Buffer.isBuffer(piece)) continue;
    length += piece.length;
    // A body that is too long is read to the end, because a client that is still sending does not read the response.
    if (length > maxBodyBytes) pieces = [];
    else pieces.push(piece);
  }
  if (length <= maxBodyBytes) return ok(Buffer.concat(pieces).toString('utf8'));
  return failed(failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${maxBodyBytes}`));
}

export function sendJson({ response }: Exchange, code: number, json: string, type = 'application/json'): void {
  send(response, code, type, json);
}

export function sendText({ response }: Exchange, code: number, text: string): void {
  send(response, code, 'text/plain; charset=utf-8', text);
}

/** Sends a Status with its code, by default 200, and its Retry-After header. */
export function sendStatus(exchange: Exchange, status: Status): void {
  const seconds = status.details?.['retryAfterSeconds'];
  if (typeof seconds === 'number') exchange.response.setHeader('retry-after', String(seconds));
  sendJson(exchange, status.code ?? 200, JSON.stringify(status));
}

function send(response: Response, code: number, type: string, body: string): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.from(body);
  response.writeHead(code, {
    'cache-control': 'no-cache, private',
    'content-type': type,
    'content-length': bytes.length,
  });
  response.end(bytes);
}

/** Returns the media type of the body without parameters; empty if there is none. */
export function mediaTypeOf({ headers }: Exchange): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
