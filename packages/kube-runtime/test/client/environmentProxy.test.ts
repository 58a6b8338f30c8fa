import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentProxy } from '../../src/access/environmentProxy.ts';
import { loadKubeConfig } from '../../src/access/kubeConfig.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createKubeClient } from '../../src/client/client.ts';
import { serverCertificate } from '../../testing/faultyServer.ts';
import { misbehavingServer } from '../../testing/misbehavingServer.ts';
import { httpProxy } from '../../testing/proxies.ts';
import { folder } from '../../testing/temporaryFolder.ts';

function kubeconfig(server: string, proxyUrl?: string): string {
  const cluster = {
    server,
    'certificate-authority-data': serverCertificate.toString('base64'),
    'tls-server-name': 'localhost',
    'proxy-url': proxyUrl,
  };
  return JSON.stringify({
    clusters: [{ name: 'here', cluster }],
    users: [{ name: 'me', user: { token: 'secret' } }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
    'current-context': 'here',
  });
}

for (const protocol of ['http', 'https', 'h2'] as const) {
  test(`a server with ${protocol} is reached through the proxy of the environment`, async () => {
    await using proxy = await httpProxy();
    await using server = await misbehavingServer(protocol);
    const url = server.url.replace('127.0.0.1', 'api.cluster.test');
    using dir = folder();
    const env = { [protocol === 'http' ? 'http_proxy' : 'HTTPS_PROXY']: `127.0.0.1:${proxy.port}` };
    const access = loadKubeConfig({ kubeconfig: dir.write('config', kubeconfig(url)) }, env);
    assert(access.ok);
    const client = createKubeClient({ userAgent: 'weeder/test', access: access.value, clock: systemClock });
    const result = await client.call({ method: 'GET', path: '/api/v1/pods' });
    assert(result.ok, JSON.stringify(result));
    assert.deepEqual(proxy.targets, [new URL(url).host]);
    assert.equal(server.requests[0]?.headers['authorization'], 'Bearer secret');
    await client.close();
  });
}

/** The proxy of the access to a server. */
function proxyOf(server: string, env: Readonly<Record<string, string>>, proxyUrl?: string): string | undefined {
  using dir = folder();
  const access = loadKubeConfig({ kubeconfig: dir.write('config', kubeconfig(server, proxyUrl)) }, env);
  assert(access.ok);
  return access.value.kubeConfig.getCurrentCluster()?.proxyUrl;
}

test('the proxy-url of the kubeconfig takes precedence over the environment', () => {
  const env = { HTTPS_PROXY: 'http://proxy:3128' };
  assert.equal(proxyOf('https://api.test', env), 'http://proxy:3128');
  assert.equal(proxyOf('https://api.test', env, 'socks5://own:1080'), 'socks5://own:1080');
});

test('the environment also counts for the service account of a pod, as in client-go', () => {
  using dir = folder();
  dir.write('token', 'secret');
  dir.write('ca.crt', serverCertificate);
  const proxyInPod = (env: Readonly<Record<string, string>>) => {
    const access = loadKubeConfig({}, { KUBERNETES_SERVICE_HOST: '10.96.0.1', ...env }, dir.path);
    assert(access.ok);
    return access.value.kubeConfig.getCurrentCluster()?.proxyUrl;
  };
  assert.equal(proxyInPod({ HTTPS_PROXY: 'http://proxy:3128' }), 'http://proxy:3128');
  assert.equal(proxyInPod({ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '10.96.0.0/12' }), undefined);
});

test('an invalid proxy of the environment is refused in a sentence that names the variable', () => {
  using dir = folder();
  const path = dir.write('config', kubeconfig('https://api.test'));
  const access = loadKubeConfig({ kubeconfig: path }, { https_proxy: 'gopher://b' });
  assert(!access.ok);
  assert.match(access.error.message, /: the \$https_proxy is not an http, https or socks5 address;/);
});

test('HTTPS_PROXY is for https, HTTP_PROXY for http, and upper case comes first', () => {
  const env = { HTTPS_PROXY: 'http://a', https_proxy: 'http://b', http_proxy: 'c:3128' };
  assert.equal(environmentProxy(new URL('https://api.test'), env)?.url, 'http://a');
  assert.equal(environmentProxy(new URL('http://api.test'), env)?.url, 'http://c:3128');
  assert.equal(environmentProxy(new URL('https://api.test'), { HTTP_PROXY: 'http://d' }), undefined);
});

// As in the tests of golang.org/x/net/http/httpproxy.
for (const [noProxy, server, hasProxy] of [
  ['', 'https://api.test', true],
  ['', 'https://localhost:6443', false],
  ['', 'https://127.0.0.53', false],
  ['', 'https://[::1]:6443', false],
  ['*', 'https://api.test', false],
  ['example.com', 'https://example.com', false],
  ['example.com', 'https://api.example.com', false],
  ['example.com', 'https://badexample.com', true],
  ['.example.com', 'https://api.example.com', false],
  ['.example.com', 'https://example.com', true],
  ['*.example.com', 'https://api.example.com', false],
  ['*.example.com', 'https://example.com', true],
  ['other.test, Example.COM', 'https://example.com', false],
  ['example.com:6443', 'https://example.com:6443', false],
  ['example.com:443', 'https://example.com', false],
  ['example.com:6443', 'https://example.com', true],
  ['10.96.0.1', 'https://10.96.0.1', false],
  ['10.96.0.1:443', 'https://10.96.0.1', false],
  ['10.96.0.0/12', 'https://10.100.0.1', false],
  ['10.96.0.0/12', 'https://10.112.0.1', true],
  ['10.96.0.0/33', 'https://10.96.0.1', true],
  ['fd00::/8', 'https://[fd00::1]:6443', false],
  ['[fd00::1]:6443', 'https://[fd00::1]:6443', false],
  ['fd00::1', 'https://[fd00::2]', true],
  [',', 'https://api.test', true],
] as const) {
  test(`NO_PROXY="${noProxy}": ${server} has ${hasProxy ? 'a' : 'no'} proxy`, () => {
    const env = { HTTPS_PROXY: 'http://proxy:3128', no_proxy: noProxy };
    assert.equal(environmentProxy(new URL(server), env) !== undefined, hasProxy);
  });
}
