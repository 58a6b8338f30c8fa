import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { listen } from '@weeder/kube-runtime/testing';
import type {
  ActorView,
  ApplicationView,
  DependencyList,
  ObjectView,
  Overview,
  PageMessage,
  ReplayCommand,
  SuggestionList,
  WorkloadView,
} from '@weeder/live-page';
import { pageJson } from '@weeder/live-page/build';
import { applicationList, dependencyList, objectView, overviewView } from '@weeder/live-page/scenes';
import { machines } from '../../../src/diagram/machines.ts';

/** Serves the page and sends the messages of a test: the protocol without a weeder. */
export interface PageServer {
  readonly url: string;
  /** Sent to every connection at its start; later messages are sent by `send`. */
  greeting: readonly PageMessage[];
  actors: readonly ActorView[];
  workloads: readonly WorkloadView[];
  applications: readonly ApplicationView[];
  dependencies: DependencyList;
  suggestions: SuggestionList;
  /** The answer about every object. */
  object: Omit<ObjectView, 'type' | 'id'>;
  overview: Overview;
  /** Nothing is sent any more; new connections are accepted. */
  isHung: boolean;
  /** New streams are refused: the maximum number of pages is open. */
  isFull: boolean;
  /** How many milliseconds its clock is ahead of the greeting's. */
  ahead: number;
  readonly commands: ReplayCommand[];
  /** The requested paths. */
  readonly requests: string[];
  send(...messages: readonly PageMessage[]): void;
  /** Breaks every connection. */
  cut(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'";
const types = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  json: 'application/json',
};

export async function startPageServer(): Promise<PageServer> {
  const files = new Map<string, unknown>(Object.entries(JSON.parse(await pageJson([...machines.keys()]))));
  const open = new Set<ServerResponse>();
  const state: PageServer = {
    url: '',
    greeting: [],
    actors: [],
    workloads: [],
    applications: [],
    dependencies: dependencyList([], []),
    suggestions: { found: 0, suggestions: [], problems: [] },
    object: objectView(),
    overview: overviewView(),
    isHung: false,
    isFull: false,
    ahead: 0,
    commands: [],
    requests: [],
    send(...messages) {
      for (const response of open) for (const message of messages) response.write(eventText(message));
    },
    cut() {
      for (const response of open) response.destroy();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beating);
      server.closeAllConnections();
      server.close();
    },
  };
  const beating = setInterval(() => {
    const [first] = state.greeting;
    if (!state.isHung && first?.type === 'hello') state.send({ type: 'beat', now: first.now + state.ahead });
  }, 500);
  const lists: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
    '/actors': (query) => pageOf(state.actors, query),
    '/workloads': () => ({ workloads: state.workloads }),
    '/dependencies': () => state.dependencies,
    '/suggestions': () => state.suggestions,
    '/object': (query) => ({ type: query.get('type'), id: query.get('id'), ...state.object }),
    '/overview': () => state.overview,
    '/applications': (query) => applicationList(state.applications, query),
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://page');
    state.requests.push(`${url.pathname}${url.search}`);
    response.setHeader('content-security-policy', policy);
    const list = lists[url.pathname];
    if (list !== undefined) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(list(url.searchParams)));
    } else if (url.pathname === '/events') {
      stream(response);
    } else if (url.pathname === '/replay') {
      request.setEncoding('utf8').on('data', (text: string) => state.commands.push(JSON.parse(text)));
      response.writeHead(204).end();
    } else {
      file(url.pathname === '/' ? '/index.html' : url.pathname, response);
    }
  });

  function stream(response: ServerResponse): void {
    if (state.isFull) return void response.writeHead(503).end('16 pages are open\n');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    if (state.isHung) return;
    for (const message of state.greeting) response.write(eventText(message));
    open.add(response);
    response.on('close', () => open.delete(response));
  }

  function file(path: string, response: ServerResponse): void {
    const diagram = /^\/machines\/(\w+\.(?:svg|json))$/.exec(path)?.[1];
    const text = diagram === undefined ? files.get(path.slice(1)) : diagramOf(diagram);
    const [, type] = Object.entries(types).find(([name]) => path.endsWith(`.${name}`)) ?? [];
    if (typeof text === 'string') response.writeHead(200, { 'content-type': type ?? 'text/plain' }).end(text);
    else response.writeHead(404).end('not found');
  }

  return Object.assign(state, { url: `http://127.0.0.1:${await listen(server)}` });
}

function pageOf(actors: readonly ActorView[], query: URLSearchParams) {
  const [search, machine] = [query.get('search') ?? '', query.get('machine') ?? ''];
  const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
  const matches = actors.filter((each) => each.id.includes(search) && (machine === '' || each.machine === machine));
  const machines = [...new Set(actors.map((each) => each.machine))];
  return { total: matches.length, actors: matches.slice(offset, offset + limit), machines };
}

function diagramOf(name: string): string | undefined {
  const file = new URL(`../../../visualizations/${name}`, import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function eventText(message: PageMessage): string {
  return `event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`;
}
