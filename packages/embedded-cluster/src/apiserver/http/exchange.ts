import type { IncomingMessage, ServerResponse } from 'node:http';
import { failed, ok } from '../../base/result.ts';
import { failure, type Outcome, type Status } from '../meta/status.ts';

/** One request, read as far as its headers. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** etcd takes no more than 1.5 MiB; the real server reads up to this. */
const longestBody = 3 << 20;

export function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  return {
    method: request.method ?? 'GET',
    path: mark === -1 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)),
    request,
    response,
  };
}

/** The whole body as text. Fails with 413. */
export async function bodyOf({ request }: Exchange): Promise<Outcome<string>> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    if (!Buffer.isBuffer(piece)) continue;
    length += piece.length;
    // Read to its end all the same: a client that is still sending does not hear the answer.
    if (length > longestBody) pieces = [];
    else pieces.push(piece);
  }
  if (length <= longestBody) return ok(Buffer.concat(pieces).toString('utf8'));
  return failed(failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${longestBody}`));
}

export function sendJson({ response }: Exchange, code: number, json: string, type = 'application/json'): void {
  send(response, code, type, json);
}

export function sendText({ response }: Exchange, code: number, text: string): void {
  send(response, code, 'text/plain; charset=utf-8', text);
}

/** A failure, with the code that it names; or a success. */
export function sendStatus(exchange: Exchange, status: Status): void {
  const seconds = status.details?.['retryAfterSeconds'];
  if (typeof seconds === 'number') exchange.response.setHeader('retry-after', String(seconds));
  sendJson(exchange, status.code ?? 200, JSON.stringify(status));
}

function send(response: ServerResponse, code: number, type: string, body: string): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.from(body);
  response.writeHead(code, {
    'cache-control': 'no-cache, private',
    'content-type': type,
    'content-length': bytes.length,
  });
  response.end(bytes);
}

/** The media type of the body, without its parameters; empty when none is given. */
export function mediaTypeOf({ request }: Exchange): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
