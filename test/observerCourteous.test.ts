import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest, ApiResult, KubeClient } from '../src/kube/client.ts';
import { courteous } from '../src/observer/courteous.ts';
import { settled, virtualClock } from './support/virtualClock.ts';

const done: ApiResult = { ok: true, status: 200, body: undefined };

function scene() {
  const clock = virtualClock();
  const sent: { readonly path: string; answer(): void }[] = [];
  const client: KubeClient = {
    server: 'https://example.org',
    call: ({ path }) => new Promise((resolve) => sent.push({ path, answer: () => resolve(done) })),
    openStream: () => Promise.reject(new Error('nothing is watched here')),
    renew: () => undefined,
    failureOf: () => ({ kind: 'network', message: '' }),
    close: async () => undefined,
  };
  const its = { clock, sent, isWeeding: false };
  return { ...its, its, client: courteous(client, { clock, isWeeding: () => its.isWeeding }) };
}

const get: ApiRequest = { method: 'GET', path: '/api/v1/namespaces/shop/configmaps/a' };
const large = (namespace: string): ApiRequest => ({
  method: 'PATCH',
  path: `/api/v1/namespaces/${namespace}/configmaps/a`,
  body: { data: { a: 'x'.repeat(100_000) } },
});

test('while pods are being deleted no request begins, for five seconds at most', async () => {
  const { its, client, clock, sent } = scene();
  its.isWeeding = true;
  void client.call(get);
  clock.advance(1_000);
  await settled();
  assert.equal(sent.length, 0);
  its.isWeeding = false;
  clock.advance(20);
  await settled();
  assert.equal(sent.length, 1);
  its.isWeeding = true;
  void client.call(get);
  for (let passed = 0; passed < 5_100; passed += 20) {
    clock.advance(20);
    await settled();
  }
  assert.equal(sent.length, 2);
});

test('a request that nobody wants any more does not wait', async () => {
  const { its, client, clock, sent } = scene();
  its.isWeeding = true;
  const stop = new AbortController();
  void client.call({ ...get, signal: stop.signal });
  stop.abort();
  clock.advance(20);
  await settled();
  assert.equal(sent.length, 1, 'the client ends it');
});

test('large objects are written one after the other, of each namespace in turn, and small ones beside them', async () => {
  const { client, clock, sent } = scene();
  for (const namespace of ['mine', 'mine', 'bank']) void client.call(large(namespace));
  for (let times = 0; times < 5; times += 1) void client.call(get);
  const written = () => sent.map(({ path }) => path).filter((path) => path !== get.path);
  const next = async () => {
    clock.advance(100);
    for (const each of sent) each.answer();
    // The answer is handed on in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await settled();
  };
  await settled();
  const pathIn = (namespace: string) => large(namespace).path;
  assert.deepEqual([sent.length, written()], [6, [pathIn('mine')]]);
  await next();
  clock.advance(299);
  await settled();
  assert.equal(written().length, 1, 'three times as long as the first one took belongs to others');
  clock.advance(1);
  await settled();
  assert.equal(written().length, 2);
  await next();
  clock.advance(5_000);
  await settled();
  await next();
  assert.deepEqual(written().toSorted(), [pathIn('bank'), pathIn('mine'), pathIn('mine')]);
});
