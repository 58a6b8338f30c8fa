import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { createApiServer } from '../src/demo/apiServer/apiServer.ts';
import { resource } from '../src/demo/apiServer/resource.ts';
import { endpointSlices, leases, namespaces, pods } from '../src/demo/apiServer/resources.ts';
import { failure } from '../src/demo/apiServer/status.ts';
import { objectOf } from '../src/json.ts';
import { type HttpClient, httpClient } from './cluster/support/http.ts';
import { body, meta, names, refused, versionOf } from './conformance/target.ts';
import { until } from './support/until.ts';
import { settled, virtualClock } from './support/virtualClock.ts';

/** A server of the test's own, and a client for it. */
async function serving(options: Parameters<typeof createApiServer>[0] = {}) {
  const server = createApiServer(options);
  const listening = await server.listen();
  const client = httpClient(listening.url);
  return {
    server,
    store: server.store,
    url: listening.url,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await listening.close();
    },
  };
}

const leasePath = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

function lease(name: string, more: object = {}) {
  return { metadata: { name, namespace: 'default', ...more } };
}

async function linesOf(client: HttpClient, path: string): Promise<string[]> {
  const { lines } = await client.lines(path);
  return Array.fromAsync(lines);
}

test('times are the clock’s, and watches end by it', async () => {
  const clock = virtualClock(Date.UTC(2031, 1, 3, 4, 5, 6, 789));
  await using at = await serving({ clock });
  const made = body(await at.client.send('POST', leasePath, { body: lease('a') }), 201);
  assert.equal(meta(made)['creationTimestamp'], '2031-02-03T04:05:06Z');
  const query = `watch=true&resourceVersion=${versionOf(made)}&allowWatchBookmarks=true&timeoutSeconds=600`;
  const watched = linesOf(at.client, `${leasePath}?${query}`);
  await until('the watch is open', () => at.server.requests.count('watch', 'leases') === 1);
  await clock.pass(600_000);
  const types = (await watched).map((line) => String(objectOf(JSON.parse(line))['type']));
  // One a minute, and the one two seconds before the end.
  assert.deepEqual(types, Array(11).fill('BOOKMARK').slice(0, types.length));
  assert(types.length >= 10);
  assert.equal(clock.pending, 0);
});

test('a reader that does not read costs no memory, and is told 410 when it was left behind', async () => {
  await using at = await serving({ historyLimit: 50 });
  const socket = connect(Number(new URL(at.url).port), '127.0.0.1');
  socket.pause();
  socket.write(`GET ${leasePath}?watch=true&resourceVersion=0 HTTP/1.1\r\nhost: x\r\n\r\n`);
  await until('the watch is open', () => at.server.requests.count('watch', 'leases') === 1);
  const filler = 'x'.repeat(100_000);
  const before = process.memoryUsage().heapUsed + process.memoryUsage().external;
  for (let i = 0; i < 600; i += 1) {
    const annotations = { filler: `${i}${filler}` };
    if (i === 0) at.store.create(leases, lease('a', { annotations }));
    else at.store.patch(leases, 'default', 'a', { metadata: { annotations } });
    await settled();
  }
  const grown = process.memoryUsage().heapUsed + process.memoryUsage().external - before;
  assert(grown < 45_000_000, `${grown} bytes for 60 MB of events`);
  let received = '';
  socket.on('data', (piece) => {
    received = (received + piece.toString('latin1')).slice(-2_000);
  });
  socket.resume();
  await until('the end', () => received.includes('"type":"ERROR"'));
  assert.match(received, /"reason":"Expired","code":410/);
  socket.destroy();
});

test('a history that is full forgets the oldest changes', async () => {
  await using at = await serving({ historyLimit: 10 });
  const first = at.store.create(leases, lease('a'));
  assert(first.ok);
  for (let i = 0; i < 500; i += 1) {
    at.store.patch(leases, 'default', 'a', { spec: { holderIdentity: String(i) } });
  }
  const lines = await linesOf(at.client, `${leasePath}?watch=true&resourceVersion=${versionOf(first.value)}`);
  assert.deepEqual(
    lines.map((line) => objectOf(objectOf(JSON.parse(line))['object'])['code']),
    [410],
  );
});

