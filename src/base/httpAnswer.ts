import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** A page that can only be read. Whoever serves it is told when it throws. */
export type Page = (url: URL, request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Serves pages by their path, to GET and HEAD. A page that breaks is a 500 and told, and the process goes on. */
export function servePages(
  pages: Readonly<Record<string, Page>>,
  onBroken: (error: unknown, path: string) => void,
): RequestListener {
  const paths = Object.keys(pages);
  const known = paths.length === 1 ? paths.join() : `${paths.slice(0, -1).join(', ')} and ${paths.at(-1)}`;
  return (request, response) => {
    const url = urlOf(request);
    const page = Object.hasOwn(pages, url.pathname) ? pages[url.pathname] : undefined;
    if (page === undefined) {
      sendText(request, response, 404, `not found: there is ${known}\n`);
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      sendText(request, response, 405, 'method not allowed: GET and HEAD are\n');
      return;
    }
    void serve(page, url, request, response).catch((error: unknown) => {
      onBroken(error, url.pathname);
      breakOff(request, response);
    });
  };
}

/** Behind a host of ours: what begins with two slashes would name a host of its own, and `//` none at all. */
function urlOf({ url = '/' }: IncomingMessage): URL {
  return new URL(`http://weeder${url.startsWith('/') ? url : '/'}`);
}

async function serve(page: Page, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await page(url, request, response);
}

/** Half an answer has to look like one. */
function breakOff(request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else sendText(request, response, 500, 'internal error: please report this\n');
}

/** Answers with a text, whole. */
export function sendText(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}
