import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterAccess } from '../../src/access/clusterAccess.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createKubeClient } from '../../src/client/client.ts';
import { type Protocol, serverCertificate } from '../../testing/faultyServer.ts';
import { misbehavingServer } from '../../testing/misbehavingServer.ts';
import { httpProxy, socksProxy } from '../../testing/proxies.ts';

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
    test(`a cluster with ${protocol} is reached through its ${scheme} proxy-url`, async () => {
      await using proxy = await start();
      await using server = await misbehavingServer(protocol);
      const access = accessThrough(`${scheme}://127.0.0.1:${proxy.port}`, server.url);
      const client = createKubeClient({ userAgent: 'weeder/test', access, clock: systemClock });
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
  const client = createKubeClient({ userAgent: 'weeder/test', access, clock: systemClock });
  const result = await client.call({ method: 'GET', path: '/api/v1/pods' });
  assert(!result.ok);
  assert.match(result.failure.message, /^the server is not trusted: .*ERR_TLS_CERT_ALTNAME_INVALID/);
  assert.equal(server.requests.length, 0);
  await client.close();
});
