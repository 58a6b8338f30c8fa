import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookmarkLine, eventLine, statusObject } from '../support/apiCollection.ts';
import {
  answerWith,
  type Fault,
  isInitialWatch,
  isResumedWatch,
  isWatch,
  type ReceivedRequest,
  statusBody,
} from '../support/misbehavingServer.ts';
import { type Reflecting, reflecting } from '../support/reflecting.ts';
import { until } from '../support/until.ts';

/** A watch that sends these bytes first, piece by piece, and then does something. */
function sending(pieces: readonly (string | Buffer)[], then: 'hold' | 'end' | 'cut'): Fault {
  return (answer) => {
    answer.head(200);
    for (const piece of pieces) answer.write(piece);
    if (then === 'end') answer.end();
    if (then === 'cut') setImmediate(() => answer.cut());
  };
}

/** Changes the world and waits until the sink knows: proof that the stream is alive and nothing was lost. */
async function assertAlive(it: Reflecting): Promise<void> {
  it.server.store.put('afterwards');
  await it.untilSame();
  assert.deepEqual(it.sink.disorder, []);
}

async function started(protocol: 'http' | 'h2', isBoring?: (name: string) => boolean): Promise<Reflecting> {
  const it = await reflecting(protocol, isBoring);
  for (const name of ['a', 'b', 'c']) it.server.store.put(name);
  it.start();
  await it.untilSame();
  return it;
}

const isPage = (request: ReceivedRequest) => !isWatch(request);

