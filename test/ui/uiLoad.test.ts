import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { listen, until, virtualClock } from '@weeder/kube-runtime/testing';
import type { ActorPage, PageMessage } from '@weeder/live-page';
import { createConnection } from '../../src/ui/connection.ts';
import { openPage } from '../support/page/openPage.ts';
import { down, shown } from '../support/page/servedPage.ts';

// In real time, a burst on a busy machine takes longer than a browser may read nothing.

/** A browser that requests the messages and never reads the response: its socket fills up, and then weeder's. */
function hungBrowser(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return socket;
}

test('a hung browser costs a bounded amount of memory, and receives the complete state when it reads again', async () => {
  const pace = virtualClock();
  await using page = await down({ pace });
  await using hung = await openPage(page.served.url);
  await using responsive = await openPage(page.served.url);
  await Promise.all([hung.received('history'), responsive.received('history')]);
  hung.hang();
  await burst(page.live, 100);
  const { waiting, leftOut, pages } = page.live.load();
  assert.equal(pages, 2);
  assert.ok(leftOut > 50_000, `${leftOut} left out`);
  assert.ok(waiting < 2 * 128 * 1024, `${waiting} bytes wait`);
  hung.goOn();
  const last = 'shoot-99999/etcd-main-client';
  const momentsOf = (message: PageMessage) => (message.type === 'history' ? message.moments : []);
  const isComplete = (message: PageMessage) => momentsOf(message).at(-1)?.about === last;
  await until('everything is received', () => hung.messages.some(isComplete), pace);
  assert.equal(hung.messages.filter(isComplete).flatMap(momentsOf).length, 20_000);
  await until('no bytes are buffered', () => page.live.load().waiting === 0);
});

test('hung pages do not affect deletions, and memory stays bounded', async (t) => {
  await using page = await down({ pace: virtualClock() });
  const sockets = Array.from({ length: 16 }, () => hungBrowser(page.served.port));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await until('all are open', () => page.live.load().pages === 16);
  await burst(page.live, 100);
  page.at.slice({ ready: [false] });
  page.at.slice({ ready: [true] });
  await page.at.clock.pass(1000);
  assert.deepEqual(page.at.timeline(), ['kapi-0@0']);
  const { waiting, leftOut } = page.live.load();
  assert.ok(leftOut > 16 * 50_000, `${leftOut} left out`);
  assert.ok(waiting < 16 * 128 * 1024, `${waiting} bytes wait`);
  assert.deepEqual(page.broken, []);
});

test('a browser that reads nothing for a minute is disconnected, and one that reads is not', async (t) => {
  const clock = virtualClock();
  const server = createServer((_request, response) => {
    opened.push({ response, connection: createConnection(response, () => parts, clock) });
  });
  const opened: { response: object & { destroyed: boolean }; connection: ReturnType<typeof createConnection> }[] = [];
  const parts = Array.from({ length: 500 }, () => `data: ${'x'.repeat(32_000)}\n\n`);
  const port = await listen(server);
  const hung = hungBrowser(port);
  const reads = hungBrowser(port).resume();
  t.after(() => {
    for (const socket of [hung, reads]) socket.destroy();
    server.close();
  });
  await until('one has read everything, the other is full', () => {
    const waiting = opened.map(({ connection }) => connection.waiting);
    return waiting.length === 2 && waiting.filter((bytes) => bytes === 0).length === 1;
  });
  const beat = (times: number) => {
    for (let n = 0; n < times; n += 1) for (const { connection } of opened) connection.heartbeat('data: beat\n\n');
  };
  const disconnected = () => opened.filter(({ response }) => response.destroyed).length;
  beat(29);
  assert.equal(disconnected(), 0);
  beat(1);
  assert.equal(disconnected(), 1);
});

test('10,000 actors are listed with pauses, once for all requests, and returned in small pages', async (t) => {
  await using page = await shown({}, (before) => {
    for (let n = 0; n < 5000; n += 1) before.slice({ namespace: `shoot-${n}`, ready: [false] });
  });
  for (let n = 0; n < 5000; n += 1) page.at.slice({ namespace: `shoot-${n}`, ready: [true] });
  const query = { search: '', machine: '', order: 'tree', offset: 0, limit: 100 } as const;
  const listed = t.mock.method(page.at.weeder, 'actors');
  let turns = 0;
  let isDone = false;
  const both = Promise.all([page.live.actors(query), page.live.actors({ ...query, machine: 'dependants' })]);
  void both.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await turn();
    turns += 1;
  }
  const [actorPage, dependants] = await both;
  assert.deepEqual([actorPage.total, dependants.total], [10_000, 5000]);
  assert.equal(listed.mock.callCount(), 1);
  // A slow machine pauses more often.
  assert.ok(turns >= 20, `${turns} turns`);
  const answer = await fetch(`${page.served.url}actors?limit=1000&offset=9000`);
  assert.ok(Number(answer.headers.get('content-length')) < 20_000, 'a thousand actors are less than 20 kB');
  const { actors }: ActorPage = JSON.parse(await answer.text());
  assert.equal(actors.length, 1000);
});

/** Reports this many thousand events as fast as possible. */
async function burst(live: Awaited<ReturnType<typeof down>>['live'], thousands: number): Promise<void> {
  for (let n = 0; n < thousands * 1000; n += 1) {
    live.report('weeder', { type: 'service.ready', namespace: `shoot-${n}`, service: 'etcd-main-client' });
    if (n % 1000 === 999) await turn();
  }
}
