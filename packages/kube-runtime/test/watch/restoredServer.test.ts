import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createApiServer } from '@weeder/embedded-cluster';
import fc from 'fast-check';
import { createActor } from 'xstate';
import { virtualClock } from '../../src/base/virtualClock.ts';
import { createKubeClient } from '../../src/client/client.ts';
import { provideReflector } from '../../src/watch/reflector.ts';
import { answerWith, isResumedWatch, isWatch, statusBody } from '../../testing/faultyServer.ts';
import { misbehavingServer } from '../../testing/misbehavingServer.ts';
import { accessTo, type Reflecting } from '../../testing/reflecting.ts';
import { assertAlive, sending, started } from '../../testing/streamFaults.ts';
import { testSink } from '../../testing/testSink.ts';
import { until } from '../../testing/until.ts';
import { bookmarkLine } from '../../testing/watchLines.ts';

const rewound = ({ logged }: Reflecting) => logged.filter(({ sentence }) => sentence === 'stream rewound');
const isVerification = ({ query }: { readonly query: URLSearchParams }) =>
  query.get('resourceVersionMatch') === 'Exact';

/** Three objects, and so many changes after them. */
async function startedBefore(changes: number): Promise<Reflecting> {
  const it = await started('http');
  for (let count = 0; count < changes; count += 1) it.server.store.put(count % 2 === 0 ? 'a' : `later-${count}`);
  await it.untilSame();
  return it;
}

/** Restores a backup from before most of the 40 changes. */
function restoreBackup({ server: { store } }: Reflecting): void {
  store.restore(store.version - 33);
}

