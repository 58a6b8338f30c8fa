import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '@weeder/kube-runtime/testing';
import { type AnyActorRef, createActor, createMachine } from 'xstate';
import { debugPage } from '../../src/actors/debugActors.ts';
import { servePages } from '../../src/base/http.ts';

const target = '/debug/actors';
const request = `GET ${target} HTTP/1.1\r\nHost: weeder\r\n\r\n`;

/** Serves `/debug/actors` of a process that has more actors than any client can read. */
async function endless(t: TestContext) {
  const actor = createActor(createMachine({ id: 'one' })).start();
  const broken: unknown[] = [];
  let [open, described] = [0, 0];
  function* actors(): Generator<AnyActorRef> {
    open += 1;
    try {
      for (; ; described += 1) yield actor;
    } finally {
      open -= 1;
    }
  }
  const page = debugPage({ actors, since: () => undefined, startedAt: () => undefined });
  const server = createServer(servePages({ [target]: page }, (error) => broken.push(error))).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    broken,
    open: () => open,
    described: () => described,
    /** A client that sends this text. */
    client(text: string) {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.write(text);
      return socket;
    },
  };
}

test('a client that disconnects in the middle, or only ends its side, is no error, and ends the page', async (t) => {
  const page = await endless(t);
  for (const end of ['destroy', 'resetAndDestroy', 'end'] as const) {
    const client = page.client(request);
    await once(client, 'data');
    client[end]();
    await until(`the page has ended after ${end}`, () => page.open() === 0);
    client.destroy();
  }
  assert.deepEqual(page.broken, []);
});

test('a client that reads nothing does not cost memory, and the page ends with it', async (t) => {
  const page = await endless(t);
  const client = page.client(request).pause();
  await until('the page has begun', () => page.described() > 0);
  // The sockets of both sides take some megabytes. A page that can write describes more in each turn.
  for (let [turns, before] = [0, 0]; turns < 100; turns += 1) {
    if (page.described() > before) [turns, before] = [0, page.described()];
    await turn();
  }
  assert.equal(page.open(), 1);
  client.destroy();
  await until('the page has ended', () => page.open() === 0);
  assert.deepEqual(page.broken, []);
});

test('a page that waits behind another one on its connection ends with the connection', async (t) => {
  const page = await endless(t);
  const client = page.client(request + request).pause();
  await until('both pages have begun', () => page.open() === 2);
  client.destroy();
  await until('both pages have ended', () => page.open() === 0);
  assert.deepEqual(page.broken, []);
});
