import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { failed, messageOf, ok, type Result } from '@weeder/kube-runtime/base';
import { codedError } from './errors.ts';

/**
 * The address of a server, written as `:9644`, `127.0.0.1:9644` or `[::1]:9644`. Without a host it listens on every
 * address.
 */
export interface BindAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** Parses a bind address; `0` and the empty text disable the server. The error is a clause. */
export function parseBindAddress(text: string): Result<BindAddress | 'none', string> {
  if (text === '' || text === '0') return ok('none');
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    return failed(`found "${text}", expected an address such as :9644 or 127.0.0.1:9644`);
  const host = match[1] ?? match[2];
  return ok({ host: host === '' ? undefined : host, port });
}

/** A server that is listening. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** A certificate and its key, in PEM. */
export interface TlsFiles {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** The certificate of a server, which may be renewed while the server runs. */
export interface Certificate {
  readonly current: TlsFiles;
  /** Calls `use` with each later one. Returns the function that ends this. */
  follow(use: (next: TlsFiles) => void): () => void;
}

export interface ListenOptions {
  /** The flag that set the address: it is named in the error if the port is in use. */
  readonly flag: string;
  readonly address: BindAddress;
  readonly listener: RequestListener;
  /** The server uses TLS if there is one. */
  readonly certificate?: Certificate | undefined;
  /**
   * A connection cannot be accepted, for example because the process has too many open files. Called once until a
   * connection is accepted again, because the system repeats the error without a pause.
   */
  readonly onRefused: (error: Error) => void;
}

/** Starts a server. An error of one connection does not end it. */
export function listen(options: ListenOptions): Promise<Result<Listening>> {
  const { flag, address, listener, certificate, onRefused } = options;
  const limits = { requestTimeout: 10_000, headersTimeout: 10_000 };
  const secure = certificate && createTlsServer({ ...limits, ...certificate.current }, listener);
  const server = secure ?? createServer(limits, listener);
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve(failed(cannotListen(flag, address, error)));
    server.once('error', fail);
    server.listen({ port: address.port, ...(address.host === undefined ? {} : { host: address.host }) }, () => {
      server.off('error', fail);
      reportRefused(server, onRefused);
      const stop = certificate?.follow((next) => secure?.setSecureContext(next));
      const close = () => {
        stop?.();
        return closeServer(server);
      };
      resolve(ok({ port: portOf(server), close }));
    });
  });
}

/** Without a listener, the error of one connection would end the process. */
function reportRefused(server: Server, onRefused: (error: Error) => void): void {
  let isRefusing = false;
  server.on('connection', () => {
    isRefusing = false;
  });
  server.on('error', (error) => {
    if (!isRefusing) onRefused(error);
    isRefusing = true;
  });
}

function cannotListen(flag: string, { host, port }: BindAddress, error: Error) {
  const code = 'code' in error ? error.code : undefined;
  const where = `${host ?? ''}:${port}`;
  const why =
    code === 'EADDRINUSE'
      ? 'another process listens there already'
      : code === 'EACCES'
        ? 'this user may not use that port'
        : messageOf(error);
  return codedError('ADDRESS_UNAVAILABLE', `Cannot listen on ${where} (${flag}): ${why}.`);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
