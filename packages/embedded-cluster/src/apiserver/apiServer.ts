import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { messageOf } from '../base/result.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import { type ApiStore, apiStore } from './apiStore.ts';
import { startGarbageCollector } from './controllers/garbageCollector.ts';
import { startNamespaces } from './controllers/namespaces.ts';
import { startServiceAccounts } from './controllers/serviceAccounts.ts';
import { serveCustomResources } from './crd/serving.ts';
import { addressOf } from './http/address.ts';
import { type Exchange, exchangeOf, partsOf, type Response, sendStatus } from './http/exchange.ts';
import { type PlainRequest, type PlainResponse, plainResponse } from './http/inProcess.ts';
import { type RequestLog, requestLog } from './http/requestLog.ts';
import { serve } from './http/serve.ts';
import { failure, type Status } from './meta/status.ts';
import { create } from './registry/create.ts';
import type { Resource } from './registry/resource.ts';
import { type Admit, admitUnchanged, createStorage, type Storage } from './storage/storage.ts';
import { resources as builtIn, clusterRoles, namespaces } from './strategies/resources.ts';

export interface ApiServerOptions {
  /** The clock of timestamps and of the timeouts of watches. Default: the system clock. */
  readonly clock?: Clock;
  /** The number of changes stored per resource, from which watches can resume. Default 10,000. */
  readonly historyLimit?: number;
  /** Resources in addition to the built-in ones. */
  readonly resources?: readonly Resource[];
  /** The delay between the establishment of a CustomResourceDefinition and the first served request. Default 0. */
  readonly customResourcesServedAfterMs?: number;
  /**
   * Whether requests of impersonated users are authorized by Roles and bindings, and otherwise get 403. By default
   * everything is allowed.
   */
  readonly authorizesImpersonated?: boolean;
  /** Accepted bearer tokens; by default every request is accepted. */
  readonly tokens?: readonly string[];
  /** Returns numbers from 0 up to 1, for generated names. */
  readonly random?: () => number;
  /** Changes what is about to be stored, as a mutating webhook does. Default: nothing is changed. */
  readonly admit?: Admit;
}

/** A fault delays a request, and then refuses it with a Status, closes its connection, or lets it pass. */
interface Fault {
  readonly delayMs?: number;
  readonly refuse?: Status | 'cut';
}

type FaultOf = (request: { readonly method: string; readonly url: string }) => Fault | undefined;

/** An API server in this process. */
export interface ApiServer {
  readonly store: ApiStore;
  /** What the store holds, for the functions of `registry`. */
  readonly storage: Storage;
  readonly requests: RequestLog;
  /** Injects the fault that `faultOf` returns into each later request; undefined removes the faults. */
  setFaults(faultOf: FaultOf | undefined): void;
  /** Closes all connections, watches included, as if the process had crashed; new ones are accepted. */
  cutConnections(): void;
  /** Handles a finite request in process; undefined: a fault closed its connection. */
  request(request: PlainRequest): Promise<PlainResponse | undefined>;
  /** Handles any request in process, a watch too, and writes to `response`. `cut`: a fault closes its connection. */
  respond(request: PlainRequest, response: Response): Promise<'responded' | 'cut'>;
  /** Handles the requests of another HTTP server, such as one with TLS or HTTP/2. */
  readonly handle: RequestListener;
  /** Listens on a port of 127.0.0.1, by default a free one. */
  listen(port?: number): Promise<Listening>;
}

interface Listening {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Closes all connections. The store is not changed, and `listen` may be called again. */
  close(): Promise<void>;
}

/** The only role of the real server's bootstrap policy that tests bind. */
const clusterAdmin = {
  metadata: { name: 'cluster-admin' },
  rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
};

const initialNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Creates a server that has only the initial namespaces with their ServiceAccounts, and one ClusterRole. */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  const { clock = systemClock, historyLimit = 10_000, random = Math.random, tokens, admit = admitUnchanged } = options;
  const resources = [...builtIn, ...(options.resources ?? [])];
  const storage = createStorage({ clock, random, historyLimit, resources, admit });
  const requests = requestLog();
  const servers = new Set<Server>();
  let faultOf: FaultOf | undefined;
  startNamespaces(storage);
  startServiceAccounts(storage);
  serveCustomResources(storage, options.customResourcesServedAfterMs ?? 0);
  startGarbageCollector(storage);
  for (const name of initialNamespaces) create(storage, namespaces, '', { metadata: { name } });
  create(storage, clusterRoles, '', clusterAdmin);

  /** `cut`: the connection has to be closed without a response. */
  async function handleExchange(exchange: Exchange): Promise<'responded' | 'cut'> {
    requests.record(exchange, addressOf(storage.resources, exchange.path));
    const fault = faultOf?.(exchange);
    if (fault?.delayMs !== undefined) await pause(clock, fault.delayMs);
    if (fault?.refuse === 'cut') return 'cut';
    if (fault?.refuse !== undefined) sendStatus(exchange, fault.refuse);
    else if (!isAllowed(exchange, tokens)) sendStatus(exchange, unauthorized);
    else await serve(storage, exchange, options.authorizesImpersonated === true);
    return 'responded';
  }

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange = exchangeOf(request, response);
    const handled = handleExchange(exchange).catch((error: unknown) => {
      if (response.headersSent) return 'cut';
      sendStatus(exchange, failure(500, 'InternalError', messageOf(error)));
      return 'responded';
    });
    void handled.then((outcome) => {
      if (outcome === 'cut') response.destroy();
    });
  };

  const respond: ApiServer['respond'] = ({ method, url, headers = {}, body = '' }, response) =>
    handleExchange({ method, url, ...partsOf(url), headers, body, response });

  return {
    store: apiStore(storage),
    storage,
    requests,
    setFaults: (next) => {
      faultOf = next;
    },
    cutConnections: () => {
      for (const server of servers) server.closeAllConnections();
    },
    async request(request) {
      const { response, collected } = plainResponse();
      return (await respond(request, response)) === 'cut' ? undefined : collected();
    },
    respond,
    handle,
    listen: (port = 0) => listen(handle, port, servers),
  };
}

const unauthorized = failure(401, 'Unauthorized', 'Unauthorized');

function isAllowed({ headers }: Exchange, tokens: readonly string[] | undefined): boolean {
  return tokens === undefined || tokens.some((token) => headers.authorization === `Bearer ${token}`);
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, ms);
  });
}

async function listen(handle: RequestListener, port: number, servers: Set<Server>): Promise<Listening> {
  // Longer than the idle timeout of clients, so that no connection is closed while a request is in flight.
  const server = createServer({ keepAliveTimeout: 120_000, requestTimeout: 0 }, handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  servers.add(server);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the TCP server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        servers.delete(server);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
