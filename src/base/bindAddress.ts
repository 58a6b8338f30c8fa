import { createServer, type RequestListener, type Server } from 'node:http';
import { failed, messageOf, ok, problem, type Result } from './errors.ts';

/** Where a server listens, as `:9644`, `127.0.0.1:9644` or `[::1]:9644` say it. Without a host: on every address. */
export interface BindAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** Reads a bind address; `0` and the empty text mean: do not listen. Fails with half a sentence. */
export function parseBindAddress(text: string): Result<BindAddress | 'none', string> {
  if (text === '' || text === '0') return ok('none');
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(found?.[3]);
  if (found === null || port > 65_535)
    return failed(`found "${text}", wanted an address such as :9644 or 127.0.0.1:9644`);
  const host = found[1] ?? found[2];
  return ok({ host: host === '' ? undefined : host, port });
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a server. `flag` is the one that the address came from: a port in use is told with its name. */
export function listen(flag: string, address: BindAddress, listener: RequestListener): Promise<Result<Listening>> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, listener);
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(failed(cannotListen(flag, address, error))));
    server.listen({ port: address.port, ...(address.host === undefined ? {} : { host: address.host }) }, () => {
      resolve(ok({ port: portOf(server), close: () => closeServer(server) }));
    });
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
  return problem('ADDRESS_UNAVAILABLE', `Cannot listen on ${where} (${flag}): ${why}.`);
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
