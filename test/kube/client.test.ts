import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Clock } from '../../src/clock.ts';
import { systemClock } from '../../src/clock.ts';
import { createKubeClient, type KubeClient, type RequestFact } from '../../src/kube/client.ts';
import { describeFailure } from '../../src/kube/describeFailure.ts';
import {
  answerWith,
  type MisbehavingServer,
  misbehavingServer,
  type Protocol,
  statusBody,
} from '../support/misbehavingServer.ts';
import { accessTo } from '../support/reflecting.ts';
import { until } from '../support/until.ts';
import { virtualClock } from '../support/virtualClock.ts';

interface Setup extends AsyncDisposable {
  readonly server: MisbehavingServer;
  readonly client: KubeClient;
  readonly facts: readonly RequestFact[];
  /** A folder of its own. */
  readonly folder: string;
}

async function setup(
  protocol: Protocol,
  {
    clock = systemClock,
    user = (_folder: string): Readonly<Record<string, unknown>> => ({ token: 'secret' }),
    path = '',
  }: {
    readonly clock?: Clock;
    readonly user?: (folder: string) => Readonly<Record<string, unknown>>;
    readonly path?: string;
  } = {},
): Promise<Setup> {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-client-'));
  const server = await misbehavingServer(protocol);
  const facts: RequestFact[] = [];
  const access = accessTo(server.url + path, user(folder));
  const client = createKubeClient({ access, clock, onRequest: (fact) => facts.push(fact) });
  return {
    server,
    client,
    facts,
    folder,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const get = { method: 'GET', path: '/api/v1/pods' } as const;

for (const protocol of ['http', 'https', 'h2'] as const) {
  test(`over ${protocol}, a hundred calls at once share the connections`, async () => {
    await using it = await setup(protocol);
    const results = await Promise.all(Array.from({ length: 100 }, () => it.client.call(get)));
    assert(results.every(({ ok }) => ok));
    if (protocol === 'h2') assert.equal(it.server.connections, 1);
    const opened = it.server.connections;
    await Promise.all(Array.from({ length: 50 }, () => it.client.call(get)));
    assert.equal(it.server.connections, opened);
    assert.equal(it.facts.length, 150);
    assert.equal(it.facts[0]?.outcome, 200);
  });

  test(`over ${protocol}, a call that gets no answer ends in time, and the next one uses a new connection`, async () => {
    const clock = virtualClock();
    await using it = await setup(protocol, { clock });
    await it.client.call(get);
    // Over HTTP/1.1 the connection is free again a moment after the answer.
    await new Promise(setImmediate);
    const opened = it.server.connections;
    it.server.freeze();
    const pending = Promise.all([
      it.client.call(get),
      it.client.call({ ...get, timeoutMs: 3_000 }),
      it.client.call(get),
    ]);
    let isDone = false;
    void pending.then(() => {
      isDone = true;
    });
    await until('the calls ended', () => isDone, clock, 100);
    const kinds = (await pending).map((result) => (result.ok ? 'ok' : result.failure.kind));
    const expected = protocol === 'h2' ? ['network', 'timeout'] : ['ok', 'timeout'];
    assert.deepEqual([...new Set(kinds)].sort(), expected);
    assert(clock.monotonic() <= 11_000, `${clock.monotonic()} ms`);
    const next = await it.client.call(get);
    assert(next.ok);
    assert(it.server.connections > opened);
    await until('the dead connections are closed', () => it.server.openConnections <= 3);
  });
}

test('a body is sent as JSON with its type, and an empty answer has no body', async () => {
  await using it = await setup('http');
  it.server.failNext(answerWith(201, ''));
  const result = await it.client.call({
    method: 'PATCH',
    path: '/api/v1/namespaces/a/pods/b',
    query: { dryRun: 'All', force: true, empty: undefined },
    body: { metadata: { labels: { é: '1' } } },
    contentType: 'application/merge-patch+json',
  });
  assert.deepEqual(result, { ok: true, status: 201, body: undefined });
  const [request] = it.server.requests;
  assert.equal(request?.headers['content-type'], 'application/merge-patch+json');
  assert.equal(request?.query.toString(), 'dryRun=All&force=true');
  assert.deepEqual(JSON.parse(request?.body ?? ''), { metadata: { labels: { é: '1' } } });
});

test('a server with a path in its address is asked under that path', async () => {
  await using it = await setup('http', { path: '/k8s/clusters/c-1/' });
  await it.client.call(get);
  assert.equal(it.server.requests[0]?.path, '/k8s/clusters/c-1/api/v1/pods');
});

test('a slow server keeps its connection when other answers come', async () => {
  const clock = virtualClock();
  await using it = await setup('h2', { clock });
  await it.client.call(get);
  it.server.failNext(() => undefined);
  let failure: string | undefined;
  void it.client.call({ ...get, timeoutMs: 5_000 }).then((result) => {
    failure = result.ok ? 'ok' : result.failure.kind;
  });
  await until('the slow request arrived', () => it.server.requests.length === 2);
  clock.advance(3_000);
  assert((await it.client.call(get)).ok);
  clock.advance(2_000);
  await until('the slow request was given up', () => failure !== undefined);
  assert.equal(failure, 'timeout');
  assert((await it.client.call(get)).ok);
  assert.equal(it.server.connections, 1);
});

test('a signal ends a call, whether it waits or runs', async () => {
  await using it = await setup('h2');
  const aborted = await it.client.call({ ...get, signal: AbortSignal.abort() });
  assert.equal(aborted.ok ? '' : aborted.failure.kind, 'cancelled');
  it.server.failNext(() => undefined);
  const stop = new AbortController();
  const running = it.client.call({ ...get, signal: stop.signal });
  await until('it arrived', () => it.server.requests.length === 1);
  stop.abort();
  const result = await running;
  assert.equal(result.ok ? '' : result.failure.kind, 'cancelled');
});

test('after close every call and every stream ends', async () => {
  await using it = await setup('h2');
  it.server.failAll(() => undefined);
  const running = it.client.call(get);
  await until('it arrived', () => it.server.requests.length === 1);
  await it.client.close();
  const result = await running;
  assert.equal(result.ok ? '' : result.failure.kind, 'cancelled');
  const later = await it.client.call(get);
  assert.equal(later.ok ? '' : later.failure.kind, 'cancelled');
});

test('an answer that breaks off in its body is a network failure', async () => {
  await using it = await setup('https');
  it.server.failNext((answer) => {
    answer.head(200);
    answer.write('{"kind":');
    setTimeout(() => answer.cut(), 20);
  });
  const result = await it.client.call(get);
  assert.equal(result.ok ? '' : result.failure.kind, 'network');
});

test('an answer that stops in its body is a timeout', async () => {
  const clock = virtualClock();
  await using it = await setup('h2', { clock });
  it.server.failNext((answer) => {
    answer.head(200);
    answer.write('{"kind":');
  });
  let kind: string | undefined;
  void it.client.call(get).then((result) => {
    kind = result.ok ? 'ok' : result.failure.kind;
  });
  await until('it was given up', () => kind !== undefined, clock, 100);
  assert.equal(kind, 'timeout');
});

test('HTML, half JSON and a wrong type are bad answers, with a sentence that asks the right question', async () => {
  await using it = await setup('http');
  for (const body of ['<!doctype html><title>Sign in</title>', '{"kind":"Pod', 'hello']) {
    it.server.failNext(answerWith(200, body));
    const result = await it.client.call(get);
    assert(!result.ok);
    assert.equal(result.failure.kind, 'badAnswer');
    assert.match(describeFailure(result.failure, it.client.server), /Is this address a Kubernetes API server\?$/);
  }
});

test('nobody at the address, a name that does not exist and an authority that is not trusted are named', async () => {
  const server = await misbehavingServer('https');
  await server.close();
  const refused = createKubeClient({ access: accessTo(server.url), clock: systemClock });
  const nobody = await refused.call(get);
  assert(!nobody.ok);
  assert.match(describeFailure(nobody.failure, refused.server), /cannot be reached: nothing listens there/);
  await refused.close();

  await using it = await setup('https', { user: () => ({ token: 'secret' }) });
  const access = accessTo(it.server.url);
  const stranger = createKubeClient({
    access: { ...access, kubeConfig: withoutAuthority(access.kubeConfig) },
    clock: systemClock,
  });
  const untrusted = await stranger.call(get);
  assert(!untrusted.ok);
  assert.match(untrusted.failure.message, /no trust between us and the server/);
  await stranger.close();
});

function withoutAuthority(kubeConfig: ReturnType<typeof accessTo>['kubeConfig']) {
  for (const cluster of kubeConfig.clusters) Object.assign(cluster, { caData: undefined });
  return kubeConfig;
}

test('a token file is read again at once after a 401, and by itself after a while', async () => {
  const clock = virtualClock();
  await using it = await setup('http', {
    clock,
    user: (folder) => {
      writeFileSync(join(folder, 'token'), 'first\n');
      return { tokenFile: join(folder, 'token'), token: 'never' };
    },
  });
  const sent = () => it.server.requests.at(-1)?.headers['authorization'];
  await it.client.call(get);
  assert.equal(sent(), 'Bearer first');
  writeFileSync(join(it.folder, 'token'), 'second\n');
  await it.client.call(get);
  assert.equal(sent(), 'Bearer first');
  it.server.failNext(answerWith(401, statusBody(401, 'Unauthorized', 'Unauthorized')));
  const refused = await it.client.call(get);
  assert.equal(refused.ok ? '' : refused.failure.kind, 'unauthorized');
  await it.client.call(get);
  assert.equal(sent(), 'Bearer second');
  writeFileSync(join(it.folder, 'token'), 'third\n');
  clock.advance(60_000);
  await it.client.call(get);
  assert.equal(sent(), 'Bearer third');
  rmSync(join(it.folder, 'token'));
  clock.advance(60_000);
  await it.client.call(get);
  assert.equal(sent(), 'Bearer third');
});

/** An exec plugin of our own: counts its runs, and gives a credential that names the count. */
function plugin(folder: string, script: string): Readonly<Record<string, unknown>> {
  const path = join(folder, 'plugin.mjs');
  writeFileSync(path, script);
  return {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: [path],
      env: [{ name: 'ASKED', value: 'yes' }],
    },
  };
}

test('an exec credential is kept until it expires or is refused', async () => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  await using it = await setup('http', {
    clock,
    user: (folder) =>
      plugin(
        folder,
        `import fs from 'node:fs';
         const file = ${JSON.stringify(join(folder, 'runs'))};
         fs.appendFileSync(file, 'x');
         const { apiVersion, spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
         const token = [process.env.ASKED, spec.interactive, fs.readFileSync(file).length].join('-');
         const expirationTimestamp = new Date(${Date.UTC(2026, 0, 1)} + 600000 * fs.readFileSync(file).length).toISOString();
         console.log(JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token, expirationTimestamp } }));`,
      ),
  });
  const sent = () => it.server.requests.at(-1)?.headers['authorization'];
  await Promise.all([it.client.call(get), it.client.call(get), it.client.call(get)]);
  assert.equal(sent(), 'Bearer yes-false-1');
  clock.advance(120_000);
  await it.client.call(get);
  assert.equal(sent(), 'Bearer yes-false-1');
  clock.advance(465_000);
  await it.client.call(get);
  assert.equal(sent(), 'Bearer yes-false-2');
  clock.advance(60_000);
  it.server.failNext(answerWith(401, statusBody(401, 'Unauthorized', 'Unauthorized')));
  await it.client.call(get);
  await it.client.call(get);
  assert.equal(sent(), 'Bearer yes-false-3');
});

