import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { virtualClock } from '../../src/base/virtualClock.ts';
import { createKubeClient } from '../../src/client/client.ts';
import { describeFailure } from '../../src/client/describeFailure.ts';
import { calling, get } from '../../testing/calling.ts';
import { answerWith, statusBody } from '../../testing/faultyServer.ts';
import { misbehavingServer } from '../../testing/misbehavingServer.ts';
import { accessTo } from '../../testing/reflecting.ts';
import { until } from '../../testing/until.ts';

/** On a busy machine thirty handshakes take longer than a call may, and a hundred longer than a connection may. */
const patient = { ...get, timeoutMs: 180_000 };

for (const protocol of ['http', 'https', 'h2'] as const) {
  test(`over ${protocol}, thirty concurrent calls share the connections`, async () => {
    await using it = await calling(protocol);
    const results = await Promise.all(Array.from({ length: 30 }, () => it.client.call(patient)));
    assert(results.every(({ ok }) => ok));
    if (protocol === 'h2') assert.equal(it.server.connections, 1);
    const opened = it.server.connections;
    await Promise.all(Array.from({ length: 15 }, () => it.client.call(patient)));
    assert.equal(it.server.connections, opened);
    assert.equal(it.events.length, 45);
    assert.equal(it.events[0]?.outcome, 200);
  });

  test(`over ${protocol}, a call without a response ends in time, and the next one uses a new connection`, async () => {
    const clock = virtualClock();
    await using it = await calling(protocol, { clock });
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
    const kinds = (await pending).map((result) => (result.ok ? 'ok' : result.failure.type));
    const expected = protocol === 'h2' ? ['network', 'timeout'] : ['ok', 'timeout'];
    assert.deepEqual([...new Set(kinds)].sort(), expected);
    assert(clock.monotonic() <= 11_000, `${clock.monotonic()} ms`);
    const next = await it.client.call(get);
    assert(next.ok);
    assert(it.server.connections > opened);
    await until('the dead connections are closed', () => it.server.openConnections <= 3);
  });
}