test('controllers in the same process see what clients do, and the other way round', async () => {
  await using at = await serving();
  const seen: string[] = [];
  const stop = at.store.watch(
    leases,
    { namespace: 'default', labelSelector: { matchLabels: { x: '1' } } },
    (type, { metadata }) => {
      seen.push(`${type} ${metadata.name}`);
    },
  );
  await at.client.send('POST', leasePath, { body: lease('a', { labels: { x: '1' } }) });
  await at.client.send('POST', leasePath, { body: lease('b') });
  await at.client.send('DELETE', `${leasePath}/a`);
  assert.deepEqual(seen, ['ADDED a', 'DELETED a']);
  stop();
  await at.client.send('POST', leasePath, { body: lease('c', { labels: { x: '1' } }) });
  assert.equal(seen.length, 2);
  assert.deepEqual(names(body(await at.client.send('GET', leasePath), 200)), ['b', 'c']);
  const stale = at.store.get(leases, 'default', 'b');
  assert(stale !== undefined);
  assert(at.store.patch(leases, 'default', 'b', { spec: { holderIdentity: 'x' } }).ok);
  const refusal = at.store.update(leases, { ...stale, spec: { holderIdentity: 'y' } });
  assert(!refusal.ok && refusal.problem.code === 409);
});

test('a controller may write while it is told of a change', async () => {
  await using at = await serving();
  const order: string[] = [];
  at.store.watch(leases, {}, (type, { metadata, spec }) => {
    order.push(`${type} ${String(objectOf(spec)['leaseTransitions'] ?? 0)}`);
    if (order.length < 4) {
      const leaseTransitions = order.length;
      at.store.patch(leases, 'default', metadata.name, { spec: { leaseTransitions } });
    }
  });
  at.store.create(leases, lease('a'));
  await settled();
  assert.deepEqual(order, ['ADDED 0', 'MODIFIED 1', 'MODIFIED 2', 'MODIFIED 3']);
});

test('a resource of one’s own is a row', async () => {
  const widgets = resource({
    group: 'example.io',
    plural: 'widgets',
    kind: 'Widget',
    fields: ['spec', 'status'],
    generation: 'spec',
  });
  await using at = await serving({ resources: [widgets] });
  const path = '/apis/example.io/v1/namespaces/default/widgets';
  const made = body(await at.client.send('POST', path, { body: { metadata: { name: 'a' }, spec: { size: 1 } } }), 201);
  assert.deepEqual([made['apiVersion'], made['kind'], made['spec']], ['example.io/v1', 'Widget', { size: 1 }]);
  const options = { body: { status: { ready: true } }, contentType: 'application/merge-patch+json' };
  const changed = body(await at.client.send('PATCH', `${path}/a/status`, options), 200);
  assert.deepEqual(changed['status'], { ready: true });
  assert.equal(body(await at.client.send('GET', '/apis/example.io'), 200)['name'], 'example.io');
});

test('with tokens nobody else is let in', async () => {
  await using at = await serving({ tokens: ['secret'] });
  refused(await at.client.send('GET', leasePath), 401, 'Unauthorized');
  refused(await at.client.send('GET', leasePath, { token: 'other' }), 401, 'Unauthorized');
  body(await at.client.send('GET', leasePath, { token: 'secret' }), 200);
});

