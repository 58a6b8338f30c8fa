import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import type { ClusterAccess } from '../access/clusterAccess.ts';
import type { Credentials } from '../access/credentials.ts';
import { pingMs } from './silentConnections.ts';

/** One generation of connections to the API server, which are replaced together. */
export interface Connection {
  /** The number of the generation within its client, from 1. */
  readonly number: number;
  readonly dispatcher: Dispatcher;
  /** When the server last sent anything; monotonic milliseconds. */
  receivedAt: number;
  /** How many requests timed out. */
  timeouts: number;
  /** How many consecutive requests failed before their headers arrived. */
  failures: number;
}

/** The HTTP connections to one API server, shared by all requests. */
interface Transport {
  /** The connections for these credentials; new ones if the CA or the client certificate has changed. */
  connection(credentials: Credentials): Connection;
  /** Ends generation `number` with every request on it, unless it has already been replaced. */
  renew(number: number, cause: string): void;
  close(): Promise<void>;
}

/** A connection that is idle for this long is probed once a second, and is dead after ten probes. */
const keepAliveMs = 15_000;
const connectMs = 10_000;
/** Below the 90 s after which kube-apiserver closes an idle HTTP/1.1 connection. */
const idleMs = 60_000;

const shared = {
  bodyTimeout: 0,
  headersTimeout: 0,
  keepAliveTimeout: idleMs,
  keepAliveMaxTimeout: idleMs,
  // Deletions and streams share one HTTP/2 connection; kube-apiserver allows 100 to 250 streams.
  h2Options: { maxConcurrentStreams: 250, connectionWindowSize: 4 << 20, pingInterval: pingMs },
} as const;

/** Opens connections on demand, over HTTP/2 if the server offers it. `nextNumber` numbers the generations. */
export function createTransport(access: ClusterAccess, nextNumber: () => number): Transport {
  let current: (Connection & { readonly fingerprint: string }) | undefined;
  /** Replaced connections whose requests may still complete. */
  const outdated = new Set<Dispatcher>();

  function retire(dispatcher: Dispatcher): void {
    outdated.add(dispatcher);
    dispatcher
      .close()
      .catch(() => undefined)
      .finally(() => outdated.delete(dispatcher));
  }

  return {
    connection(credentials) {
      if (current?.fingerprint === credentials.tlsFingerprint) return current;
      if (current !== undefined) retire(current.dispatcher);
      current = {
        number: nextNumber(),
        dispatcher: createDispatcher(access, credentials),
        receivedAt: Number.NEGATIVE_INFINITY,
        timeouts: 0,
        failures: 0,
        fingerprint: credentials.tlsFingerprint,
      };
      return current;
    },
    renew(number, cause) {
      if (current?.number !== number) return;
      const dead = current;
      current = undefined;
      void dead.dispatcher.destroy(new Error(cause)).catch(() => undefined);
    },
    async close() {
      const last = [...outdated, ...(current === undefined ? [] : [current.dispatcher])];
      current = undefined;
      const reason = new Error('the client was closed');
      await Promise.allSettled(last.map((dispatcher) => dispatcher.destroy(reason)));
    },
  };
}

/** `more`: options of each kind of dispatcher. */
export function createDispatcher(access: ClusterAccess, { tls }: Credentials, more: object = {}): Dispatcher {
  const options = access.kubeConfig.createDispatcherOptions(access.kubeConfig.getCurrentCluster(), tls);
  const connect = { keepAlive: true, keepAliveInitialDelay: keepAliveMs, timeout: connectMs };
  switch (options.type) {
    case 'proxy':
      return new ProxyAgent({
        ...shared,
        ...more,
        uri: options.uri,
        requestTls: withNames(options.requestTls),
        connect,
      });
    case 'socks':
      return new Socks5ProxyAgent(options.uri, {
        ...shared,
        ...more,
        requestTls: withServerName(options.requestTls, access.server),
      });
    case 'agent':
      return new Agent({ ...shared, ...more, connect: { ...withNames(options.connect), ...connect } });
    case 'none':
      return new Agent({ ...shared, ...more, connect });
  }
}

/**
 * undici's SOCKS agent uses the target's address as the TLS server name, and TLS does not accept an IP address there.
 * The name that every API server's certificate contains is sent instead, and the certificate is verified against the
 * address.
 */
function withServerName(tls: ConnectionOptions, server: string) {
  const host = new URL(server).hostname.replace(/^\[|]$/g, '');
  if (tls.servername !== undefined || isIP(host) === 0) return withNames(tls);
  const verify = (_name: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate);
  return { ...withNames(tls), servername: 'kubernetes', checkServerIdentity: verify };
}

/** The same options, in undici's stricter types. */
function withNames({ ca, cert, key, rejectUnauthorized, servername }: ConnectionOptions) {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(servername === undefined ? {} : { servername }),
  };
}
