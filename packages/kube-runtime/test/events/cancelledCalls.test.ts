import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '../../src/base/virtualClock.ts';
import type { ApiRequest } from '../../src/client/request.ts';
import { calling, get } from '../../testing/calling.ts';
import type { Protocol, ServerAnswer } from '../../testing/faultyServer.ts';
import { until } from '../../testing/until.ts';

const patch = {
  method: 'PATCH',
  path: '/api/v1/namespaces/default',
  body: { metadata: {} },
  contentType: 'application/merge-patch+json',
} as const;

/** A call that was cancelled after the server had read it; the server has sent nothing, or the headers. */
async function cancelled(protocol: Protocol, request: ApiRequest, answers: 'nothing' | 'headers' = 'nothing') {
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
  let headersSeen = 0;
  const onReceived = () => {
    headersSeen += 1;
  };
  const running = it.client.call({ ...request, signal: stop.signal, onReceived });
  const answer = await promise;
  if (answers === 'headers') await until('the headers are there', () => headersSeen > 0);
  stop.abort();
  const result = await running;
  assert.equal(result.ok ? 'ok' : result.failure.type, 'cancelled');
  return { it, server, answer };
}

for (const answers of ['nothing', 'headers'] as const) {
  test(`a cancelled call with a body completes on its connection (server has sent: ${answers})`, async () => {
    const { it, server, answer } = await cancelled('h2', patch, answers);
    await using _it = it;
    for (let attempt = 0; attempt < 3; attempt += 1) assert((await it.client.call(get)).ok);
    assert.equal(server.hasLost, false);
    if (answers === 'nothing') answer.head(200);
    answer.end('{}');
    await until('the stream has ended', () => server.hasLost);
    assert((await it.client.call(get)).ok);
    assert.equal(it.server.connections, 1);
  });

  test(`a cancelled call without a body ends when its headers arrive (server has sent: ${answers})`, async () => {
    const { it, server, answer } = await cancelled('h2', get, answers);
    await using _it = it;
    for (let attempt = 0; attempt < 3; attempt += 1) assert((await it.client.call(get)).ok);
    if (answers === 'nothing') {
      assert.equal(server.hasLost, false);
      answer.head(200);
    }
    await until('the server has noticed', () => server.hasLost);
    assert((await it.client.call(get)).ok);
    assert.equal(it.server.connections, 1);
  });
}

for (const protocol of ['http', 'https', 'h2'] as const) {
  test(`over ${protocol}, a call with a body that is cancelled before its connection exists is never sent`, async () => {
    await using it = await calling(protocol);
    const stop = new AbortController();
    let checks = 0;
    // Called at the handover, and shortly afterwards, when the connection exists.
    const isNeeded = () => {
      checks += 1;
      if (checks === 2) stop.abort();
      return true;
    };
    const result = await it.client.call({ ...patch, signal: stop.signal, isNeeded });
    assert.equal(result.ok ? 'ok' : result.failure.type, 'cancelled');
    assert((await it.client.call(get)).ok);
    assert.deepEqual(
      it.server.requests.filter(({ method }) => method === 'PATCH'),
      [],
    );
  });

  test(`over ${protocol}, a connection that breaks ends a call with a body, also a cancelled one`, async () => {
    const { it } = await cancelled(protocol, patch);
    await using _it = it;
    const second = Promise.withResolvers<void>();
    it.server.failNext(() => second.resolve());
    const running = it.client.call(patch);
    await second.promise;
    it.server.cutConnections();
    const result = await running;
    assert.equal(result.ok ? 'ok' : result.failure.type, 'network');
    assert((await it.client.call(patch)).ok);
  });
}

test('a call for the status only waits for a stopped response as usual, and then its connection is closed', async () => {
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
  await until('it has timed out', () => stream.isClosed, clock, 100);
  assert((await it.client.call(get)).ok);
  assert.equal(it.server.connections, 2);
});
