import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { clusterAccess } from '../../src/kube/clusterAccess.ts';
import { type Protocol, serverCertificate } from '../support/faultyServer.ts';
import { misbehavingServer } from '../support/misbehavingServer.ts';

interface Proxy extends AsyncDisposable {
  readonly port: number;
  /** Where it was asked to connect to. */
  readonly targets: readonly string[];
}

async function listening(server: Server, targets: readonly string[]): Promise<Proxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(address !== null && typeof address === 'object');
  return {
    port: address.port,
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

/** Speaks CONNECT, and passes on what is asked for in the clear. */
function httpProxy(): Promise<Proxy> {
  const targets: string[] = [];
  const server = createServer((request, answer) => {
    const url = new URL(request.url ?? '');
    targets.push(url.host);
    const upstream = httpRequest(url, { method: request.method, headers: request.headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    request.pipe(upstream);
  });
  server.on('connect', (request, client: Socket) => {
    targets.push(request.url ?? '');
    const [host = '', port = ''] = (request.url ?? '').split(':');
    join(client, host, Number(port), () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
  });
  return listening(server, targets);
}

/** Speaks as much SOCKS 5 as is needed: no authentication, IPv4. */
function socksProxy(): Promise<Proxy> {
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

function accessThrough(proxyUrl: string, server: string) {
  const access = clusterAccess({
    source: 'the test',
    context: 'test',
    namespace: undefined,
    cluster: {
      server,
      'certificate-authority-data': serverCertificate.toString('base64'),
      'proxy-url': proxyUrl,
    },
    user: { token: 'secret' },
  });
  assert(access.ok);
  return access.value;
}

for (const [scheme, start] of [
  ['http', httpProxy],
  ['socks5', socksProxy],
] as const) {
  // undici's SOCKS agent does not offer HTTP/2.
  const protocols: readonly Protocol[] = scheme === 'socks5' ? ['http', 'https'] : ['http', 'https', 'h2'];
  for (const protocol of protocols) {
    test(`a cluster that speaks ${protocol} is reached through its ${scheme} proxy-url`, async () => {
      await using proxy = await start();
      await using server = await misbehavingServer(protocol);
      const access = accessThrough(`${scheme}://127.0.0.1:${proxy.port}`, server.url);
      const client = createKubeClient({ access, clock: systemClock });
      const result = await client.call({ method: 'GET', path: '/api/v1/pods' });
      assert(result.ok, JSON.stringify(result));
      assert.deepEqual(proxy.targets, [new URL(server.url).host]);
      assert.equal(server.requests[0]?.headers['authorization'], 'Bearer secret');
      await client.close();
    });
  }
}

test('a certificate for another address is not trusted through a proxy either', async () => {
  await using proxy = await socksProxy();
  await using server = await misbehavingServer('https');
  const access = accessThrough(`socks5://127.0.0.1:${proxy.port}`, server.url.replace('127.0.0.1', '127.0.0.2'));
  const client = createKubeClient({ access, clock: systemClock });
  const result = await client.call({ method: 'GET', path: '/api/v1/pods' });
  assert(!result.ok);
  assert.match(result.failure.message, /^no trust between us and the server: .*ERR_TLS_CERT_ALTNAME_INVALID/);
  assert.equal(server.requests.length, 0);
  await client.close();
});
