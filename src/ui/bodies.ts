import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { accepts } from '../base/http.ts';

const compress = promisify(gzip);

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

/** A text that is sent many times, and compressed once. */
export interface Body {
  readonly text: string;
  compressed(): Promise<Buffer>;
}

/** `level`: of gzip. Default: 6. */
export function compressible(text: string, level?: number): Body {
  let compressed: Promise<Buffer> | undefined;
  return {
    text,
    compressed() {
      compressed ??= compress(text, level === undefined ? {} : { level });
      return compressed;
    },
  };
}

/** Sends a text of this type, compressed if the client accepts that. */
export async function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  { text, compressed }: Body,
): Promise<void> {
  const isCompressed = accepts(request, 'accept-encoding', 'gzip');
  const body = isCompressed ? await compressed() : Buffer.from(text);
  response.writeHead(200, {
    'content-type': types[type] ?? 'text/plain; charset=utf-8',
    'content-length': body.length,
    vary: 'accept-encoding',
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Answers a request with an object as JSON. */
export type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  compute: () => Promise<object>,
) => Promise<void>;

/** How long an answer can be shared. Milliseconds. */
const sharedFor = 1000;
/** Of gzip: a higher one takes the process more time than it saves the network. */
const level = 1;

/**
 * A page that polls accepts an answer of the last second (`Cache-Control: max-age=1`). So ten pages with the same view
 * cost weeder hardly more than one. `canShare`: not in a replay, which shows another moment at once.
 */
export function createAnswers({ canShare }: { readonly canShare: boolean }): Answer {
  const answers = new Map<string, Promise<Body>>();

  function share(path: string, body: Promise<Body>): void {
    answers.set(path, body);
    const forget = () => void (answers.get(path) === body && answers.delete(path));
    body.then(() => setTimeout(forget, sharedFor).unref(), forget);
  }

  return async (request, response, compute) => {
    const { url = '', headers } = request;
    const shared = headers['cache-control'] === 'max-age=1' ? answers.get(url) : undefined;
    const body = shared ?? compute().then((object) => compressible(JSON.stringify(object), level));
    if (canShare && shared === undefined) share(url, body);
    await sendBody(request, response, 'json', await body);
  };
}
