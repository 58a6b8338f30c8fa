import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  answerWith,
  type FaultyServer,
  faultyServer,
  folder,
  httpProxy,
  until,
  type VirtualClock,
  virtualClock,
} from '@weeder/kube-runtime/testing';
import type { ReceiverConfig } from '../../src/config/schema/notificationsSchema.ts';
import { createDelivery } from '../../src/notifications/delivery.ts';
import { formats } from '../../src/notifications/formats.ts';
import { occurrence, receiverConfig } from '../support/notifications/notifying.ts';

const tls = new URL('../../packages/kube-runtime/testing/tls/', import.meta.url);
const certificate = readFileSync(new URL('server.crt', tls));
const otherAuthority = readFileSync(new URL('other-authority.crt', tls));
const notification = { id: 'id-1', time: Date.UTC(2026, 0, 1), occurrence: occurrence() };
const never = new AbortController().signal;

function accepting(protocol: 'http' | 'https' | 'h2'): Promise<FaultyServer> {
  return faultyServer(protocol, (_, answer) => {
    answer.head(202);
    answer.end();
  });
}

/** A delivery that is closed after the test. */
function delivering(t: TestContext, config: Partial<ReceiverConfig>, clock: VirtualClock = virtualClock()) {
  const delivery = createDelivery('ops', receiverConfig(config), clock);
  t.after(() => delivery.close());
  return { clock, send: (signal = never) => delivery.send([notification], signal) };
}

for (const protocol of ['http', 'https', 'h2'] as const) {
  test(`a request over ${protocol} has the body, the type of the body and the token`, async (t) => {
    await using server = await accepting(protocol);
    using dir = folder();
    const caFile = dir.write('ca.crt', certificate);
    const tokenFile = dir.write('token', 's3cret\n');
    const { send } = delivering(t, { url: `${server.url}/events/in?key=a%2Bb`, caFile, tokenFile });
    assert.deepEqual(await send(), { type: 'delivery.accepted' });
    const [request] = server.requests;
    assert.partialDeepStrictEqual(request, { method: 'POST', path: '/events/in' });
    assert.equal(request?.query.get('key'), 'a+b');
    assert.equal(request?.headers['content-type'], 'application/cloudevents-batch+json; charset=utf-8');
    assert.equal(request?.headers['authorization'], 'Bearer s3cret');
    assert.deepEqual(
      JSON.parse(request?.body ?? ''),
      JSON.parse(JSON.stringify(formats['cloudevents-batch'].body([notification], 'weeder'))),
    );
  });
}

test('every answer of 2xx is an acceptance, whatever its body is', async (t) => {
  await using server = await accepting('http');
  const { send } = delivering(t, { url: server.url });
  for (const [status, body, type] of [
    [200, 'ok', 'text/html'],
    [202, '{"a":', 'application/json'],
    [204, '', 'text/plain'],
  ] as const) {
    server.failNext(answerWith(status, body, { 'content-type': type }));
    assert.deepEqual(await send(), { type: 'delivery.accepted' });
  }
});

test('what may be over later is a failure, with the pause that the receiver asks for', async (t) => {
  await using server = await accepting('http');
  const { send } = delivering(t, { url: server.url });
  for (const status of [301, 401, 403, 404, 408, 429, 500, 502, 503]) {
    server.failNext(answerWith(status, 'no'));
    assert.equal((await send()).type, 'delivery.failed', String(status));
  }
  for (const status of [429, 503]) {
    server.failNext(answerWith(status, '', { 'retry-after': '7' }));
    assert.partialDeepStrictEqual(await send(), { type: 'delivery.failed', retryAfter: 7_000 });
  }
});

test('what the receiver would refuse again is rejected', async (t) => {
  await using server = await accepting('http');
  const { send } = delivering(t, { url: server.url });
  for (const status of [400, 405, 409, 410, 413, 415, 422]) {
    server.failNext(answerWith(status, 'no'));
    assert.equal((await send()).type, 'delivery.rejected', String(status));
  }
});

test('a receiver that is slow is waited for, and one that hangs fails after five seconds', async (t) => {
  await using server = await accepting('http');
  const { clock, send } = delivering(t, { url: server.url });
  let slow = () => {};
  server.failNext((_, _request, proceed) => {
    slow = proceed;
  });
  const waiting = send();
  await until('the request has arrived', () => server.requests.length === 1);
  clock.advance(4_900);
  slow();
  assert.deepEqual(await waiting, { type: 'delivery.accepted' });
  server.failNext(() => {});
  const hanging = send();
  await until('the request has arrived', () => server.requests.length === 2);
  clock.advance(5_000);
  const reason = `${server.url}: no data was received for 5 s`;
  assert.deepEqual(await hanging, { type: 'delivery.failed', reason });
  assert.deepEqual(await send(), { type: 'delivery.accepted' });
});

test('a receiver that is down, and one that cuts the connection, are failures until it is there again', async (t) => {
  await using server = await accepting('http');
  const { send } = delivering(t, { url: server.url });
  server.failNext((answer) => answer.cut());
  assert.equal((await send()).type, 'delivery.failed');
  server.stopListening();
  assert.deepEqual(await send(), { type: 'delivery.failed', reason: `${server.url}: the connection was refused` });
  await server.restore();
  assert.deepEqual(await send(), { type: 'delivery.accepted' });
});

