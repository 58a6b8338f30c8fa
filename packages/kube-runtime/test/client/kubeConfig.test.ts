import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadKubeConfig } from '../../src/access/kubeConfig.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createKubeClient } from '../../src/client/client.ts';
import { serverCertificate } from '../../testing/faultyServer.ts';
import { misbehavingServer } from '../../testing/misbehavingServer.ts';
import { folder } from '../../testing/temporaryFolder.ts';

interface Parts {
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly current?: string | undefined;
}

function config({
  cluster = { server: 'https://10.0.0.1:6443' },
  user = { token: 't' },
  context = { cluster: 'c', user: 'u' },
  ...rest
}: Parts = {}) {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'one', context }],
    'current-context': 'current' in rest ? rest.current : 'one',
  });
}

/** The error message for this file. */
function sentenceFor(content: string | Buffer, context?: string): string {
  using dir = folder();
  const path = dir.write('config', content);
  const loaded = loadKubeConfig({ kubeconfig: path, context }, {});
  assert(!loaded.ok);
  assert.match(loaded.error.code, /^KUBECONFIG_/);
  assert(loaded.error.message.includes(path), loaded.error.message);
  assert.doesNotMatch(loaded.error.message, /\n/);
  return loaded.error.message;
}

test('errors of a kubeconfig are sentences that name the file and the error', () => {
  assert.match(sentenceFor(''), /is empty\.$/);
  assert.match(sentenceFor('a: [1,\nb: 2'), /is not YAML: .* line \d/);
  assert.match(sentenceFor(Buffer.from([0, 1, 2, 255, 254])), /is not/);
  assert.match(sentenceFor('just a text'), /is not a kubeconfig: expected object/);
  assert.match(sentenceFor('clusters: 7'), /is not a kubeconfig: clusters: expected array/);
  assert.match(sentenceFor(config({ current: undefined })), /names no current-context; it has "one"\.$/);
  assert.match(sentenceFor(config({ current: 'two' })), /has no context "two"; it has "one"\.$/);
  assert.match(sentenceFor(config(), 'three'), /has no context "three"; it has "one"\.$/);
  assert.match(
    sentenceFor(config({ context: { cluster: 'd', user: 'u' } })),
    /context "one" whose cluster "d" it does not define/,
  );
  assert.match(
    sentenceFor(config({ context: { cluster: 'c', user: 'v' } })),
    /context "one" whose user "v" it does not define/,
  );
  for (const server of ['10.0.0.1:6443', 'ftp://a', 'https://', '', 'https://a?b=c']) {
    assert.match(sentenceFor(config({ cluster: { server } })), /is not an address such as https:/, server);
  }
  assert.match(
    sentenceFor(config({ cluster: { server: 'https://a', 'certificate-authority': 'no.crt' } })),
    /the certificate-authority \/.*no\.crt does not exist/,
  );
  assert.match(
    sentenceFor(config({ cluster: { server: 'https://a', 'certificate-authority-data': 'bm9wZQ==' } })),
    /certificate authority is not PEM/,
  );
  assert.match(
    sentenceFor(config({ user: { 'client-certificate': 'a.crt', 'client-key': 'a.key' } })),
    /the client-certificate \/.*a\.crt does not exist/,
  );
  assert.match(
    sentenceFor(config({ user: { 'client-certificate-data': serverCertificate.toString('base64') } })),
    /a client certificate without a key/,
  );
  assert.match(
    sentenceFor(config({ user: { 'client-certificate-data': 'YQ==', 'client-key-data': 'YQ==' } })),
    /client certificate and key cannot be used/,
  );
  assert.match(sentenceFor(config({ user: { tokenFile: 'token' } })), /the tokenFile \/.*token does not exist/);
  assert.match(
    sentenceFor(config({ user: { exec: { command: 'x', interactiveMode: 'Always' } } })),
    /and there is none/,
  );
  assert.match(
    sentenceFor(config({ cluster: { server: 'https://a', 'proxy-url': 'gopher://b' } })),
    /the proxy-url is not an http, https or socks5 address/,
  );
});

test('a kubeconfig that is missing, a folder or not readable is named', () => {
  using dir = folder();
  const missing = loadKubeConfig({ kubeconfig: join(dir.path, 'nope') }, {});
  assert(!missing.ok && missing.error.code === 'KUBECONFIG_NOT_FOUND');
  assert.match(missing.error.message, /nope does not exist\.$/);
  const isFolder = loadKubeConfig({ kubeconfig: dir.path }, {});
  assert(!isFolder.ok);
  assert.match(isFolder.error.message, /is a folder\.$/);
  if (process.getuid?.() === 0) return;
  const locked = dir.write('locked', config());
  chmodSync(locked, 0);
  const unreadable = loadKubeConfig({ kubeconfig: locked }, {});
  assert(!unreadable.ok);
  assert.match(unreadable.error.message, /may not be read/);
});

