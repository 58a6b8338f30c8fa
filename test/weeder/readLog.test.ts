import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weeder/kube-runtime/base';
import type { ApiFailure, ApiRequest, FailureType } from '@weeder/kube-runtime/client';
import { type ApiResult, createKubeClient } from '@weeder/kube-runtime/client';
import { accessTo, faultyServer, settled, virtualClock } from '@weeder/kube-runtime/testing';
import { readLogThrough } from '../../src/weeder/deletions/readLog.ts';
import { crashLoopingPod } from '../support/objects/crashLoopingPod.ts';

const pod = crashLoopingPod();
const log = (body: string): ApiResult => ({ ok: true, status: 200, body });
const failed = (type: FailureType, rest: Partial<ApiFailure> = {}): ApiResult => ({
  ok: false,
  failure: { type, message: `it was ${type}`, ...rest },
});

/**
 * Reads through a client that answers like this, or not until the read is aborted; `unsent`: the client-side limit holds
 * the request back.
 */
function reader(answer: (request: ApiRequest) => ApiResult | 'unanswered' | 'unsent', latency = 0) {
  const clock = virtualClock();
  const asked: ApiRequest[] = [];
  const reported: string[] = [];
  const call = (request: ApiRequest): Promise<ApiResult> => {
    asked.push(request);
    const result = answer(request);
    if (result !== 'unsent') request.isNeeded?.();
    const { promise, resolve } = Promise.withResolvers<ApiResult>();
    if (typeof result === 'object' && latency === 0) resolve(result);
    else if (typeof result === 'object') clock.setTimeout(() => resolve(result), latency);
    request.signal?.addEventListener('abort', () => resolve(failed('cancelled')));
    return promise;
  };
  const readLog = readLogThrough({ call, server: 'https://cluster' }, clock, ({ pod: of, cause }) =>
    reported.push(`${of}: ${cause}`),
  );
  /** A read that is given up after 500 ms, as the machine does. */
  const read = async (name = 'web-0') => {
    const limit = new AbortController();
    clock.setTimeout(() => limit.abort(), 500);
    return readLog({ ...pod, name }, 20, limit.signal);
  };
  return { clock, asked, reported, readLog, read };
}

test('one GET reads the last lines of the crashed container, without `previous`', async () => {
  const { asked, read } = reader(() => log('one\ntwo\n'));
  assert.deepEqual(await read(), ['one', 'two']);
  const [{ method, path, query, isText, isConfidential, rank } = assert.fail()] = asked;
  assert.deepEqual([method, path], ['GET', '/api/v1/namespaces/shop/pods/web-0/log']);
  assert.deepEqual(query, { container: 'main', tailLines: 20, limitBytes: 4_194_305 });
  assert.deepEqual([isText, isConfidential, rank], [true, true, 'last']);
});

test('of a long log the last 4 KiB are kept, in whole lines, or the beginning of the last line', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `${index} ${'ü'.repeat(200)}`);
  const { read } = reader(() => log(lines.join('\n')));
  const kept = (await read()) ?? [];
  assert.deepEqual(kept, lines.slice(-kept.length));
  assert.equal(kept.length, Math.floor(4096 / (Buffer.byteLength(lines.at(-1) ?? '') + 1)));
  const { read: readLong } = reader(() => log(`short\n${'x'.repeat(9000)}\n`));
  const [line = '', ...others] = (await readLong()) ?? [];
  assert.deepEqual([Buffer.byteLength(line), line.slice(0, 3), others], [4096, 'xxx', []]);
  const { read: readNothing } = reader(() => log(''));
  assert.deepEqual(await readNothing(), []);
});

test('of a burst, eight reads are sent at a time, and the others wait until their time is over', async () => {
  const { clock, asked, read } = reader(() => 'unanswered');
  const burst = Array.from({ length: 1000 }, (_, index) => read(`web-${index}`));
  await settled();
  assert.equal(asked.length, 8);
  await clock.pass(500);
  assert.deepEqual(new Set(await Promise.all(burst)), new Set([undefined]));
  assert.equal(asked.length, 8);
});

test('a read is not sent if its turn comes so late that there is no time for the response', async () => {
  const { clock, asked, reported, read } = reader(() => log('a line'), 150);
  const burst = Array.from({ length: 100 }, (_, index) => read(`web-${index}`));
  await clock.pass(500);
  assert.deepEqual([asked.length, reported], [24, []]);
  const lines = await Promise.all(burst);
  assert.equal(lines.filter((each) => each !== undefined).length, 24);
});

test('a read that has ended makes room for the next one', async () => {
  const { asked, read } = reader(({ path }) => log(path));
  const burst = Array.from({ length: 100 }, (_, index) => read(`web-${index}`));
  assert.equal((await Promise.all(burst)).length, 100);
  assert.equal(asked.length, 100);
});

