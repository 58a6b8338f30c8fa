import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { virtualClock } from '../../src/base/virtualClock.ts';
import { createKubeClient } from '../../src/client/client.ts';
import { calling, get } from '../../testing/calling.ts';
import { listen } from '../../testing/httpServer.ts';
import { accessTo } from '../../testing/reflecting.ts';
import { until } from '../../testing/until.ts';

const remove = { method: 'DELETE', path: '/api/v1/namespaces/a/pods/b' } as const;

for (const protocol of ['http', 'https', 'h2'] as const) {
  test(`over ${protocol}, a request that is no longer needed when the connection exists is never written`, async () => {
    await using it = await calling(protocol);
    let checks = 0;
    // Needed at the handover, but not shortly afterwards, when the connection exists.
    const isNeeded = () => checks++ === 0;
    const result = await it.client.call({ ...remove, isNeeded });
    assert.deepEqual(result.ok ? 'ok' : result.failure.type, 'cancelled');
    assert.equal(checks > 1, true);
    assert.deepEqual(it.server.requests, []);
    const needed = await it.client.call({ ...get, isNeeded: () => true });
    assert(needed.ok, 'the connection is still usable');
  });
}

test('isNeeded is checked after the connection exists, however long that takes', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  const access = accessTo(`https://127.0.0.1:${await listen(server)}`);
  const client = createKubeClient({ userAgent: 'weeder/test', access, clock: systemClock });
  let checks = 0;
  const pending = client.call({ ...remove, isNeeded: () => checks++ < 1_000 });
  await until('the connection is begun', () => sockets.length === 1);
  assert.equal(checks, 1, 'TLS is not established yet');
  await client.close();
  await pending;
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('an urgent request does not wait for the client’s rate limit', async () => {
  const clock = virtualClock();
  await using it = await calling('http');
  const client = createKubeClient({
    userAgent: 'weeder/test',
    access: accessTo(it.server.url),
    clock,
    qps: 0.01,
    burst: 1,
  });
  assert((await client.call(get)).ok);
  const waiting = client.call(get);
  assert((await client.call({ ...get, rank: 'urgent' })).ok);
  assert.equal(it.server.requests.length, 2);
  await client.close();
  clock.advance(200_000);
  await waiting;
});
