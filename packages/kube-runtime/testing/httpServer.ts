import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { constants, createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { Server } from 'node:net';

export type Protocol = 'http' | 'https' | 'h2';

/** The response to a request, the same over both versions of HTTP. */
export interface ServerAnswer {
  head(status: number, headers?: Readonly<Record<string, string>>): void;
  write(bytes: string | Buffer): void;
  end(bytes?: string | Buffer): void;
  /** Breaks off the stream over HTTP/2, or the connection over HTTP/1.1. */
  cut(): void;
  onClose(listener: () => void): void;
}

const tlsFolder = new URL('./tls/', import.meta.url);
export const serverCertificate = readFileSync(new URL('server.crt', tlsFolder));
const serverKey = readFileSync(new URL('server.key', tlsFolder));

/** Creates a server of this version of HTTP, which does not listen yet. */
export function createServer(
  protocol: Protocol,
  onRequest: (request: IncomingMessage | Http2ServerRequest, answer: ServerResponse | Http2ServerResponse) => void,
): Server {
  const tls = { key: serverKey, cert: serverCertificate };
  // An API server closes idle connections after minutes; Node's 5 s can be over while a busy machine is still in a
  // handshake.
  const options = { keepAliveTimeout: 120_000 };
  if (protocol === 'http') return createHttpServer(options, onRequest);
  if (protocol === 'https') return createHttpsServer({ ...tls, ...options }, onRequest);
  // A response of 50 MB waits in the session, which by default refuses other streams beyond 10.
  const server = createSecureServer({ ...tls, allowHTTP1: false, maxSessionMemory: 1_000 }, onRequest);
  server.on('sessionError', () => undefined);
  return server;
}

/** Listens on `port`, or on a free port if it is 0. Returns the port. */
export async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the test server got no port');
  return address.port;
}

export function answerOver(raw: ServerResponse | Http2ServerResponse): ServerAnswer {
  raw.on('error', () => undefined);
  return {
    head(status, headers) {
      raw.statusCode = status;
      for (const [name, value] of Object.entries({ 'content-type': 'application/json', ...headers }))
        raw.setHeader(name, value);
      if ('stream' in raw) raw.writeHead(status);
      else raw.flushHeaders();
    },
    write(bytes) {
      if (raw.writableEnded || raw.destroyed) return;
      if ('stream' in raw) raw.write(bytes);
      else raw.write(bytes);
    },
    end(bytes = '') {
      if (!raw.writableEnded) raw.end(bytes);
    },
    cut() {
      if ('stream' in raw) raw.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      else raw.socket?.destroy();
    },
    onClose: (listener) => void raw.on('close', listener),
  };
}

export async function readBody(raw: IncomingMessage | Http2ServerRequest): Promise<string> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of raw) pieces.push(Buffer.from(piece));
  } catch {
    // The client has cancelled the request.
  }
  return Buffer.concat(pieces).toString('utf8');
}