for (const protocol of ['http', 'h2'] as const) {
  const faults: Readonly<Record<string, readonly [Fault, (request: ReceivedRequest) => boolean]>> = {
    'a 500': [answerWith(500, statusBody(500, 'InternalError', 'etcd is away')), isWatch],
    'a 503 without a Status': [answerWith(503, 'shutting down'), isWatch],
    'a 401': [answerWith(401, statusBody(401, 'Unauthorized', 'Unauthorized')), isWatch],
    'a 403': [answerWith(403, statusBody(403, 'Forbidden', 'no')), isWatch],
    'a 404 in HTML': [answerWith(404, '<html><title>nginx</title>', { 'content-type': 'text/html' }), isWatch],
    'a 200 in HTML': [answerWith(200, '<html><title>Login</title>', { 'content-type': 'text/html' }), isWatch],
    'a redirect to a login page': [answerWith(302, '', { location: 'https://login' }), isWatch],
    'a 400 on a resumed watch': [answerWith(400, statusBody(400, 'BadRequest', 'no')), isResumedWatch],
    'nothing at all': [sending([], 'end'), isWatch],
    'a broken connection before the headers': [(answer) => answer.cut(), isWatch],
    'half a line and an end': [sending(['{"type":"ADDED","obj'], 'end'), isWatch],
    'half a line and a broken connection': [sending(['{"type":"ADDED","obj'], 'cut'), isWatch],
    'a line of garbage': [sending(['garbage\n'], 'hold'), isWatch],
    'a line of binary': [sending([Buffer.from([0, 255, 254, 10, 10, 200, 10])], 'hold'), isWatch],
    'a JSON array': [sending(['[1,2]\n'], 'hold'), isWatch],
    'a line whose JSON is cut': [sending([eventLine('ADDED', { kind: 'Pod' }).slice(0, -4), '\n'], 'hold'), isWatch],
    'an object of another kind': [sending([eventLine('ADDED', { kind: 'Node', metadata: {} })], 'hold'), isWatch],
    'an object without metadata': [sending([eventLine('ADDED', { kind: 'Pod' })], 'hold'), isWatch],
    'an event of an unknown type': [sending([eventLine('MOVED', { kind: 'Pod' })], 'hold'), isWatch],
    'a bookmark without a version': [sending([eventLine('BOOKMARK', { kind: 'Pod' })], 'hold'), isWatch],
    'an ERROR event with 500': [sending([eventLine('ERROR', statusObject(500, 'InternalError'))], 'hold'), isWatch],
    'an ERROR event with 410': [sending([eventLine('ERROR', statusObject(410, 'Expired'))], 'hold'), isWatch],
    'an ERROR event without a Status': [sending([eventLine('ERROR', { a: 1 })], 'hold'), isWatch],
    'a 410': [answerWith(410, statusBody(410, 'Expired', 'too old resource version')), isResumedWatch],
    'a version that lies in the future': [
      answerWith(
        504,
        JSON.stringify({
          ...statusObject(504, 'Timeout'),
          details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
        }),
      ),
      isResumedWatch,
    ],
    'a bookmark older than where we were': [sending([bookmarkLine(3)], 'hold'), isResumedWatch],
    'a line of 50 MB': [sending([`{"type":"ADDED","object":"${'x'.repeat(50e6)}"}\n`], 'hold'), isWatch],
    'a 429': [answerWith(429, statusBody(429, 'TooManyRequests', 'slow down'), { 'retry-after': '1' }), isWatch],
  };
  for (const [what, [fault, applies]] of Object.entries(faults)) {
    test(`over ${protocol}, ${what} is survived, first and later`, async () => {
      await using it = await reflecting(protocol);
      it.server.store.put('a');
      it.server.failNext(fault, applies);
      it.start();
      await it.untilSame();
      it.server.failNext(fault, isResumedWatch);
      it.server.cutConnections();
      const requests = it.server.requests.length;
      await until('the fault was met', () => it.server.requests.length > requests + 1, it.clock);
      await assertAlive(it);
    });
  }

  test(`over ${protocol}, headers that never come are noticed, and a new connection is tried`, async () => {
    await using it = await started(protocol);
    it.server.failNext(() => undefined, isResumedWatch);
    await until('the fault was met and got over', () => it.server.requests.length >= 4, it.clock, 100);
    await assertAlive(it);
  });

  test(`over ${protocol}, a half-open connection is found and replaced within 30 s, and nothing is lost`, async () => {
    await using it = await started(protocol);
    await until('the watch is there', () => it.server.requests.length >= 2, it.clock, 0);
    const connections = it.server.connections;
    const before = it.clock.monotonic();
    it.server.freeze();
    it.server.store.put('while-frozen');
    it.server.store.remove('b');
    await it.untilSame();
    const took = it.clock.monotonic() - before;
    assert(took <= 30_000, `took ${took} ms`);
    assert(it.server.connections > connections);
    assert.equal(it.sink.lists, 1);
    assert(it.logged.some(({ sentence }) => sentence === 'stream silent'));
    await assertAlive(it);
  });

  test(`over ${protocol}, a connection that is half-open from the first list on is found within 30 s`, async () => {
    await using it = await reflecting(protocol);
    it.server.store.put('a');
    it.server.failNext((answer, _request, _proceed) => {
      answer.head(200);
      setImmediate(() => it.server.freeze());
    });
    it.start();
    await it.untilSame();
    assert(it.clock.monotonic() <= 30_000, `took ${it.clock.monotonic()} ms`);
  });

  test(`over ${protocol}, an outage with broken connections is got over by resuming`, async () => {
    await using it = await started(protocol);
    const revive = it.server.failAll((answer) => answer.cut());
    it.server.cutConnections();
    it.server.store.put('during');
    it.server.store.remove('a');
    await until('some tries failed', () => it.server.requests.length > 6, it.clock);
    revive();
    await assertAlive(it);
    assert.equal(it.sink.lists, 1);
  });

  test(`over ${protocol}, one byte at a time and thousands of events at once give the same state`, async () => {
    await using it = await started(protocol);
    it.server.failNext((answer, request) => {
      const start = Number(request.query.get('resourceVersion'));
      const lines = it.server.store.history
        .filter(({ version }) => version > start)
        .map((e) => eventLine(e.type, e.object));
      answer.head(200);
      const bytes = Buffer.from(lines.slice(0, 20).join(''));
      for (let i = 0; i < bytes.length; i += 1) answer.write(bytes.subarray(i, i + 1));
      answer.write(lines.slice(20).join(''));
    }, isResumedWatch);
    it.server.cutConnections();
    for (let i = 0; i < 5_000; i += 1) it.server.store.put(`pod-${i % 700}`, i % 13);
    await assertAlive(it);
    assert.equal(it.sink.lists, 1);
  });
}

