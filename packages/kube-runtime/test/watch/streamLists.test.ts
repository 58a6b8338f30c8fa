import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerWith, isInitialWatch, isResumedWatch, statusBody } from '../../testing/faultyServer.ts';
import { reflecting } from '../../testing/reflecting.ts';
import { assertAlive, isPage, sending, started } from '../../testing/streamFaults.ts';
import { until } from '../../testing/until.ts';
import { bookmarkLine, eventLine } from '../../testing/watchLines.ts';

test('after 410 the complete state is read immediately, and objects deleted meanwhile are removed', async () => {
  await using it = await started('http');
  const stopFailing = it.server.failAll((answer) => answer.cut());
  it.server.cutConnections();
  it.server.store.remove('b');
  it.server.store.put('d');
  it.server.store.compact();
  await until('some tries failed', () => it.server.requests.length > 6, it.clock);
  stopFailing();
  await it.untilSame();
  assert.equal(it.sink.lists, 2);
  assert.equal(it.sink.state.has('b'), false);
  await assertAlive(it);
});

test('repeated 410 responses are retried after growing pauses', async () => {
  await using it = await started('http');
  it.server.failAll(answerWith(410, statusBody(410, 'Expired', 'too old')), isResumedWatch);
  it.server.cutConnections();
  const before = it.server.requests.filter(isInitialWatch).length;
  const start = it.clock.monotonic();
  await until('a minute passed', () => it.clock.monotonic() - start > 60_000, it.clock, 100);
  const lists = it.server.requests.filter(isInitialWatch).length - before;
  assert(lists >= 4 && lists <= 14, `${lists} lists in a minute`);
});

for (const [status, reason] of [
  [400, 'BadRequest'],
  [422, 'Invalid'],
] as const) {
  test(`a server that refuses WatchList with ${status} is listed in pages immediately`, async () => {
    await using it = await reflecting('http');
    for (let i = 0; i < 1_203; i += 1) it.server.store.put(`pod-${i}`);
    it.server.failAll(answerWith(status, statusBody(status, reason, 'sendInitialEvents is forbidden')), isInitialWatch);
    it.start();
    await it.untilSame();
    assert(it.clock.monotonic() < 1_000, `${it.clock.monotonic()} ms`);
    assert.deepEqual(
      it.server.requests.filter(isPage).map(({ query }) => query.get('limit')),
      ['25', '500', '500', '500'],
    );
    await assertAlive(it);
  });
}

test('a page of large objects is followed by small pages, and these by larger ones for small objects', async () => {
  await using it = await reflecting('http');
  for (let i = 0; i < 60; i += 1) it.server.store.put(`pod-${i}`, 50_000);
  for (let i = 60; i < 200; i += 1) it.server.store.put(`pod-${i}`);
  it.server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'sendInitialEvents is forbidden')), isInitialWatch);
  it.start();
  await it.untilSame();
  const limits = it.server.requests.filter(isPage).map(({ query }) => Number(query.get('limit')));
  assert.equal(limits[0], 25);
  assert(Math.min(...limits) <= 12, limits.join());
  assert.equal(limits.at(-1), 500);
});

test('no page of more than 4 MiB is read to its end, as long as it has more than one object', async () => {
  await using it = await reflecting('http');
  for (let i = 0; i < 6; i += 1) it.server.store.put(`pod-${i}`, 1_400_000);
  it.server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'sendInitialEvents is forbidden')), isInitialWatch);
  it.start();
  await it.untilSame();
  const limits = it.server.requests.filter(isPage).map(({ query }) => Number(query.get('limit')));
  assert.deepEqual(limits.slice(0, 3), [25, 6, 1]);
  assert.ok(limits.slice(3).every((limit) => limit === 1));
});

test('a server that ignores WatchList is detected, and listed in pages', async () => {
  await using it = await reflecting('http');
  it.server.store.put('a');
  it.server.failAll((answer) => {
    answer.head(200);
    for (const pod of it.server.store.list()) answer.write(eventLine('ADDED', pod));
  }, isInitialWatch);
  it.start();
  await it.untilSame();
  assert(it.server.requests.some(isPage));
  await assertAlive(it);
});

test('initial events without an end are abandoned within a minute', async () => {
  await using it = await reflecting('http');
  it.server.store.put('a');
  it.server.failAll((answer) => {
    answer.head(200);
    const again = () => {
      for (const pod of it.server.store.list()) answer.write(eventLine('ADDED', pod));
      timer = it.clock.setTimeout(again, 3_000);
    };
    let timer = it.clock.setTimeout(again, 0);
    answer.onClose(() => it.clock.clearTimeout(timer));
  }, isInitialWatch);
  it.start();
  await until('pages were read', () => it.sink.lists === 1, it.clock, 100);
  assert(it.clock.monotonic() > 55_000 && it.clock.monotonic() < 70_000, `${it.clock.monotonic()} ms`);
  await assertAlive(it);
});

test('an expired continue token restarts the list, and nothing of the incomplete list remains', async () => {
  await using it = await reflecting('http');
  for (let i = 0; i < 1_203; i += 1) it.server.store.put(`pod-${i}`);
  it.server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'no')), isInitialWatch);
  it.server.failNext(
    (_answer, _request, proceed) => {
      it.server.store.remove('pod-1');
      it.server.store.compact();
      proceed();
    },
    (request) => request.query.has('continue'),
  );
  it.start();
  await it.untilSame();
  assert.equal(it.sink.state.has('pod-1'), false);
  assert.equal(it.sink.lists, 1);
  assert.deepEqual(
    it.logged.filter(({ level }) => level === 'warn'),
    [],
  );
});

test('a page that is not a list, or not JSON, is a failure and not an empty cluster', async () => {
  for (const body of [
    '{"kind":"Status"}',
    '{"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[1]}',
    '{"kind":"PodL',
    '',
  ]) {
    await using it = await started('http');
    it.server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'no')), isInitialWatch);
    it.server.failNext(answerWith(200, body), isPage);
    it.server.cutConnections();
    it.server.store.put('a');
    it.server.store.compact();
    await until('the bad page was sent', () => it.server.requests.some(isPage), it.clock);
    assert.equal(it.sink.state.size, 3);
    await assertAlive(it);
  }
});

test('a bookmark older than the current position (etcd was restored) leads to a new list immediately', async () => {
  await using it = await started('http');
  it.server.failNext(sending([bookmarkLine(3)], 'hold'), isResumedWatch);
  it.server.cutConnections();
  const before = it.clock.monotonic();
  await until('a second list was read', () => it.sink.lists === 2, it.clock);
  assert(it.clock.monotonic() - before < 3_000, `${it.clock.monotonic() - before} ms`);
  await assertAlive(it);
});

test('objects from pages have their type, like those from a watch', async () => {
  await using it = await reflecting('http');
  it.server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'no')), isInitialWatch);
  const metadata = { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1' };
  const items = [{ metadata }];
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '100' }, items };
  it.server.failNext(answerWith(200, JSON.stringify(list)), isPage);
  it.start();
  await until('a page was read', () => it.sink.lists === 1, it.clock);
  assert.deepEqual([...it.sink.objects.values()], [{ kind: 'Pod', apiVersion: 'v1', metadata }]);
});

test('a list with null items is an empty list', async () => {
  await using it = await reflecting('http');
  it.server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'no')), isInitialWatch);
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '100' }, items: null };
  it.server.failNext(answerWith(200, JSON.stringify(list)), isPage);
  it.start();
  await until('it was read', () => it.sink.lists === 1, it.clock);
  assert.equal(it.sink.state.size, 0);
});
