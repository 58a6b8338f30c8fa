import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dryRunClient, leaderGate } from '../../src/client/clientWrappers.ts';
import { calling } from '../../testing/calling.ts';
import { answerWith } from '../../testing/faultyServer.ts';

const path = '/api/v1/namespaces/default';
const get = { method: 'GET', path } as const;
const contentType = 'application/merge-patch+json';
const patch = { method: 'PATCH', path, body: { metadata: { labels: { a: '1' } } }, contentType } as const;
const stopped = { ok: false, failure: { type: 'cancelled', message: 'this replica lost leadership' } };
const never = new AbortController().signal;

test('the leader writes; a standby replica reads, and sends no write', async () => {
  await using it = await calling('http');
  let isLeading = true;
  const client = leaderGate({ isValid: () => isLeading, signal: never }, it.client);
  assert.equal((await client.call(patch)).ok, true);
  isLeading = false;
  for (const method of ['PATCH', 'POST', 'PUT', 'DELETE'] as const)
    assert.deepEqual(await client.call({ ...patch, method }), stopped);
  assert.equal((await client.call(get)).ok, true);
  assert.deepEqual(
    it.server.requests.map(({ method }) => method),
    ['PATCH', 'GET'],
  );
});

test('lost leadership cancels the write in flight, but not a read', async () => {
  await using it = await calling('http');
  const lost = new AbortController();
  const client = leaderGate({ isValid: () => !lost.signal.aborted, signal: lost.signal }, it.client);
  it.server.failNext((_answer, _request, _proceed) => lost.abort());
  assert.deepEqual(await client.call(patch), stopped);
  assert.equal((await client.call(get)).ok, true);
});

test('a write that its caller cancels is not reported as lost leadership', async () => {
  await using it = await calling('http');
  const client = leaderGate({ isValid: () => true, signal: never }, it.client);
  for (const cancelled of [{ signal: AbortSignal.abort() }, { isNeeded: () => false }]) {
    const result = await client.call({ ...patch, ...cancelled });
    assert.equal(!result.ok && result.failure.message, 'the request was cancelled');
  }
  assert.equal(it.server.requests.length, 0);
});

test('in a dry run nothing is written, and a patch returns the object as it would be', async () => {
  await using it = await calling('http');
  const client = dryRunClient(it.client);
  const object = { metadata: { resourceVersion: '8', annotations: { a: '1', b: '2' } }, spec: { replicas: 3 } };
  it.server.failAll(answerWith(200, JSON.stringify(object)));
  const body = { metadata: { resourceVersion: '8', annotations: { b: null, c: '3' } } };
  assert.deepEqual(await client.call({ ...patch, body }), {
    ok: true,
    status: 200,
    body: { metadata: { resourceVersion: '8', annotations: { a: '1', c: '3' } }, spec: { replicas: 3 } },
  });
  for (const method of ['POST', 'PUT', 'DELETE'] as const)
    assert.deepEqual(await client.call({ method, path, body }), { ok: true, status: 200, body });
  assert.deepEqual(await client.call(get), { ok: true, status: 200, body: object });
  assert.deepEqual(new Set(it.server.requests.map(({ method }) => method)), new Set(['GET']));
});

test('in a dry run a patch with another resource version is a conflict, and one of a missing object is notFound', async () => {
  await using it = await calling('http');
  const client = dryRunClient(it.client);
  it.server.failNext(answerWith(200, '{"metadata":{"resourceVersion":"9"}}'));
  const stale = await client.call({ ...patch, body: { metadata: { resourceVersion: '8' } } });
  assert.equal(!stale.ok && stale.failure.type, 'conflict');
  it.server.failNext(answerWith(404, '{"kind":"Status","code":404}'));
  const missing = await client.call(patch);
  assert.equal(!missing.ok && missing.failure.type, 'notFound');
});

test('in a dry run only requests with dryRun=All are sent to the server', async () => {
  await using it = await calling('http');
  const client = dryRunClient(it.client);
  it.server.failAll(answerWith(200, '{"spec":{"paused":false}}'));
  const tried = await client.call({ ...patch, query: { dryRun: 'All' } });
  assert.deepEqual(tried, { ok: true, status: 200, body: { spec: { paused: false } } });
  for (const dryRun of ['None', 'all', undefined]) {
    const stored = await client.call({ method: 'POST', path, query: { dryRun }, body: {} });
    assert.deepEqual(stored, { ok: true, status: 200, body: {} });
  }
  assert.deepEqual(
    it.server.requests.map(({ method, query }) => `${method} ${query}`),
    ['PATCH dryRun=All'],
  );
});
