import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { body, meta, names, refused, versionOf } from '../../conformance/target.ts';
import { createApiServer } from '../../src/apiserver/apiServer.ts';
import { failure } from '../../src/apiserver/meta/status.ts';
import { resource } from '../../src/apiserver/registry/resource.ts';
import { leases } from '../../src/apiserver/strategies/resources.ts';
import { objectOf } from '../../src/base/json.ts';
import { createClient } from '../../src/client.ts';
import { flushTasks, simulatedClock } from '../../src/clock/simulatedClock.ts';
import { lease, leasePath, linesOf, serving } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { usedBytes } from '../support/usedBytes.ts';

test('timestamps and the timeouts of watches follow the clock', async () => {
  const clock = simulatedClock(Date.UTC(2031, 1, 3, 4, 5, 6, 789));
  await using at = await serving({ clock });
  const object = body(await at.client.send('POST', leasePath, { body: lease('a') }), 201);
  assert.equal(meta(object)['creationTimestamp'], '2031-02-03T04:05:06Z');
  const query = `watch=true&resourceVersion=${versionOf(object)}&allowWatchBookmarks=true&timeoutSeconds=600`;
  const watched = linesOf(at.client, `${leasePath}?${query}`);
  await until('the watch is open', () => at.server.requests.count('watch', 'leases') === 1);
  await clock.pass(600_000);
  const types = (await watched).map((line) => String(objectOf(JSON.parse(line))['type']));
  // One bookmark a minute, and the last one two seconds before the end.
  assert.deepEqual(types, Array(11).fill('BOOKMARK').slice(0, types.length));
  assert(types.length >= 10);
  assert.equal(clock.pending, 0);
});

test('a bookmark that is due when a watch ends is not written', async () => {
  const clock = simulatedClock();
  await using at = await serving({ clock });
  const watched = linesOf(
    at.client,
    `${leasePath}?watch=true&resourceVersion=0&allowWatchBookmarks=true&timeoutSeconds=120`,
  );
  await until('the watch is open', () => at.server.requests.count('watch', 'leases') === 1);
  clock.advance(120_000);
  assert.equal((await watched).length, 2, 'one after a minute, and the last one two seconds before the end');
});

test('a slow reader of a watch uses no memory, and gets a 410 once the history no longer covers it', async () => {
  await using at = await serving({ historyLimit: 50 });
  const socket = connect(Number(new URL(at.url).port), '127.0.0.1');
  socket.pause();
  socket.write(`GET ${leasePath}?watch=true&resourceVersion=0 HTTP/1.1\r\nhost: x\r\n\r\n`);
  await until('the watch is open', () => at.server.requests.count('watch', 'leases') === 1);
  const filler = 'x'.repeat(100_000);
  const before = usedBytes();
  for (let i = 0; i < 600; i += 1) {
    const annotations = { filler: `${i}${filler}` };
    if (i === 0) at.store.create(leases, lease('a', { annotations }));
    else at.store.patch(leases, 'default', 'a', { metadata: { annotations } });
    await flushTasks();
  }
  const grown = usedBytes() - before;
  assert(grown < 30_000_000, `${grown} bytes for 60 MB of events`);
  let received = '';
  socket.on('data', (piece) => {
    received = (received + piece.toString('latin1')).slice(-2_000);
  });
  socket.resume();
  await until('the end', () => received.includes('"type":"ERROR"'));
  assert.match(received, /"reason":"Expired","code":410/);
  socket.destroy();
});

test('a resource in addition to the built-in ones needs one definition', async () => {
  const widgets = resource({
    group: 'example.io',
    plural: 'widgets',
    kind: 'Widget',
    fields: ['spec', 'status'],
    generation: 'spec',
  });
  await using at = await serving({ resources: [widgets] });
  const path = '/apis/example.io/v1/namespaces/default/widgets';
  const widget = body(
    await at.client.send('POST', path, { body: { metadata: { name: 'a' }, spec: { size: 1 } } }),
    201,
  );
  assert.deepEqual([widget['apiVersion'], widget['kind'], widget['spec']], ['example.io/v1', 'Widget', { size: 1 }]);
  const options = { body: { status: { ready: true } }, contentType: 'application/merge-patch+json' };
  const changed = body(await at.client.send('PATCH', `${path}/a/status`, options), 200);
  assert.deepEqual(changed['status'], { ready: true });
  assert.equal(body(await at.client.send('GET', '/apis/example.io'), 200)['name'], 'example.io');
});

