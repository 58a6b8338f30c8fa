import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest } from '../../../src/kube/client/request.ts';
import { calling, get } from '../../support/api/calling.ts';
import type { Protocol, ServerAnswer } from '../../support/api/faultyServer.ts';
import { until } from '../../support/until.ts';
import { virtualClock } from '../../support/world/virtualClock.ts';

const patch = { method: 'PATCH', path: '/api/v1/namespaces/a/pods/b', body: { metadata: {} } } as const;

/** A call that was given up when the server had read it; the server has answered nothing, or the headers. */
async function givenUp(protocol: Protocol, request: ApiRequest, answers: 'nothing' | 'headers' = 'nothing') {
  const it = await calling(protocol);
  const { promise, resolve } = Promise.withResolvers<ServerAnswer>();
  const server = { hasLost: false };
  it.server.failNext((answer) => {
    answer.onClose(() => {
      server.hasLost = true;
    });
    if (answers === 'headers') answer.head(200);
    resolve(answer);
  });
  const stop = new AbortController();
  let heard = 0;
  const onHeard = () => {
    heard += 1;
  };
  const running = it.client.call({ ...request, signal: stop.signal, onHeard });
  const answer = await promise;
  if (answers === 'headers') await until('the headers are there', () => heard > 0);
  stop.abort();
  const result = await running;
  assert.equal(result.ok ? 'ok' : result.failure.kind, 'cancelled');
  return { it, server, answer };
}

for (const answers of ['nothing', 'headers'] as const) {
  test(`a call with a body that is given up goes on on its connection (answered so far: ${answers})`, async () => {
    const { it, server, answer } = await givenUp('h2', patch, answers);
    await using _it = it;
    for (let each = 0; each < 3; each += 1) assert((await it.client.call(get)).ok);
    assert.equal(server.hasLost, false);
    if (answers === 'nothing') answer.head(200);
    answer.end('{}');
    await until('the stream has ended', () => server.hasLost);
    assert((await it.client.call(get)).ok);
    assert.equal(it.server.connections, 1);
  });

  test(`a call without a body that is given up ends when its headers are there (answered so far: ${answers})`, async () => {
    const { it, server, answer } = await givenUp('h2', get, answers);
    await using _it = it;
    for (let each = 0; each < 3; each += 1) assert((await it.client.call(get)).ok);
    if (answers === 'nothing') {
      assert.equal(server.hasLost, false);
      answer.head(200);
    }
    await until('the server has heard of it', () => server.hasLost);
    assert((await it.client.call(get)).ok);
    assert.equal(it.server.connections, 1);
  });
}

for (const protocol of ['http', 'https', 'h2'] as const) {
  test(`over ${protocol}, a call with a body that is given up before its connection is made is never sent`, async () => {
    await using it = await calling(protocol);
    const stop = new AbortController();
    let asked = 0;
    // When it is handed over, and a moment later, when the connection is there.
    const isWanted = () => {
      asked += 1;
      if (asked === 2) stop.abort();
      return true;
    };
    const result = await it.client.call({ ...patch, signal: stop.signal, isWanted });
    assert.equal(result.ok ? 'ok' : result.failure.kind, 'cancelled');
    assert((await it.client.call(get)).ok);
    assert.deepEqual(
      it.server.requests.filter(({ method }) => method === 'PATCH'),
      [],
    );
  });

  test(`over ${protocol}, a connection that breaks under a call with a body ends the call, also one given up`, async () => {
    const { it } = await givenUp(protocol, patch);
    await using _it = it;
    const second = Promise.withResolvers<void>();
    it.server.failNext(() => second.resolve());
    const running = it.client.call(patch);
    await second.promise;
    it.server.cutConnections();
    const result = await running;
    assert.equal(result.ok ? 'ok' : result.failure.kind, 'network');
    assert((await it.client.call(patch)).ok);
  });
}

test('an answer that stops when only its status was asked for is waited for no longer than any, and costs its connection', async () => {
  const clock = virtualClock();
  await using it = await calling('h2', { clock });
  const stream = { isClosed: false };
  it.server.failNext((answer) => {
    answer.onClose(() => {
      stream.isClosed = true;
    });
    answer.head(200);
    answer.write('{"kind":');
  });
  assert.deepEqual(await it.client.call({ ...patch, onlyStatus: true }), { ok: true, status: 200, body: undefined });
  assert((await it.client.call(get)).ok);
  assert.deepEqual([it.server.connections, stream.isClosed], [1, false]);
  await until('it was given up', () => stream.isClosed, clock, 100);
  assert((await it.client.call(get)).ok);
  assert.equal(it.server.connections, 2);
});