test('faults delay, refuse and cut what the test names', async () => {
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

test('requests are counted by what they ask for', async () => {
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
  const client = httpClient(second.url);
  assert.deepEqual(names(body(await client.send('GET', leasePath), 200)), ['a']);
  assert.equal(second.url, first.url);
  await client.close();
  await second.close();
});

test('garbage is answered, and does no harm', async () => {
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
  const made = body(await at.client.send('POST', leasePath, { text: odd }), 201);
  assert.equal(objectOf(meta(made)['annotations'])['constructor'], 'y');
  assert.deepEqual(names(body(await at.client.send('GET', `${leasePath}?labelSelector=constructor`), 200)), []);
});

type Step = readonly ['put' | 'remove' | 'touch', string, string];

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('put', 'remove', 'touch'),
  fc.constantFrom('default', 'kube-system', 'kube-public'),
  fc.constantFrom('a', 'a-b', 'b', 'c', 'd'),
);

test('pages of any size, read while anything happens, give exactly the moment of the first', async () => {
  await using at = await serving();
  const { store } = at;
  const play = ([what, namespace, name]: Step) => {
    if (what === 'put') store.create(endpointSlices, { metadata: { name, namespace }, addressType: 'IPv4' });
    else if (what === 'remove') store.delete(endpointSlices, namespace, name);
    else store.patch(endpointSlices, namespace, name, { metadata: { annotations: { at: store.resourceVersion } } });
  };
  const stateOf = (items: readonly unknown[]) =>
    items.map((item) => `${String(meta(item)['namespace'])}/${String(meta(item)['name'])}@${versionOf(item)}`);
  const path = '/apis/discovery.k8s.io/v1/endpointslices';
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 20 }),
      fc.array(step, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      async (before, meanwhile, limit) => {
        before.forEach(play);
        const moment = stateOf(store.list(endpointSlices));
        const found: string[] = [];
        let query = `limit=${limit}`;
        for (let next: unknown = ''; next !== undefined; ) {
          const page = body(await at.client.send('GET', `${path}?${query}`), 200);
          found.push(...stateOf(Array.isArray(page['items']) ? page['items'] : []));
          next = meta(page)['continue'];
          query = `limit=${limit}&continue=${encodeURIComponent(String(next))}`;
          meanwhile.splice(0, 3).forEach(play);
        }
        assert.deepEqual(found, moment);
        assert.deepEqual(
          moment,
          moment.toSorted((x, y) => (x.replace('@', '\0') < y.replace('@', '\0') ? -1 : 1)),
        );
      },
    ),
    { numRuns: 150 },
  );
});

test('whoever follows a watch ends up with what a list shows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(40), async (steps, start) => {
      const { store } = createApiServer();
      const held = new Map<string, string>();
      const play = ([what, namespace, name]: Step, index: number) => {
        const labels = { parity: String(index % 2) };
        if (what === 'put')
          store.create(pods, {
            metadata: { name, namespace, labels },
            spec: { containers: [{ name: 'a', image: 'x:1' }] },
          });
        else if (what === 'remove') store.delete(pods, namespace, name);
        else store.patch(pods, namespace, name, { metadata: { labels } });
      };
      steps.slice(0, start).forEach(play);
      const odd = { matchLabels: { parity: '1' } };
      store.watch(pods, { labelSelector: odd }, (type, { metadata }) => {
        const key = `${metadata.namespace}/${metadata.name}`;
        assert.equal(held.has(key), type !== 'ADDED', `${type} ${key}`);
        if (type === 'DELETED') held.delete(key);
        else held.set(key, metadata.resourceVersion);
      });
      for (const [index, each] of steps.slice(start).entries()) {
        play(each, index);
        if (index % 3 === 0) await settled();
      }
      await settled();
      const listed = store
        .list(pods, { labelSelector: odd })
        .map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.resourceVersion] as const);
      assert.deepEqual([...held].toSorted(), [...listed].toSorted());
    }),
    { numRuns: 200 },
  );
});

test('a namespace that ends takes thousands of objects along', async () => {
  const { store } = createApiServer();
  store.create(namespaces, { metadata: { name: 'big' } });
  for (let i = 0; i < 5_000; i += 1) store.create(leases, { metadata: { generateName: 'l-', namespace: 'big' } });
  const began = performance.now();
  store.delete(namespaces, '', 'big');
  await pause(0);
  assert.equal(store.get(namespaces, '', 'big'), undefined);
  assert.equal(store.list(leases).length, 0);
  assert(performance.now() - began < 2_000);
});