test('with tokens configured, requests without a valid token are refused', async () => {
  await using at = await serving({ tokens: ['secret'] });
  refused(await at.client.send('GET', leasePath), 401, 'Unauthorized');
  refused(await at.client.send('GET', leasePath, { token: 'other' }), 401, 'Unauthorized');
  body(await at.client.send('GET', leasePath, { token: 'secret' }), 200);
});

test('injected faults delay, refuse or disconnect the selected requests', async () => {
  await using at = await serving();
  const overloaded = failure(429, 'TooManyRequests', 'too many requests', { retryAfterSeconds: 3 });
  at.server.setFaults(({ method }) => (method === 'POST' ? { refuse: overloaded } : { delayMs: 50 }));
  const answer = await at.client.send('POST', leasePath, { body: lease('a') });
  refused(answer, 429, 'TooManyRequests');
  assert.equal(answer.headers['retry-after'], '3');
  const began = performance.now();
  body(await at.client.send('GET', leasePath), 200);
  assert(performance.now() - began >= 45);
  at.server.setFaults(() => ({ refuse: 'cut' }));
  await assert.rejects(at.client.send('GET', leasePath));
  at.server.setFaults(undefined);
  body(await at.client.send('GET', leasePath), 200);
});

test('requests are counted by verb and resource', async () => {
  await using at = await serving();
  await at.client.send('GET', '/api/v1/pods?limit=5');
  await at.client.send('GET', '/api/v1/namespaces/default/pods/a');
  await linesOf(at.client, '/api/v1/pods?watch=true&timeoutSeconds=1');
  await at.client.send('DELETE', '/api/v1/namespaces/default/pods');
  await at.client.send('GET', '/version');
  const { requests } = at.server;
  const counts = (['list', 'get', 'watch', 'deletecollection'] as const).map((verb) => requests.count(verb, 'pods'));
  assert.deepEqual(counts, [1, 1, 1, 1]);
  assert.deepEqual(
    requests.latest.map(({ verb }) => verb),
    ['list', 'get', 'watch', 'deletecollection', 'other'],
  );
  assert.equal(requests.latest[0]?.url, '/api/v1/pods?limit=5');
});

test('a server that is closed and listens again still has its objects', async () => {
  const server = createApiServer();
  const first = await server.listen();
  server.store.create(leases, lease('a'));
  await first.close();
  const second = await server.listen(Number(new URL(first.url).port));
  const client = createClient(second.url);
  assert.deepEqual(names(body(await client.send('GET', leasePath), 200)), ['a']);
  assert.equal(second.url, first.url);
  await second.close();
});

test('malformed requests get an error response, and the server continues', async () => {
  await using at = await serving();
  const paths = [
    '/api/v1/namespaces/%ZZ/pods',
    '/api/v1//',
    '//',
    '/api/v1/namespaces/a/b/c/d/e',
    '/apis',
    '/api/v1/pods?limit=5&limit=6&&&=',
    '/?',
  ];
  for (const path of paths) {
    const { status } = await at.client.send('GET', path);
    assert(status < 500, `${path}: ${status}`);
  }
  const long = { metadata: { name: 'a', annotations: { filler: 'x'.repeat(4 << 20) } } };
  refused(await at.client.send('POST', leasePath, { body: long }), 413, 'RequestEntityTooLarge');
  const odd = '{"metadata":{"name":"odd","annotations":{"constructor":"y"}}}';
  const object = body(await at.client.send('POST', leasePath, { text: odd }), 201);
  assert.equal(objectOf(meta(object)['annotations'])['constructor'], 'y');
  assert.deepEqual(names(body(await at.client.send('GET', `${leasePath}?labelSelector=constructor`), 200)), []);
});
