import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  answerWith,
  type Fault,
  isResumedWatch,
  isWatch,
  type ReceivedRequest,
  statusBody,
} from '../../testing/faultyServer.ts';
import { reflecting } from '../../testing/reflecting.ts';
import { assertAlive, sending, started } from '../../testing/streamFaults.ts';
import { until } from '../../testing/until.ts';
import { bookmarkLine, eventLine, statusObject } from '../../testing/watchLines.ts';

/** A part of a long line, of which only one is held however many are sent. */
const megabyte = Buffer.alloc(1e6, 'x');

suite('faults of a stream', { concurrency: 8 }, () => {
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
      'an object of another kind': [
        sending(
          [eventLine('ADDED', { kind: 'Node', metadata: { name: 'node', uid: 'n', resourceVersion: '900' } })],
          'hold',
        ),
        isWatch,
      ],
      'an object without metadata': [sending([eventLine('ADDED', { kind: 'Pod' })], 'hold'), isWatch],
      'an object without a name': [
        sending(
          [eventLine('ADDED', { kind: 'Pod', metadata: { namespace: 'n', uid: 'u', resourceVersion: '900' } })],
          'hold',
        ),
        isWatch,
      ],
      'an event of an unknown type': [sending([eventLine('MOVED', { kind: 'Pod' })], 'hold'), isWatch],
      'a bookmark without a version': [sending([eventLine('BOOKMARK', { kind: 'Pod' })], 'hold'), isWatch],
      'an ERROR event with 500': [sending([eventLine('ERROR', statusObject(500, 'InternalError'))], 'hold'), isWatch],
      'an ERROR event with 410': [sending([eventLine('ERROR', statusObject(410, 'Expired'))], 'hold'), isWatch],
      'an ERROR event without a Status': [sending([eventLine('ERROR', { a: 1 })], 'hold'), isWatch],
      'a 410': [answerWith(410, statusBody(410, 'Expired', 'too old resource version')), isResumedWatch],
      'a resource version in the future': [
        answerWith(
          504,
          JSON.stringify({
            ...statusObject(504, 'Timeout'),
            details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
          }),
        ),
        isResumedWatch,
      ],
      'a bookmark older than the current position': [sending([bookmarkLine(3)], 'hold'), isResumedWatch],
      'a line of 50 MB': [
        sending(['{"type":"ADDED","object":"', ...Array.from({ length: 50 }, () => megabyte), '"}\n'], 'hold'),
        isWatch,
      ],
      'a 429': [answerWith(429, statusBody(429, 'TooManyRequests', 'slow down'), { 'retry-after': '1' }), isWatch],
    };
    for (const [what, [fault, applies]] of Object.entries(faults)) {
      test(`over ${protocol}, the stream recovers from ${what}, on its first and on a later watch`, async () => {
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
  }

  test('an object of another kind does not reach the sink, even if it is complete', async () => {
    await using it = await started('http');
    const applied = it.sink.applied;
    const metadata = { name: 'node', uid: 'n', resourceVersion: '104' };
    it.server.failNext(
      sending([eventLine('ADDED', { kind: 'Node', apiVersion: 'v1', metadata })], 'end'),
      isResumedWatch,
    );
    const watches = () => it.server.requests.filter(isResumedWatch).length;
    const before = watches();
    it.server.cutConnections();
    await until('the watch after it is open', () => watches() >= before + 2, it.clock);
    assert.equal(it.sink.applied, applied);
  });

  test('a kind that the API server does not have is requested each second, and found within two seconds once it exists', async () => {
    const whenMissing = 'The API server has no such kind: apply its definition.';
    await using it = await reflecting('http', undefined, { whenMissing });
    const define = it.server.failAll(answerWith(404, '404 page not found\n', { 'content-type': 'text/plain' }));
    it.server.store.put('a');
    it.start();
    await until('minutes have passed', () => it.clock.monotonic() > 300_000, it.clock, 100);
    const requested = it.server.requests.length;
    assert(requested > 200 && requested < 700, `${requested} requests in five minutes`);
    assert.deepEqual(
      [...new Set(it.logged.filter(({ level }) => level === 'warn').map(({ event }) => event['cause']))],
      [whenMissing],
    );
    const warnings = it.logged.filter(({ level }) => level === 'warn').length;
    assert(warnings < 15, `${warnings} warnings in five minutes`);
    const [status] = it.statuses.all();
    assert.deepEqual([status?.isRefused, status?.problem], [true, whenMissing]);
    define();
    const comes = it.clock.monotonic();
    await it.untilSame();
    assert(it.clock.monotonic() - comes <= 2_000, `found after ${it.clock.monotonic() - comes} ms`);
  });
});
