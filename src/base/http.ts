import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** A read-only page. The server reports an error that it throws. */
export type Page = (url: URL, request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/**
 * Serves pages by path, for GET and HEAD. A page that throws results in a 500 and a report, and the process continues.
 */
export function servePages(
  pages: Readonly<Record<string, Page>>,
  onError: (error: unknown, path: string) => void,
): RequestListener {
  const paths = Object.keys(pages);
  const served = paths.length === 1 ? paths.join() : `${paths.slice(0, -1).join(', ')} and ${paths.at(-1)}`;
  return (request, response) => {
    const url = urlOf(request);
    const page = Object.hasOwn(pages, url.pathname) ? pages[url.pathname] : undefined;
    if (page === undefined) {
      sendText(request, response, 404, `not found: this server has ${served}\n`);
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      sendText(request, response, 405, 'method not allowed, expected GET or HEAD\n');
      return;
    }
    void serve(page, url, request, response).catch((error: unknown) => {
      onError(error, url.pathname);
      abortResponse(request, response);
    });
  };
}

/**
 * Resolves the URL against a fixed host: a URL that begins with two slashes would otherwise name a host of its own, and
 * `//` an empty one.
 */
function urlOf({ url = '/' }: IncomingMessage): URL {
  return new URL(`http://weeder${url.startsWith('/') ? url : '/'}`);
}

async function serve(page: Page, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await page(url, request, response);
}

/** An incomplete response must be recognizable as incomplete. */
function abortResponse(request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else sendText(request, response, 500, 'internal error: please report this\n');
}

/** Sends a complete text response. */
export function sendText(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

/**
 * Serves a page only over connections to a loopback address, such as those of `kubectl port-forward`. `hint` is the end
 * of the refusal.
 */
export function onLoopback(page: Page, hint: string): Page {
  return (url, request, response) => {
    if (isLoopback(request.socket.localAddress)) return page(url, request, response);
    sendText(request, response, 403, `this page is served on loopback only: ${hint}\n`);
  };
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::1|(::ffff:)?127\.[\d.]+)$/.test(address);
}

/**
 * Whether the request's header contains this media type or coding, or `*`, with a weight other than 0. Linear in the
 * length of the header.
 */
export function accepts(request: IncomingMessage, header: 'accept' | 'accept-encoding', name: string): boolean {
  return namesIn(String(request.headers[header] ?? ''), name);
}

export function namesIn(header: string, name: string): boolean {
  return header.split(',').some((range) => {
    const [what = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const isNamed = what === name || (what === '*' && !name.includes('/'));
    return isNamed && !parameters.some((each) => /^q\s?=\s?0(\.0*)?$/.test(each));
  });
}