test('a body is sent as JSON with its content type, and an empty response has no body', async () => {
  await using it = await calling('http');
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

test('impersonation per call sends only the user, without groups or extras of the kubeconfig', async () => {
  const user = () => ({ token: 'secret', as: 'alice', 'as-groups': ['admins'], 'as-user-extra': { a: ['b'] } });
  await using it = await calling('http', { user });
  await it.client.call({ ...get, impersonate: 'system:serviceaccount:shop:default' });
  await it.client.call(get);
  const said = it.server.requests.map(({ headers }) =>
    Object.entries(headers).filter(([name]) => name.startsWith('impersonate-')),
  );
  assert.deepEqual(said[0], [['impersonate-user', 'system:serviceaccount:shop:default']]);
  assert.deepEqual(Object.fromEntries(said[1] ?? []), {
    'impersonate-user': 'alice',
    'impersonate-group': 'admins',
    'impersonate-extra-a': 'b',
  });
  assert.equal(it.server.requests[0]?.headers['authorization'], 'Bearer secret');
});

test('a server with a path in its address is requested under that path', async () => {
  await using it = await calling('http', { path: '/k8s/clusters/c-1/' });
  await it.client.call(get);
  assert.equal(it.server.requests[0]?.path, '/k8s/clusters/c-1/api/v1/pods');
});

test('a slow request does not close its connection if other responses arrive', async () => {
  const clock = virtualClock();
  await using it = await calling('h2', { clock });
  await it.client.call(get);
  it.server.failNext(() => undefined);
  let failure: string | undefined;
  void it.client.call({ ...get, timeoutMs: 5_000 }).then((result) => {
    failure = result.ok ? 'ok' : result.failure.type;
  });
  await until('the slow request arrived', () => it.server.requests.length === 2);
  clock.advance(3_000);
  assert((await it.client.call(get)).ok);
  clock.advance(2_000);
  await until('the slow request has timed out', () => failure !== undefined);
  assert.equal(failure, 'timeout');
  assert((await it.client.call(get)).ok);
  assert.equal(it.server.connections, 1);
});

test('a signal ends a call, whether it waits or runs', async () => {
  await using it = await calling('h2');
  const aborted = await it.client.call({ ...get, signal: AbortSignal.abort() });
  assert.equal(aborted.ok ? '' : aborted.failure.type, 'cancelled');
  it.server.failNext(() => undefined);
  const stop = new AbortController();
  const running = it.client.call({ ...get, signal: stop.signal });
  await until('it arrived', () => it.server.requests.length === 1);
  stop.abort();
  const result = await running;
  assert.equal(result.ok ? '' : result.failure.type, 'cancelled');
});

test('a call that is no longer needed when the rate limit admits it is not sent', async (t) => {
  const server = await misbehavingServer('http');
  t.after(() => server.close());
  const clock = virtualClock();
  const client = createKubeClient({ userAgent: 'weeder/test', access: accessTo(server.url), clock, qps: 1, burst: 1 });
  const calls = [true, false, true].map((isNeeded) => client.call({ ...get, isNeeded: () => isNeeded }));
  await calls[0];
  clock.advance(1_000);
  const cancelled = await calls[1];
  assert.equal(cancelled?.ok === false && cancelled.failure.type, 'cancelled');
  clock.advance(1_000);
  assert.equal((await calls[2])?.ok, true);
  assert.equal(server.requests.length, 2);
  await client.close();
});

test('a hanging background call does not end the connection of others', async () => {
  const clock = virtualClock();
  await using it = await calling('h2', { clock });
  it.server.failNext(() => undefined);
  let usual = '';
  void it.client.call({ ...get, timeoutMs: 60_000 }).then((result) => {
    usual = result.ok ? 'ok' : result.failure.type;
  });
  await until('the usual call arrived', () => it.server.requests.length === 1);
  for (let times = 1; times <= 4; times += 1) {
    it.server.failNext(() => undefined);
    let background = '';
    void it.client.call({ ...get, rank: 'background', timeoutMs: 5_000 }).then((result) => {
      background = result.ok ? 'ok' : result.failure.type;
    });
    await until('it arrived', () => it.server.requests.length === 1 + times);
    clock.advance(5_000);
    await until('it has timed out', () => background !== '');
    assert.equal(background, 'timeout');
  }
  assert.equal(usual, '');
  assert((await it.client.call(get)).ok);
  clock.advance(40_000);
  await until('the usual call has timed out', () => usual !== '');
  assert.equal(usual, 'timeout');
});

test('a background call is sent when no usual one waits for the rate limit', async (t) => {
  const server = await misbehavingServer('http');
  t.after(() => server.close());
  const clock = virtualClock();
  const client = createKubeClient({ userAgent: 'weeder/test', access: accessTo(server.url), clock, qps: 1, burst: 1 });
  const went: string[] = [];
  const call = (name: string, rank: 'usual' | 'background' | 'last') =>
    client.call({ ...get, rank }).then(() => went.push(name));
  const calls = [call('first', 'usual'), call('Event', 'last'), call('apply', 'background'), call('deletion', 'usual')];
  await calls[0];
  for (const next of [calls[3], calls[2], calls[1]]) {
    clock.advance(1_000);
    await next;
  }
  assert.deepEqual(went, ['first', 'deletion', 'apply', 'Event']);
  await client.close();
});

test('a call of the last rank is sent when no other call waits for the rate limit', async (t) => {
  const server = await misbehavingServer('http');
  t.after(() => server.close());
  const clock = virtualClock();
  const client = createKubeClient({ userAgent: 'weeder/test', access: accessTo(server.url), clock, qps: 1, burst: 1 });
  const went: string[] = [];
  const call = (name: string, rank: 'usual' | 'last') => client.call({ ...get, rank }).then(() => went.push(name));
  const calls = [call('first', 'usual'), call('Event', 'last'), call('deletion', 'usual')];
  await calls[0];
  clock.advance(1_000);
  await calls[2];
  assert.deepEqual(went, ['first', 'deletion']);
  clock.advance(1_000);
  await calls[1];
  assert.deepEqual(went, ['first', 'deletion', 'Event']);
  await client.close();
});

test('close() ends every call and every stream', async () => {
  await using it = await calling('h2');
  it.server.failAll(() => undefined);
  const running = it.client.call(get);
  await until('it arrived', () => it.server.requests.length === 1);
  await it.client.close();
  const result = await running;
  assert.equal(result.ok ? '' : result.failure.type, 'cancelled');
  const later = await it.client.call(get);
  assert.equal(later.ok ? '' : later.failure.type, 'cancelled');
});

test('a response that breaks off in its body is a network failure', async () => {
  await using it = await calling('https');
  it.server.failNext((answer) => {
    answer.head(200);
    answer.write('{"kind":');
    setTimeout(() => answer.cut(), 20);
  });
  const result = await it.client.call(get);
  assert.equal(result.ok ? '' : result.failure.type, 'network');
});

test('a response that stops in its body is a timeout', async () => {
  const clock = virtualClock();
  await using it = await calling('h2', { clock });
  it.server.failNext((answer) => {
    answer.head(200);
    answer.write('{"kind":');
  });
  let kind: string | undefined;
  void it.client.call(get).then((result) => {
    kind = result.ok ? 'ok' : result.failure.type;
  });
  await until('it has timed out', () => kind !== undefined, clock, 100);
  assert.equal(kind, 'timeout');
});

for (const { status, takes, outcome } of [
  { status: 200, takes: 29, outcome: 'ok' },
  { status: 200, takes: 31, outcome: 'timeout' },
  { status: 503, takes: 31, outcome: 'unavailable' },
]) {
  test(`a response with ${status} that arrives in pieces for ${takes} s is ${outcome}`, async () => {
    const clock = virtualClock();
    await using it = await calling('h2', { clock });
    it.server.failNext((answer) => {
      answer.head(status);
      const bit = (second: number) => {
        answer.write(' ');
        if (second < takes) clock.setTimeout(() => bit(second + 1), 1_000);
        else answer.end('{}');
      };
      clock.setTimeout(() => bit(1), 1_000);
    });
    let kind: string | undefined;
    void it.client.call(get).then((result) => {
      kind = result.ok ? 'ok' : result.failure.type;
    });
    await until('it has ended', () => kind !== undefined, clock);
    assert.equal(kind, outcome);
  });
}

for (const protocol of ['https', 'h2'] as const) {
  test(`over ${protocol}, a call for the status only ends with the headers of a success, and the connection stays open`, async () => {
    await using it = await calling(protocol);
    const { promise: end, resolve: endIt } = Promise.withResolvers<void>();
    it.server.failNext((answer) => {
      answer.head(200);
      void end.then(() => answer.end('{"kind":'));
    });
    const caller = new AbortController();
    const result = await it.client.call({ ...get, onlyStatus: true, signal: caller.signal });
    assert.deepEqual(result, { ok: true, status: 200, body: undefined });
    caller.abort();
    endIt();
    for (let count = 0; count < 3; count += 1) assert.ok((await it.client.call(get)).ok);
    assert.equal(it.server.openConnections, it.server.connections);
  });
}

test('a call for text returns it as it is, and a refusal as usual', async () => {
  await using it = await calling('https');
  it.server.failNext(answerWith(200, '{"is": "no JSON', { 'content-type': 'text/plain' }));
  assert.partialDeepStrictEqual(await it.client.call({ ...get, isText: true }), { ok: true, body: '{"is": "no JSON' });
  it.server.failNext(answerWith(200, '', { 'content-type': 'text/plain' }));
  assert.partialDeepStrictEqual(await it.client.call({ ...get, isText: true }), { ok: true, body: '' });
  it.server.failNext(answerWith(403, statusBody(403, 'Forbidden', 'you may not')));
  const refused = await it.client.call({ ...get, isText: true });
  assert.equal(refused.ok ? '' : refused.failure.type, 'forbidden');
});

test('a call for the status only still fails on a refusal and on HTML', async () => {
  await using it = await calling('https');
  it.server.failNext(answerWith(409, statusBody(409, 'Conflict', 'it has changed')));
  const refused = await it.client.call({ ...get, onlyStatus: true });
  assert.equal(refused.ok ? '' : refused.failure.type, 'conflict');
  it.server.failNext(answerWith(200, '<html><title>Login</title>', { 'content-type': 'text/html' }));
  const foreign = await it.client.call({ ...get, onlyStatus: true });
  assert.equal(foreign.ok ? '' : foreign.failure.type, 'badAnswer');
});

test('HTML, incomplete JSON and a wrong type are bad answers, and the message names the likely cause', async () => {
  await using it = await calling('http');
  for (const body of ['<!doctype html><title>Sign in</title>', '{"kind":"Pod', 'hello']) {
    it.server.failNext(answerWith(200, body));
    const result = await it.client.call(get);
    assert(!result.ok);
    assert.equal(result.failure.type, 'badAnswer');
    assert.match(describeFailure(result.failure, it.client.server), /Is this address a Kubernetes API server\?$/);
  }
});

test('an address where nothing listens, and an untrusted authority, are reported as such', async () => {
  await using server = await misbehavingServer('https');
  await server.close();
  const refused = createKubeClient({ userAgent: 'weeder/test', access: accessTo(server.url), clock: systemClock });
  const unreachable = await refused.call(get);
  assert(!unreachable.ok);
  assert.match(describeFailure(unreachable.failure, refused.server), /cannot be reached: the connection was refused/);
  await refused.close();

  await using it = await calling('https', { user: () => ({ token: 'secret' }) });
  const access = accessTo(it.server.url);
  const untrusting = createKubeClient({
    userAgent: 'weeder/test',
    access: { ...access, kubeConfig: withoutAuthority(access.kubeConfig) },
    clock: systemClock,
  });
  const untrusted = await untrusting.call(get);
  assert(!untrusted.ok);
  assert.match(untrusted.failure.message, /the server is not trusted/);
  await untrusting.close();
});

function withoutAuthority(kubeConfig: ReturnType<typeof accessTo>['kubeConfig']) {
  for (const cluster of kubeConfig.clusters) Object.assign(cluster, { caData: undefined });
  return kubeConfig;
}

test('failures of confidential requests contain nothing of the response except the message of a Status', async () => {
  await using it = await calling('http');
  const requested = { ...get, isConfidential: true };
  const echoed = ['{"kind":"Secret","data":{"key":"marker"}', 'marker', '<html><title>marker</title>'];
  for (const status of [200, 302, 403, 404, 422, 500]) {
    for (const body of echoed) {
      const restore = it.server.failAll(answerWith(status, body));
      const [confidential, usual] = [await it.client.call(requested), await it.client.call(get)];
      const opened = await it.client.openStream(requested);
      assert(!confidential.ok && !usual.ok);
      assert(!confidential.failure.message.includes('marker'), confidential.failure.message);
      assert(opened.ok || !opened.failure.message.includes('marker'));
      assert(usual.failure.message.includes('marker'), usual.failure.message);
      restore();
    }
  }
  it.server.failNext(answerWith(403, statusBody(403, 'Forbidden', 'cannot list resource "secrets"')));
  const denied = await it.client.call(requested);
  assert.equal(!denied.ok && denied.failure.message, 'cannot list resource "secrets"');
});
