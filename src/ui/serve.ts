import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { ok, type Result } from '@weeder/kube-runtime/base';
import { actorOrders, objectTypes, serviceFilters } from '@weeder/live-page';
import { type Page, sendText, servePages } from '../base/http.ts';
import { type BindAddress, type Listening, type ListenOptions, listen } from '../base/listen.ts';
import type { ActorQuery } from './actorIndex.ts';
import { type Answer, createAnswers } from './bodies.ts';
import { type LivePage, maxPages } from './livePage.ts';
import { pageFiles } from './pageFiles.ts';

const headers: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The maximum number of actors in a response. */
const maxActors = 1000;

interface PageListenerOptions {
  readonly live: LivePage;
  /** The page is served on loopback only: a request with another host name was caused by a foreign page. */
  readonly isLoopback: boolean;
  /** Handles commands for a replay; undefined: there are none. */
  readonly command?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly onBroken: (error: unknown, path: string) => void;
}

/** The live page, and its URL. */
export interface ServedPage extends Listening {
  readonly url: string;
}

/**
 * Serves the live page. Unlike for the other servers, an address without a host is loopback, because the page shows the
 * names of pods.
 */
export async function serveLivePage(
  address: BindAddress,
  options: Omit<PageListenerOptions, 'isLoopback'> & Pick<ListenOptions, 'onRefused'>,
): Promise<Result<ServedPage>> {
  const { host = '127.0.0.1', port } = address;
  const isLoopback = isLoopbackHost(host);
  const listener = pageListener({ ...options, isLoopback });
  const { onRefused } = options;
  const listening = await listen({ flag: '--ui-bind-addr', address: { host, port }, listener, onRefused });
  if (!listening.ok) return listening;
  const name = host.includes(':') ? `[${host}]` : host;
  return ok({ ...listening.value, url: `http://${isLoopback ? name : urlHost(name)}:${listening.value.port}/` });
}

/** A wildcard address cannot be opened, so the URL has another host. */
function urlHost(name: string): string {
  return name === '0.0.0.0' || name === '[::]' ? 'localhost' : name;
}

/** Handles the requests of the live page. They are read-only, except for the control of a replay. */
function pageListener({ live, isLoopback, command, onBroken }: PageListenerOptions): RequestListener {
  const answer = createAnswers({ canShare: command === undefined });
  const answered =
    (read: (query: URLSearchParams) => Promise<object>): Page =>
    ({ searchParams }, request, response) =>
      answer(request, response, () => read(searchParams));
  const pages = servePages(
    {
      ...pageFiles(),
      '/actors': answered((query) => live.actors(actorQuery(query))),
      '/dependencies': answered((query) => live.dependencies({ ...nameQuery(query), show: serviceFilterOf(query) })),
      '/suggestions': answered((query) => live.suggestions(nameQuery(query))),
      '/overview': answered(live.overview),
      ...Object.fromEntries(live.lists().map(([path, list]) => [path, answered(list)])),
      '/object': objectPage(live, answer),
      '/events': eventsPage(live),
    },
    onBroken,
  );
  return (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (isLoopback && !isOwnName(request.headers.host)) {
      sendText(
        request,
        response,
        403,
        'this page is served on loopback only: open it as http://localhost with its port\n',
      );
      return;
    }
    if (isForeign(request)) {
      sendText(request, response, 403, 'only the page itself may send this request\n');
      return;
    }
    if (command !== undefined && request.url === '/replay') {
      command(request, response).catch((error: unknown) => {
        onBroken(error, '/replay');
        response.destroy();
      });
      return;
    }
    pages(request, response);
  };
}

/** Whether an address is loopback; without a host, the page is served there. */
function isLoopbackHost(host: string | undefined): boolean {
  return host === undefined || host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** A foreign page can direct a browser here by a host name of its own (DNS rebinding), but not by these names. */
export function isOwnName(host: string | undefined): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(:\d+)?$/.exec(host ?? '')?.[1]?.toLowerCase() ?? '';
  return name !== '' && isLoopbackHost(name.replace(/^\[|\]$/g, ''));
}

/**
 * Whether a request comes from a foreign page, as the browser declares. Such a page could not read the response, but
 * could hold connections open. Following a link to this page is allowed.
 */
function isForeign({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined || site === 'same-origin' || site === 'none';
  return !isOwn && headers['sec-fetch-mode'] !== 'navigate';
}

function actorQuery(query: URLSearchParams): ActorQuery {
  return {
    search: query.get('search') ?? '',
    machine: query.get('machine') ?? '',
    order: actorOrders.find((each) => each === query.get('order')) ?? 'tree',
    offset: wholeNumber(query.get('offset'), 0),
    limit: Math.min(maxActors, wholeNumber(query.get('limit'), 100)),
  };
}

function nameQuery(query: URLSearchParams) {
  return { search: query.get('search') ?? '', namespace: query.get('namespace') ?? '' };
}

function serviceFilterOf(query: URLSearchParams) {
  return serviceFilters.find((each) => each === query.get('show')) ?? 'all';
}

function objectPage(live: LivePage, answer: Answer): Page {
  return async ({ searchParams }, request, response) => {
    const type = objectTypes.find((each) => each === searchParams.get('type'));
    if (type === undefined) {
      sendText(request, response, 400, `type is not one of ${objectTypes.join(', ')}\n`);
      return;
    }
    const id = searchParams.get('id') ?? '';
    await answer(request, response, () => live.object({ type, id }));
  };
}

function eventsPage(live: LivePage): Page {
  return ({ searchParams }, request, response) => {
    if (!live.hasRoom()) {
      response.setHeader('retry-after', '15');
      sendText(request, response, 503, `the maximum number of pages is open: ${maxPages}\n`);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    if (request.method === 'HEAD') response.end();
    else live.connect(response, searchParams.get('actor') ?? undefined);
  };
}

function wholeNumber(text: string | null, otherwise: number): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
}