test('the flag comes before $KUBECONFIG, that before the service account, and the home folder last', () => {
  using dir = folder();
  const flag = dir.write('flag', config({ cluster: { server: 'https://flag' } }));
  const listed = dir.write('listed', config({ cluster: { server: 'https://env' } }));
  dir.write('home/.kube/config', config({ cluster: { server: 'https://home' } }));
  dir.write('pod/token', 'pod-token');
  dir.write('pod/namespace', 'garden\n');
  dir.write('pod/ca.crt', serverCertificate);
  const inPod = { HOME: join(dir.path, 'home'), KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '8443' };
  const serverOf = (flags: Parameters<typeof loadKubeConfig>[0], env: Record<string, string>) => {
    const loaded = loadKubeConfig(flags, env, join(dir.path, 'pod'));
    return loaded.ok ? loaded.value.server : loaded.error.message;
  };
  assert.equal(serverOf({ kubeconfig: flag }, { ...inPod, KUBECONFIG: listed }), 'https://flag');
  assert.equal(serverOf({}, { ...inPod, KUBECONFIG: listed }), 'https://env');
  assert.equal(serverOf({}, inPod), 'https://[fd00::1]:8443');
  assert.equal(serverOf({ context: 'one' }, inPod), 'https://home');
  assert.equal(serverOf({}, { HOME: inPod.HOME }), 'https://home');
  const pod = loadKubeConfig({}, inPod, join(dir.path, 'pod'));
  assert(pod.ok);
  assert.equal(pod.value.namespace, 'garden');
});

test('without any configuration the error lists every place that was searched', () => {
  const nothing = loadKubeConfig({}, { HOME: '/nonexistent' });
  assert(!nothing.ok);
  assert.equal(
    nothing.error.message,
    'No cluster was found: no --kubeconfig, no $KUBECONFIG, not in a pod ($KUBERNETES_SERVICE_HOST is not set), no /nonexistent/.kube/config.',
  );
  const bare = loadKubeConfig({}, { KUBERNETES_SERVICE_HOST: 'a' }, '/nonexistent');
  assert(!bare.ok);
  assert.match(bare.error.message, /automountServiceAccountToken/);
  const listed = loadKubeConfig({}, { KUBECONFIG: '/nonexistent/a:/nonexistent/b' });
  assert(!listed.ok);
  assert.match(listed.error.message, /\$KUBECONFIG names \/nonexistent\/a and \/nonexistent\/b/);
});

test('files of $KUBECONFIG are merged, the first to name something wins, and paths are relative to their file', async () => {
  using dir = folder();
  await using server = await misbehavingServer('https');
  dir.write('second/ca.crt', serverCertificate);
  dir.write('second/secret', 'from-file\n');
  const first = dir.write(
    'first/config',
    JSON.stringify({
      contexts: [{ name: 'mixed', context: { cluster: 'k', user: 'w', namespace: 'n' } }],
      'current-context': 'mixed',
      clusters: null,
    }),
  );
  const second = dir.write(
    'second/config',
    JSON.stringify({
      clusters: [{ name: 'k', cluster: { server: `${server.url}/`, 'certificate-authority': 'ca.crt' } }],
      users: [{ name: 'w', user: { tokenFile: 'secret' } }],
      contexts: [{ name: 'mixed', context: { cluster: 'none' } }],
      'current-context': 'other',
    }),
  );
  const loaded = loadKubeConfig({}, { KUBECONFIG: `${first}:/nonexistent:${second}` });
  assert(loaded.ok, JSON.stringify(loaded));
  assert.equal(loaded.value.server, server.url);
  assert.equal(loaded.value.namespace, 'n');
  const client = createKubeClient({ userAgent: 'weeder/test', access: loaded.value, clock: systemClock });
  const result = await client.call({ method: 'GET', path: '/api/v1/pods' });
  assert(result.ok);
  assert.equal(server.requests[0]?.headers['authorization'], 'Bearer from-file');
  await client.close();
});

test('a context without a user, plain http and a server whose certificate is not to be verified work', async () => {
  for (const protocol of ['http', 'h2'] as const) {
    using dir = folder();
    await using server = await misbehavingServer(protocol);
    const cluster = { server: server.url, ...(protocol === 'h2' ? { 'insecure-skip-tls-verify': true } : {}) };
    const loaded = loadKubeConfig(
      { kubeconfig: dir.write('config', config({ cluster, context: { cluster: 'c' } })) },
      {},
    );
    assert(loaded.ok);
    const client = createKubeClient({ userAgent: 'weeder/test', access: loaded.value, clock: systemClock });
    assert((await client.call({ method: 'GET', path: '/api/v1/pods' })).ok);
    assert.equal(server.requests[0]?.headers['authorization'], undefined);
    await client.close();
  }
});

test('deep unknown fields are an error and an unpaired surrogate in a name is replaced, and neither throws', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 300; level += 1) deep = [deep];
  assert.match(sentenceFor(config({ user: { token: 't', deep } })), /the cluster or the user is invalid: .+\.$/);
  using dir = folder();
  const path = dir.write('config', config({ user: { token: 't', 'as-user-extra': { '\ud800': ['v'] } } }));
  const loaded = loadKubeConfig({ kubeconfig: path }, {});
  assert.ok(loaded.ok && Object.hasOwn(loaded.value.impersonation, 'impersonate-extra-%EF%BF%BD'));
});

test("a missing name is reported in weeder's own error format", () => {
  assert.match(
    sentenceFor('clusters: [{cluster: {}}]'),
    /is not a kubeconfig: clusters\.0\.name: expected string, found nothing\.$/,
  );
});
