import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest, ApiResult } from '@weeder/kube-runtime/client';
import { clientOf, settled, virtualClock } from '@weeder/kube-runtime/testing';
import { yieldToWeeder } from '../../src/observer/yieldToWeeder.ts';

const done: ApiResult = { ok: true, status: 200, body: undefined };

function scene() {
  const clock = virtualClock();
  const sent: { readonly path: string; answer(): void }[] = [];
  const client = clientOf(({ path }) => new Promise((resolve) => sent.push({ path, answer: () => resolve(done) })));
  const state = { clock, sent, hasUrgentWork: false };
  return { ...state, state, client: yieldToWeeder(client, { clock, hasUrgentWork: () => state.hasUrgentWork }) };
}

const get: ApiRequest = { method: 'GET', path: '/api/v1/namespaces/shop/configmaps/a' };
const large = (namespace: string): ApiRequest => ({
  method: 'PATCH',
  path: `/api/v1/namespaces/${namespace}/configmaps/a`,
  body: { data: { a: 'x'.repeat(100_000) } },
});

test('while pods are being deleted no request starts, for at most five seconds', async () => {
  const { state, client, clock, sent } = scene();
  state.hasUrgentWork = true;
  void client.call(get);
  clock.advance(1_000);
  await settled();
  assert.equal(sent.length, 0);
  state.hasUrgentWork = false;
  clock.advance(20);
  await settled();
  assert.equal(sent.length, 1);
  state.hasUrgentWork = true;
  void client.call(get);
  for (let passed = 0; passed < 5_100; passed += 20) {
    clock.advance(20);
    await settled();
  }
  assert.equal(sent.length, 2);
});

test('an aborted request does not wait', async () => {
  const { state, client, clock, sent } = scene();
  state.hasUrgentWork = true;
  const stop = new AbortController();
  void client.call({ ...get, signal: stop.signal });
  stop.abort();
  clock.advance(20);
  await settled();
  assert.equal(sent.length, 1, 'the client ends it');
});

test('large objects are written one at a time, alternating between namespaces, and small ones concurrently', async () => {
  const { client, sent } = scene();
  for (const namespace of ['mine', 'mine', 'bank']) void client.call(large(namespace));
  for (let times = 0; times < 5; times += 1) void client.call(get);
  const written = () => sent.map(({ path }) => path).filter((path) => path !== get.path);
  const pathIn = (namespace: string) => large(namespace).path;
  await settled();
  assert.deepEqual([sent.length, written()], [6, [pathIn('mine')]]);
  await answered(sent);
  assert.equal(written().length, 2);
  await answered(sent);
  await answered(sent);
  assert.deepEqual(written().toSorted(), [pathIn('bank'), pathIn('mine'), pathIn('mine')]);
});

test('after twenty large writes each further one waits ten times as long as the previous one took', async () => {
  const { client, clock, sent } = scene();
  for (let times = 0; times < 23; times += 1) void client.call(large('mine'));
  await settled();
  for (let times = 1; times <= 20; times += 1) await answered(sent);
  assert.equal(sent.length, 21);
  clock.advance(100);
  await answered(sent);
  clock.advance(999);
  await settled();
  assert.equal(sent.length, 21);
  clock.advance(1);
  await settled();
  assert.equal(sent.length, 22);
});

async function answered(sent: readonly { answer(): void }[]): Promise<void> {
  for (const request of sent) request.answer();
  // The response is passed on in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  await settled();
}
