import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import type { ClusterAccess } from '../access/clusterAccess.ts';
import type { Credentials } from '../access/credentials.ts';
import { pingMs } from './silentConnections.ts';

/** One generation of connections to the API server: all of them are replaced together. */
export interface Connection {
  /** Counts the generations of a client, from 1. */
  readonly number: number;
  readonly dispatcher: Dispatcher;
  /** Monotonic milliseconds of the last sign of life from the server. */
  heardAt: number;
  /** How many requests got no answer in time. */
  timeouts: number;
  /** How many requests in a row failed before their headers came. */
  failures: number;
}

/** The HTTP connections to one API server, shared by all requests. */
interface Transport {
  /** The connections for these credentials; new ones when the CA or the client certificate changed. */
  connection(credentials: Credentials): Connection;
  /** Ends generation `number`, and with it every request on it, unless it has been replaced already. */
  renew(number: number, cause: string): void;
  close(): Promise<void>;
}

/** A connection on which nothing comes is probed then, once a second, and is dead after ten probes. */
const keepAliveMs = 15_000;
const connectMs = 10_000;
/** Below the 90 s after which kube-apiserver closes an idle HTTP/1.1 connection. */
const idleMs = 60_000;

const shared = {
  bodyTimeout: 0,
  headersTimeout: 0,
  keepAliveTimeout: idleMs,
  keepAliveMaxTimeout: idleMs,
  // Deletions and streams share one HTTP/2 connection; kube-apiserver itself allows 100 to 250.
  h2Options: { maxConcurrentStreams: 250, connectionWindowSize: 4 << 20, pingInterval: pingMs },
} as const;

/** Connections are opened when they are needed, over HTTP/2 where the server offers it. `nextNumber` counts them. */
export function createTransport(access: ClusterAccess, nextNumber: () => number): Transport {
  let current: (Connection & { readonly fingerprint: string }) | undefined;
  /** Those whose requests may still end by themselves. */
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
        heardAt: Number.NEGATIVE_INFINITY,
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

function createDispatcher(access: ClusterAccess, { tls }: Credentials): Dispatcher {
  const options = access.kubeConfig.createDispatcherOptions(access.kubeConfig.getCurrentCluster(), tls);
  const connect = { keepAlive: true, keepAliveInitialDelay: keepAliveMs, timeout: connectMs };
  switch (options.type) {
    case 'proxy':
      return new ProxyAgent({ ...shared, uri: options.uri, requestTls: withNames(options.requestTls), connect });
    case 'socks':
      return new Socks5ProxyAgent(options.uri, {
        ...shared,
        requestTls: withServerName(options.requestTls, access.server),
      });
    case 'agent':
      return new Agent({ ...shared, connect: { ...withNames(options.connect), ...connect } });
    case 'none':
      return new Agent({ ...shared, connect });
  }
}

/**
 * undici's SOCKS agent gives TLS the target's address for a server name, and TLS does not take an IP address for one:
 * the name that every API server's certificate has goes in its place, and the certificate is held against the address.
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
