import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { answerWith, isResumedWatch, statusBody } from '../../testing/faultyServer.ts';
import { reflecting } from '../../testing/reflecting.ts';
import { assertAlive, sending, started } from '../../testing/streamFaults.ts';
import { until } from '../../testing/until.ts';

/** Cuts a stream at every byte of two lines from `first` on, in steps of `step`. */
async function cutAt(first: number, step: number): Promise<void> {
  await using it = await started('http');
  let length = first;
  for (let at = first; at <= length; at += step) {
    it.server.failNext((answer, _request, proceed) => {
      it.server.store.put('x', 1);
      it.server.store.put(`y-${at}`, 1);
      const write = (both: string | Buffer) => {
        const bytes = Buffer.from(both);
        length = bytes.length;
        answer.write(bytes.subarray(0, at));
        if (at % 2 === 0) answer.end();
        else setImmediate(() => answer.cut());
      };
      proceed({ ...answer, write });
    }, isResumedWatch);
    // A stream that lasted this long is stable, so the next one is opened soon.
    it.clock.advance(6_000);
    it.server.cutConnections();
    await until('the store has changed', () => it.server.store.has(`y-${at}`), it.clock, 100);
    await it.untilSame(200);
    assert.equal(it.sink.lists, 1, `cut at ${at}`);
    assert.deepEqual(it.sink.disorder, [], `cut at ${at}`);
  }
  assert(length > 300);
}

suite('recovery of a stream', { concurrency: 8 }, () => {
  for (const protocol of ['http', 'h2'] as const) {
    test(`over ${protocol}, missing response headers are detected, and a new connection is tried`, async () => {
      await using it = await started(protocol);
      it.server.failNext(() => undefined, isResumedWatch);
      await until('the stream has recovered', () => it.server.requests.length >= 4, it.clock, 100);
      await assertAlive(it);
    });

    test(`over ${protocol}, a half-open connection is detected and replaced within 30 s, and nothing is lost`, async () => {
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

    test(`over ${protocol}, a connection that is half-open from the first list on is detected within 30 s`, async () => {
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

    test(`over ${protocol}, a stream resumes after an outage with broken connections`, async () => {
      await using it = await started(protocol);
      const stopFailing = it.server.failAll((answer) => answer.cut());
      it.server.cutConnections();
      it.server.store.put('during');
      it.server.store.remove('a');
      await until('some attempts failed', () => it.server.requests.length > 6, it.clock);
      stopFailing();
      await assertAlive(it);
      assert.equal(it.sink.lists, 1);
    });

    test(`over ${protocol}, one byte at a time and thousands of events at once give the same state`, async () => {
      await using it = await started(protocol);
      let left = 5_000;
      it.server.failNext((answer, _request, proceed) => {
        const write = (piece: string | Buffer) => {
          const bytes = Buffer.from(piece);
          const slow = bytes.subarray(0, left);
          left -= slow.length;
          for (let i = 0; i < slow.length; i += 1) answer.write(slow.subarray(i, i + 1));
          if (slow.length < bytes.length) answer.write(bytes.subarray(slow.length));
        };
        proceed({ ...answer, write });
      }, isResumedWatch);
      it.server.cutConnections();
      for (let i = 0; i < 5_000; i += 1) it.server.store.put(`pod-${i % 700}`, i % 13);
      await assertAlive(it);
      assert.equal(left, 0);
      assert.equal(it.sink.lists, 1);
    });
  }

  test('a stream that is cut at any byte of a line loses nothing and repeats nothing', async () => {
    const streams = 8;
    await Promise.all(Array.from({ length: streams }, (_, first) => cutAt(first, streams)));
  });

  test('an unreadable event at the same position twice leads to a new list', async () => {
    await using it = await started('http');
    const stopFailing = it.server.failAll(sending(['garbage\n'], 'hold'), isResumedWatch);
    it.server.cutConnections();
    await until('a second list was read', () => it.sink.lists >= 2, it.clock);
    stopFailing();
    await assertAlive(it);
  });

  test('Retry-After is respected, in seconds and as a date', async () => {
    for (const retryAfter of ['12', new Date(Date.UTC(2026, 0, 1) + 13_000).toUTCString()]) {
      await using it = await reflecting('http');
      it.server.store.put('a');
      it.server.failNext(
        answerWith(429, statusBody(429, 'TooManyRequests', 'slow down'), { 'retry-after': retryAfter }),
      );
      it.start();
      await it.untilSame();
      assert(it.clock.monotonic() >= 12_000 && it.clock.monotonic() < 15_000, `${it.clock.monotonic()} ms`);
    }
  });

  test('a sink that throws at the end of a list ends the stream, which starts over with a list', async () => {
    await using it = await reflecting('http');
    const end = it.sink.end.bind(it.sink);
    it.sink.end = () => {
      it.sink.end = end;
      throw new Error('no room');
    };
    it.server.store.put('a');
    it.start();
    await until('another list was read', () => it.sink.lists === 1, it.clock);
    await assertAlive(it);
    assert(it.logged.some(({ event }) => String(event['cause']).includes('no room')));
  });

  test('irrelevant lines are not parsed, and still advance the position', async () => {
    await using it = await started('http', (name) => name.startsWith('boring'));
    const applied = it.sink.applied;
    for (let i = 0; i < 100; i += 1) it.server.store.put(`boring-${i}`);
    it.server.store.put('a');
    await until('the last change came', () => it.sink.applied > applied, it.clock);
    assert.equal(it.sink.applied, applied + 1);
    const watches = () => it.server.requests.filter(isResumedWatch);
    const before = watches().length;
    it.server.failNext((answer, _request, proceed) => {
      it.server.store.put('boring-1');
      proceed({ ...answer, write: (line) => answer.end(Buffer.from(line)) });
    }, isResumedWatch);
    it.server.cutConnections();
    await until('two more watches were opened', () => watches().length >= before + 2, it.clock);
    assert.equal(watches().at(-1)?.query.get('resourceVersion'), String(it.server.store.version));
    assert.equal(it.sink.lists, 1);
  });

  test('a process that was suspended continues with its streams', async () => {
    await using it = await started('h2');
    const connections = it.server.connections;
    await until('the watch is there', () => it.server.requests.length >= 2, it.clock, 0);
    // As after SIGCONT: every timer is long overdue, and received data waits in the sockets.
    it.clock.suspend(120_000);
    await assertAlive(it);
    assert.equal(it.server.connections, connections);
  });

  test('a missing permission is reported with the rule to grant, and logged at growing intervals', async () => {
    await using it = await reflecting('http');
    const message = 'pods is forbidden: User "w" cannot watch resource "pods" in API group "" at the cluster scope';
    const grant = it.server.failAll(answerWith(403, statusBody(403, 'Forbidden', message)));
    it.start();
    await until('some attempts were refused', () => it.server.requests.length > 8, it.clock, 200);
    grant();
    await it.untilSame();
    const warnings = it.logged.filter(({ level }) => level === 'warn');
    assert(warnings.length <= 5, `${warnings.length} warnings`);
    assert.match(
      String(warnings[0]?.event['cause']),
      /ClusterRole: \{apiGroups: \[""\], resources: \["pods"\], verbs: \["watch"\]\}/,
    );
  });
});