test('a stream cut at any byte of a line loses nothing and repeats nothing', async () => {
  await using it = await started('http');
  let length = 1;
  for (let at = 0; at <= length; at += 1) {
    it.server.failNext((answer) => {
      it.server.store.put('x', 1);
      it.server.store.put(`y-${at}`, 1);
      const lines = it.server.store.history.slice(-2).map((event) => eventLine(event.type, event.object));
      const bytes = Buffer.from(lines.join(''));
      length = bytes.length;
      answer.head(200);
      answer.write(bytes.subarray(0, at));
      if (at % 2 === 0) answer.end();
      else setImmediate(() => answer.cut());
    }, isResumedWatch);
    // A stream that lived this long is good, so the next one is tried soon.
    it.clock.advance(6_000);
    it.server.cutConnections();
    await until('the world has changed', () => it.server.store.objects.has(`y-${at}`), it.clock, 100);
    await it.untilSame();
    assert.equal(it.sink.lists, 1, `cut at ${at}`);
    assert.deepEqual(it.sink.disorder, [], `cut at ${at}`);
  }
  assert(length > 300);
});

test('garbage at the same place twice leads to a new list', async () => {
  await using it = await started('http');
  const heal = it.server.failAll(sending(['garbage\n'], 'hold'), isResumedWatch);
  it.server.cutConnections();
  await until('a second list was read', () => it.sink.lists >= 2, it.clock);
  heal();
  await assertAlive(it);
});

test('after 410 the complete state is read at once, and what went away meanwhile is gone', async () => {
  await using it = await started('http');
  const revive = it.server.failAll((answer) => answer.cut());
  it.server.cutConnections();
  it.server.store.remove('b');
  it.server.store.put('d');
  it.server.store.compact();
  await until('some tries failed', () => it.server.requests.length > 6, it.clock);
  revive();
  await it.untilSame();
  assert.equal(it.sink.lists, 2);
  assert.equal(it.sink.state.has('b'), false);
  await assertAlive(it);
});

test('410 again and again is answered more and more slowly', async () => {
  await using it = await started('http');
  it.server.failAll(answerWith(410, statusBody(410, 'Expired', 'too old')), isResumedWatch);
  it.server.cutConnections();
  const before = it.server.requests.filter(isInitialWatch).length;
  const start = it.clock.monotonic();
  await until('a minute passed', () => it.clock.monotonic() - start > 60_000, it.clock, 100);
  const lists = it.server.requests.filter(isInitialWatch).length - before;
  assert(lists >= 4 && lists <= 14, `${lists} lists in a minute`);
});

test('Retry-After is obeyed, in seconds and as a date', async () => {
  for (const retryAfter of ['12', new Date(Date.UTC(2026, 0, 1) + 13_000).toUTCString()]) {
    await using it = await reflecting('http');
    it.server.store.put('a');
    it.server.failNext(answerWith(429, statusBody(429, 'TooManyRequests', 'slow down'), { 'retry-after': retryAfter }));
    it.start();
    await it.untilSame();
    assert(it.clock.monotonic() >= 12_000 && it.clock.monotonic() < 15_000, `${it.clock.monotonic()} ms`);
  }
});

for (const [status, reason] of [
  [400, 'BadRequest'],
  [422, 'Invalid'],
] as const) {
  test(`a server that refuses WatchList with ${status} is asked for pages at once`, async () => {
    await using it = await reflecting('http');
    for (let i = 0; i < 1_203; i += 1) it.server.store.put(`pod-${i}`);
    it.server.failAll(answerWith(status, statusBody(status, reason, 'sendInitialEvents is forbidden')), isInitialWatch);
    it.start();
    await it.untilSame();
    assert(it.clock.monotonic() < 1_000, `${it.clock.monotonic()} ms`);
    assert.deepEqual(
      it.server.requests.filter(isPage).map(({ query }) => query.get('limit')),
      ['500', '500', '500'],
    );
    await assertAlive(it);
  });
}