test('a refusal is reported once with the rule that grants it, and stops all reads for a minute', async () => {
  const message =
    'pods "web-0" is forbidden: User "weeder" cannot get resource "pods/log" in API group "" in the namespace "shop"';
  let answer = failed('forbidden', { message, status: 403 });
  const { clock, asked, reported, read } = reader(() => answer);
  const burst = Array.from({ length: 100 }, () => read());
  assert.deepEqual(new Set(await Promise.all(burst)), new Set([undefined]));
  assert.equal(asked.length, 8);
  const rule = 'Grant it in a Role in namespace shop: {apiGroups: [""], resources: ["pods/log"], verbs: ["get"]}.';
  assert.deepEqual(reported, [`shop/web-0: https://cluster refused (403): ${message}. ${rule}`]);
  await clock.pass(59_999);
  assert.equal(await read(), undefined);
  assert.equal(asked.length, 8);
  await clock.pass(1);
  await read();
  assert.deepEqual([asked.length, reported.length], [9, 1]);
  await clock.pass(60_000);
  answer = log('a line');
  assert.deepEqual(await read(), ['a line']);
});

test('a read without an answer is reported once, and stops all reads for ten seconds', async () => {
  let answer: ApiResult | 'unanswered' = 'unanswered';
  const { clock, asked, reported, read } = reader(() => answer);
  const hanging = read();
  await clock.pass(500);
  assert.equal(await hanging, undefined);
  assert.deepEqual(reported, [
    'shop/web-0: https://cluster did not answer in time: the log was not received within 500 ms. The API server or the network on the way to it hangs.',
  ]);
  answer = log('a line');
  assert.equal(await read(), undefined);
  await clock.pass(10_000);
  assert.deepEqual(await read(), ['a line']);
  assert.equal(asked.length, 2);
});

test('a read that the client-side limit holds back is neither reported nor stops other reads', async () => {
  let answer: ApiResult | 'unsent' = 'unsent';
  const { clock, reported, read } = reader(() => answer);
  const held = read();
  await clock.pass(500);
  assert.equal(await held, undefined);
  answer = log('a line');
  assert.deepEqual([await read(), reported], [['a line'], []]);
});

test('a read of a pod that changes meanwhile, or that has no log, is neither reported nor stops other reads', async () => {
  const { clock, asked, reported, readLog, read } = reader(({ path }) =>
    path.includes('gone') ? failed('notFound') : path.includes('new') ? failed('rejected') : 'unanswered',
  );
  const change = new AbortController();
  const changed = readLog(pod, 20, change.signal);
  await clock.pass(100);
  change.abort();
  assert.equal(await changed, undefined);
  assert.equal(await read('gone'), undefined);
  assert.equal(await read('new'), undefined);
  assert.deepEqual([asked.length, reported], [3, []]);
});

test('each kind of failure is reported once until a read succeeds again', async () => {
  let answer = failed('unavailable', { status: 500 });
  const { reported, read } = reader(() => answer);
  await read();
  await read();
  assert.equal(reported.length, 1);
  answer = log('');
  await read();
  answer = failed('unavailable', { status: 500 });
  await read();
  assert.equal(reported.length, 2);
});

for (const protocol of ['https', 'h2'] as const) {
  /** Reads this log through a server that counts `limitBytes` from the first of the lines, as a kubelet does. */
  async function readFrom(whole: string) {
    await using server = await faultyServer(protocol, ({ query }, answer) => {
      const limit = Number(query.get('limitBytes'));
      answer.head(200, { 'content-type': 'text/plain' });
      answer.end(Buffer.from(whole).subarray(0, limit).toString());
    });
    const reported: string[] = [];
    const client = createKubeClient({ userAgent: 'weeder/test', access: accessTo(server.url), clock: systemClock });
    const readLog = readLogThrough(client, systemClock, ({ cause }) => reported.push(cause));
    const lines = await readLog(pod, 20, new AbortController().signal);
    await client.close();
    return { lines, reported };
  }

  test(`over ${protocol}, the end of a log is kept, however long its last lines are`, async () => {
    const dump = Array.from({ length: 18 }, (_, index) => `${index} ${'ü'.repeat(50_000)}`);
    const end = ['panic: no route to the database', 'goroutine 1 [running]:'];
    assert.deepEqual(await readFrom([...dump, ...end].join('\n')), { lines: end, reported: [] });
  });

  test(`over ${protocol}, the last lines are given up if they have more than 4 MiB, and that is reported`, async () => {
    const { lines, reported } = await readFrom(`${'x'.repeat(5 << 20)}\npanic`);
    assert.equal(lines, undefined);
    assert.match(reported.join(), /the response is longer than 4 MiB/);
  });
}