test('a request ends with its signal', async (t) => {
  await using server = await accepting('http');
  const { send } = delivering(t, { url: server.url });
  server.failNext(() => {});
  const stop = new AbortController();
  const sent = send(stop.signal);
  await until('the request has arrived', () => server.requests.length === 1);
  stop.abort();
  assert.equal((await sent).type, 'delivery.failed');
});

test('a receiver whose certificate another authority has signed gets nothing, until the file has the right one', async (t) => {
  using dir = folder();
  await using server = await accepting('https');
  const caFile = dir.write('ca.crt', otherAuthority);
  const { send } = delivering(t, { url: server.url, caFile });
  const answer = await send();
  assert.match(answer.type === 'delivery.failed' ? answer.reason : '', /the server is not trusted/);
  assert.equal(server.requests.length, 0);
  writeFileSync(caFile, certificate);
  assert.deepEqual(await send(), { type: 'delivery.accepted' });
});

test('a new token is sent at once after a 401, and otherwise within half a minute', async (t) => {
  using dir = folder();
  await using server = await accepting('http');
  const tokenFile = dir.write('token', 'first');
  const { clock, send } = delivering(t, { url: server.url, tokenFile });
  const sent = () => server.requests.at(-1)?.headers['authorization'];
  await send();
  writeFileSync(tokenFile, 'second');
  server.failNext(answerWith(401, ''));
  assert.equal((await send()).type, 'delivery.failed');
  await send();
  assert.equal(sent(), 'Bearer second');
  writeFileSync(tokenFile, 'third');
  clock.advance(30_000);
  await send();
  assert.equal(sent(), 'Bearer third');
});

test('a missing or empty file is a failure that names it, and nothing is sent', async (t) => {
  await using server = await accepting('https');
  using dir = folder();
  const missing = join(dir.path, 'nosuch');
  const empty = dir.write('empty', '');
  const caFile = dir.write('ca.crt', certificate);
  const reasonOf = async (config: Partial<ReceiverConfig>) => {
    const answer = await delivering(t, config).send();
    return answer.type === 'delivery.failed' ? answer.reason : answer.type;
  };
  for (const part of [{ tokenFile: missing }, { caFile: missing }, { url: undefined, urlFile: missing }])
    assert.match(
      await reasonOf({ url: server.url, caFile, ...part }),
      new RegExp(`no such file or directory.*${missing}`),
    );
  assert.match(await reasonOf({ url: server.url, caFile, tokenFile: empty }), /the token file .*empty is empty/);
  assert.match(
    await reasonOf({ url: undefined, urlFile: empty }),
    /the content of .*empty: not an http or https address/,
  );
  assert.equal(server.requests.length, 0);
  const tokenFile = dir.write('token', 'a');
  const { send } = delivering(t, { url: server.url, caFile, tokenFile });
  rmSync(tokenFile);
  assert.equal((await send()).type, 'delivery.failed');
  dir.write('token', 'b');
  assert.deepEqual(await send(), { type: 'delivery.accepted' });
});

test('the address of urlFile is read for each request', async (t) => {
  using dir = folder();
  await using one = await accepting('http');
  await using other = await accepting('http');
  const urlFile = dir.write('url', `${one.url}/services/T0/B0/secret\n`);
  const { send } = delivering(t, { url: undefined, urlFile });
  await send();
  writeFileSync(urlFile, `${one.url}/services/T0/B0/newer\n`);
  await send();
  writeFileSync(urlFile, other.url);
  await send();
  assert.deepEqual(
    [one, other].map(({ requests }) => requests.map(({ path }) => path)),
    [['/services/T0/B0/secret', '/services/T0/B0/newer'], ['/']],
  );
});

test('no reason has the path of the address, the token, or anything that the receiver writes', async (t) => {
  await using server = await accepting('http');
  using dir = folder();
  const urlFile = dir.write('url', `${server.url}/secret-path?sig=secret-query`);
  const { send } = delivering(t, { url: undefined, urlFile, tokenFile: dir.write('token', 'secret-token') });
  const reasons: string[] = [];
  for (const status of [400, 401, 404, 500]) {
    server.failNext((answer, request) => {
      answer.head(status, { 'content-type': 'text/plain' });
      answer.end(`cannot POST ${request.path}?${request.query} with ${request.headers['authorization']}`);
    });
    const answer = await send();
    reasons.push('reason' in answer ? answer.reason : '');
  }
  server.stopListening();
  const down = await send();
  reasons.push('reason' in down ? down.reason : '');
  assert.deepEqual(
    reasons.map((reason) => reason.replace(server.url, 'RECEIVER')),
    [
      ...[400, 401, 404, 500].map((status) => `RECEIVER: the response was ${status} with a body that is not shown`),
      'RECEIVER: the connection was refused',
    ],
  );
});

test('a proxy of the environment is used as for the API server', async (t) => {
  await using proxy = await httpProxy();
  await using server = await accepting('http');
  const url = server.url.replace('127.0.0.1', 'receiver.cluster.test');
  t.after(() => delete process.env['HTTP_PROXY']);
  process.env['HTTP_PROXY'] = `http://127.0.0.1:${proxy.port}`;
  assert.deepEqual(await delivering(t, { url }).send(), { type: 'delivery.accepted' });
  assert.deepEqual(proxy.targets, [new URL(url).host]);
  process.env['HTTP_PROXY'] = 'ftp://127.0.0.1';
  const refused = await delivering(t, { url }).send();
  assert.match('reason' in refused ? refused.reason : '', /^the \$HTTP_PROXY is not an http, https or socks5 address/);
});