test('a server that ignores WatchList is noticed, and asked for pages', async () => {
  await using it = await reflecting('http');
  it.server.store.put('a');
  it.server.failAll((answer) => {
    answer.head(200);
    for (const pod of it.server.store.objects.values()) answer.write(eventLine('ADDED', pod));
  }, isInitialWatch);
  it.start();
  await it.untilSame();
  assert(it.server.requests.some(isPage));
  await assertAlive(it);
});

test('initial events without an end are given up within a minute', async () => {
  await using it = await reflecting('http');
  it.server.store.put('a');
  it.server.failAll((answer) => {
    answer.head(200);
    const again = () => {
      for (const pod of it.server.store.objects.values()) answer.write(eventLine('ADDED', pod));
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

test('a continue token that has expired restarts the list, and nothing of the half list stays', async () => {
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
});

test('a page that is no list, or no JSON, is a failure and not an empty cluster', async () => {
  for (const body of [
    '{"kind":"Status"}',
    '{"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[1]}',
    '{"kind":"PodL',
    '',
  ]) {
    await using it = await started('http');
    it.server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'no')), isInitialWatch);
    it.server.failNext(answerWith(200, body), isPage);
    it.server.store.compact();
    it.server.cutConnections();
    await until('the bad page was sent', () => it.server.requests.some(isPage), it.clock);
    assert.equal(it.sink.state.size, 3);
    await assertAlive(it);
  }
});

test('a sink that throws ends the stream, which begins anew with a complete state', async () => {
  await using it = await started('http');
  const apply = it.sink.apply.bind(it.sink);
  it.sink.apply = () => {
    it.sink.apply = apply;
    throw new Error('no room');
  };
  it.server.store.put('a');
  await until('a second list was read', () => it.sink.lists === 2, it.clock);
  await assertAlive(it);
  assert(it.logged.some(({ fact }) => String(fact['cause']).includes('no room')));
});

test('lines of no interest are not parsed, and are resumed from all the same', async () => {
  await using it = await started('http', (name) => name.startsWith('boring'));
  const applied = it.sink.applied;
  for (let i = 0; i < 100; i += 1) it.server.store.put(`boring-${i}`);
  const last = String(it.server.store.version);
  it.server.store.put('a');
  await until('the last change came', () => it.sink.state.get('a') !== '101' && it.sink.applied > applied, it.clock);
  assert.equal(it.sink.applied, applied + 1);
  it.server.store.put('boring-1');
  await until(
    'a watch resumed beyond',
    () => Number(it.server.requests.at(-1)?.query.get('resourceVersion')) > Number(last) + 1,
    it.clock,
  );
  assert.equal(it.sink.lists, 1);
});

test('a process that stood still goes on with the streams it had', async () => {
  await using it = await started('h2');
  const connections = it.server.connections;
  await until('the watch is there', () => it.server.requests.length >= 2, it.clock, 0);
  // As after SIGCONT: every timer is overdue by far, and what came meanwhile waits in the sockets.
  it.clock.standStill(120_000);
  await assertAlive(it);
  assert.equal(it.server.connections, connections);
});

test('a missing permission is named with the rule to grant, and logged ever more rarely', async () => {
  await using it = await reflecting('http');
  const message = 'pods is forbidden: User "w" cannot watch resource "pods" in API group "" at the cluster scope';
  const grant = it.server.failAll(answerWith(403, statusBody(403, 'Forbidden', message)));
  it.start();
  await until('some tries were refused', () => it.server.requests.length > 8, it.clock, 200);
  grant();
  await it.untilSame();
  const warnings = it.logged.filter(({ level }) => level === 'warn');
  assert(warnings.length <= 5, `${warnings.length} warnings`);
  assert.match(
    String(warnings[0]?.fact['cause']),
    /ClusterRole: \{apiGroups: \[""\], resources: \["pods"\], verbs: \["watch"\]\}/,
  );
});
