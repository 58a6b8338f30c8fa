import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverAccess } from '../../src/access/clusterAccess.ts';
import { loadKubeConfig } from '../../src/access/kubeConfig.ts';
import { folder } from '../../testing/temporaryFolder.ts';

const secret = 'S3CRET';

function kubeconfig(cluster: object): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: secret } }],
    contexts: [{ name: 'one', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'one',
  });
}

function problemOf(content: string, env: Readonly<Record<string, string>> = {}): string {
  using dir = folder();
  const loaded = loadKubeConfig({ kubeconfig: dir.write('config', content) }, env);
  return loaded.ok ? assert.fail('no error') : loaded.error.message;
}

test('an address that is refused is named and not quoted, because it may have a password', () => {
  const server = 'https://api.test';
  const proxies = [`http://user:${secret}#pw@proxy`, `ftp://user:${secret}@proxy`, `http://user:12#${secret}@proxy`];
  for (const proxy of proxies) {
    for (const [message, name] of [
      [problemOf(kubeconfig({ server, 'proxy-url': proxy })), 'proxy-url'],
      [problemOf(kubeconfig({ server }), { HTTPS_PROXY: proxy }), '$HTTPS_PROXY'],
    ] as const) {
      assert.doesNotMatch(message, /S3CRET/);
      assert.ok(message.includes(`the ${name} `), message);
    }
    const access = serverAccess({ name: 'ops', origin: server, env: { HTTPS_PROXY: proxy } });
    assert.doesNotMatch(access.ok ? assert.fail('no error') : access.error, /S3CRET/);
  }
  const message = problemOf(kubeconfig({ server: `https://user:${secret}#@api.test` }));
  assert.doesNotMatch(message, /S3CRET/);
  assert.match(message, /the server is not an address such as https:/);
});

test('a proxy with an encoded password is accepted', () => {
  for (const proxy of ['http://user:S3CRET%23pw@proxy:3128', 'socks5://user:pw@proxy', 'proxy:3128', 'http://proxy/']) {
    const access = serverAccess({ name: 'ops', origin: 'https://a.test', env: { HTTPS_PROXY: proxy } });
    assert.ok(access.ok, proxy);
  }
});

test('nothing is quoted of a file that is not YAML, but where its error is', () => {
  for (const content of [
    `users: [{user: {token: *${secret}}}]`,
    `users: {token: "\\q${secret}"}`,
    `token: a: ${secret}`,
    `users:\n  - token: ${secret}\n bad: {`,
    `a: @${secret}`,
    `!${secret} a: b: c`,
  ]) {
    const message = problemOf(content);
    assert.match(message, /is not (YAML|a kubeconfig)/, content);
    assert.doesNotMatch(message, /S3CRET/, content);
  }
  assert.match(problemOf('a: b: c'), /is not YAML: Nested mappings .* at line 1, column 4\.$/);
});
