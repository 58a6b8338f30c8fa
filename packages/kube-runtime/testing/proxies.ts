import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { listen } from './httpServer.ts';

export interface Proxy extends AsyncDisposable {
  readonly port: number;
  /** The addresses that clients sent with CONNECT. */
  readonly targets: readonly string[];
}

async function listening(server: Server, targets: readonly string[]): Promise<Proxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  return {
    port: await listen(server),
    targets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function join(client: Socket, host: string, port: number, onConnected: () => void): void {
  const upstream = connect(port, host, () => {
    onConnected();
    upstream.pipe(client).pipe(upstream);
  });
  upstream.on('error', () => client.destroy());
  client.on('error', () => upstream.destroy());
}

/** A proxy that supports CONNECT, and forwards plain HTTP requests. All names are those of this machine. */
export function httpProxy(): Promise<Proxy> {
  const targets: string[] = [];
  const server = createServer((request, answer) => {
    const url = new URL(request.url ?? '');
    targets.push(url.host);
    const upstream = httpRequest(
      {
        host: '127.0.0.1',
        port: url.port,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: request.headers,
      },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    request.pipe(upstream);
  });
  server.on('connect', (request, client: Socket) => {
    targets.push(request.url ?? '');
    const port = Number(new URL(`http://${request.url}`).port);
    join(client, '127.0.0.1', port, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
  });
  return listening(server, targets);
}

/** A proxy that supports the necessary part of SOCKS 5: no authentication, IPv4. */
export function socksProxy(): Promise<Proxy> {
  const targets: string[] = [];
  const server = createTcpServer((client) => {
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (bytes) => {
        const request = Buffer.from(bytes);
        const host = request.subarray(4, 8).join('.');
        const port = request.readUInt16BE(8);
        targets.push(`${host}:${port}`);
        join(client, '127.0.0.1', port, () => client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])));
      });
    });
  });
  return listening(server, targets);
}