suite('a server that is restored from a backup', { concurrency: 8 }, () => {
  test('a server that is restored and restarted is noticed with the first connection, and listed once', async () => {
    await using it = await startedBefore(40);
    const before = it.clock.monotonic();
    it.server.cutConnections();
    restoreBackup(it);
    await it.untilSame();
    assert(it.clock.monotonic() - before < 5_000, `took ${it.clock.monotonic() - before} ms`);
    await assertAlive(it);
    assert.equal(it.sink.lists, 2);
    assert.deepEqual(
      rewound(it).map(({ level, event }) => [level, event['stream']]),
      [['warn', 'pods']],
    );
    assert.equal(it.statuses.totals().get('pods')?.losses.rewound, 1);
  });

  test('a server that is restored while the watch stays open is noticed when the watch has ended in silence', async () => {
    await using it = await startedBefore(40);
    // The end of a watch, after which the position is the newest version.
    const opened = it.server.requests.filter(isResumedWatch).length;
    await until('the next watch', () => it.server.requests.filter(isResumedWatch).length > opened, it.clock);
    const before = it.clock.monotonic();
    restoreBackup(it);
    await it.untilSame();
    assert(it.clock.monotonic() - before < 30_000, `took ${it.clock.monotonic() - before} ms`);
    await assertAlive(it);
    assert.deepEqual([it.sink.lists, rewound(it).length], [2, 1]);
  });

  test('a list that is older than what the stream has seen is read again, with nothing kept from before', async () => {
    await using it = await startedBefore(40);
    it.server.failNext(answerWith(410, statusBody(410, 'Expired', 'too old')), isResumedWatch);
    it.server.failAll(answerWith(403, statusBody(403, 'Forbidden', 'no')), isVerification);
    restoreBackup(it);
    it.server.cutConnections();
    await until('the second list', () => it.sink.lists >= 3, it.clock);
    it.server.store.put('afterwards');
    await it.untilSame();
    assert.equal(rewound(it).length, 1);
  });

  test('a bookmark that is older than the position leads to one list', async () => {
    await using it = await startedBefore(40);
    it.server.failNext(sending([bookmarkLine(it.server.store.version - 53)], 'hold'), isResumedWatch);
    it.server.cutConnections();
    await until('a list', () => it.sink.lists === 2, it.clock);
    await assertAlive(it);
    assert.equal(rewound(it).length, 1);
  });

  test('a server that still lists its old state is listed with growing pauses, and logged ever more rarely', async () => {
    await using it = await startedBefore(40);
    const gone = {
      ...JSON.parse(statusBody(504, 'Timeout', 'no')),
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
    };
    const heal = it.server.failAll(answerWith(504, JSON.stringify(gone)), isVerification);
    const silence = it.server.failAll((response, { query }) => {
      response.head(200);
      it.clock.setTimeout(() => response.end(), Number(query.get('timeoutSeconds')) * 1_000);
    }, isResumedWatch);
    it.server.cutConnections();
    const before = it.clock.monotonic();
    await until('five minutes', () => it.clock.monotonic() - before > 300_000, it.clock, 100);
    assert(it.sink.lists > 3 && it.sink.lists < 20, `${it.sink.lists} lists`);
    assert(rewound(it).length < 6, `${rewound(it).length} lines`);
    heal();
    silence();
    await it.untilSame();
    await assertAlive(it);
  });

  for (const [what, answer] of [
    ['knows the position', undefined],
    ['forbids the question', answerWith(403, statusBody(403, 'Forbidden', 'no'))],
    ['does not understand the question', answerWith(400, statusBody(400, 'BadRequest', 'no'))],
    ['has compacted the position', answerWith(410, statusBody(410, 'Expired', 'too old'))],
  ] as const)
    test(`a loss is followed by no list if the server ${what}`, async () => {
      await using it = await startedBefore(40);
      const asked = () => it.server.requests.filter(isVerification).length;
      if (answer !== undefined) it.server.failAll(answer, isVerification);
      it.server.cutConnections();
      await until('the question', () => asked() === 1, it.clock);
      await assertAlive(it);
      assert.deepEqual([it.sink.lists, rewound(it).length], [1, 0]);
    });

  test('a stream that receives bookmarks asks nothing', async () => {
    await using it = await startedBefore(40);
    const before = it.clock.monotonic();
    await until('two minutes', () => it.clock.monotonic() - before > 120_000, it.clock);
    assert.equal(it.server.requests.filter(isVerification).length, 0);
    assert.equal(it.server.requests.filter((request) => !isWatch(request)).length, 0);
  });

  /** The version of the server before the first object of a test. */
  const empty = createApiServer().storage.version;

  const stepOf = {
    put: ({ server }: Reflecting, name: string) => server.store.put(name),
    remove: ({ server }: Reflecting, name: string) => server.store.remove(name),
    cut: ({ server }: Reflecting) => server.cutConnections(),
    wait: ({ clock }: Reflecting, _name: string, by: number) => clock.advance(by * 1_000),
    /** Until the restore is noticed, few enough versions are written that the old position stays in the future. */
    async restore(it: Reflecting, _name: string, by: number) {
      it.server.store.put('last');
      await it.untilSame();
      const { lists } = it.sink;
      it.server.store.restore(Math.max(empty, it.server.store.version - by));
      it.server.cutConnections();
      await until('a list', () => it.sink.lists > lists, it.clock);
    },
  };

  test('whatever is written, restored and cut: the stream ends with the state of the server, and without a restore nothing is listed again', async () => {
    const step = fc.record({
      what: fc.constantFrom('put', 'put', 'remove', 'cut', 'wait', 'restore'),
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      by: fc.integer({ min: 1, max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        await using it = await startedBefore(10);
        for (const { what, name, by } of steps) await stepOf[what](it, name, by);
        await it.untilSame();
        assert.deepEqual(it.sink.disorder, []);
        const restores = steps.filter(({ what }) => what === 'restore').length;
        assert.deepEqual([it.sink.lists, rewound(it).length], [1 + restores, restores]);
      }),
      { numRuns: 15 },
    );
  });

  test('one stream that finds a restore makes the others list, although their positions have been reached again', async () => {
    const clock = virtualClock();
    await using server = await misbehavingServer('http', clock);
    const client = createKubeClient({ userAgent: 'weeder/test', access: accessTo(server.url), clock });
    const sinks = { busy: testSink(), quiet: testSink() };
    const machine = provideReflector({
      client,
      clock,
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
      sourceOf: (name) => ({
        path: '/api/v1/pods',
        kind: 'Pod',
        labelSelector: name,
        sink: name === 'busy' ? sinks.busy : sinks.quiet,
      }),
    });
    const actors = ['busy', 'quiet'].map((name) => createActor(machine, { clock, input: { name } }));
    for (const actor of actors) actor.start();
    await until('both have listed', () => sinks.busy.lists + sinks.quiet.lists === 2, clock);
    await until('both watch', () => server.requests.filter(isResumedWatch).length === 2, clock);
    // The quiet stream is asked for by its own position, which the server still knows.
    server.failAll((answer, request) => {
      const isBusy = request.query.get('labelSelector') === 'busy';
      answer.head(200);
      if (isBusy) answer.write(bookmarkLine(3));
    }, isResumedWatch);
    server.cutConnections();
    await until('both have listed again', () => sinks.busy.lists >= 2 && sinks.quiet.lists >= 2, clock);
    for (const actor of actors) actor.stop();
    await client.close();
  });
});