for (const [what, script, expected] of [
  [
    'fails',
    `console.error('token has expired, log in\\nstack'); process.exit(3)`,
    /failed with exit code 3: token has expired, log in$/,
  ],
  ['prints no JSON', `console.log('hello')`, /did not print JSON, but "hello"$/],
  ['prints something else', `console.log('{"kind":"Pod"}')`, /printed no ExecCredential with a token/],
] as const) {
  test(`an exec plugin that ${what} is a sentence, and nothing is sent`, async () => {
    await using it = await setup('http', { user: (folder) => plugin(folder, script) });
    const result = await it.client.call(get);
    assert(!result.ok);
    assert.equal(result.failure.kind, 'credentials');
    assert.match(result.failure.message, expected);
    assert.equal(it.server.requests.length, 0);
  });
}

test('an exec plugin that is missing is named, with what its author advises', async () => {
  const exec = { command: 'no-such-plugin-of-weeder', installHint: 'Install it from here.\nSecond line' };
  await using it = await setup('http', { user: () => ({ exec }) });
  const result = await it.client.call(get);
  assert(!result.ok);
  assert.match(
    result.failure.message,
    /^the exec plugin "no-such-plugin-of-weeder" was not found \(Install it from here\.\)$/,
  );
});

test('an exec plugin that hangs is ended', async () => {
  const clock = virtualClock();
  await using it = await setup('http', { clock, user: (folder) => plugin(folder, 'setInterval(() => {}, 1000)') });
  let message: string | undefined;
  void it.client.call(get).then((result) => {
    message = result.ok ? '' : result.failure.message;
  });
  await until('it was given up', () => message !== undefined, clock, 500);
  assert.match(String(message), /did not end within 30 s$/);
});

test('who is impersonated is said with each request', async () => {
  await using it = await setup('http', {
    user: () => ({
      username: 'me',
      password: 'pw',
      as: 'her',
      'as-groups': ['a', 'b'],
      'as-uid': '7',
      'as-user-extra': { scopes: ['x'] },
    }),
  });
  await it.client.call(get);
  const headers = it.server.requests[0]?.headers ?? {};
  assert.equal(headers['authorization'], `Basic ${Buffer.from('me:pw').toString('base64')}`);
  assert.equal(headers['impersonate-user'], 'her');
  assert.equal(headers['impersonate-group'], 'a, b');
  assert.equal(headers['impersonate-uid'], '7');
  assert.equal(headers['impersonate-extra-scopes'], 'x');
});
