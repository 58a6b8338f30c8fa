import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiFailure, ApiRequest, ApiResult, FailureType } from '@weeder/kube-runtime/client';
import { type DeletionAttempt, type DeletionPolicy, deleteThrough } from '../../src/weeder/deletions/deletePod.ts';
import { readySinceThrough } from '../../src/weeder/services/readySince.ts';

const signal = new AbortController().signal;
const policy: DeletionPolicy = { barePods: 'keep', deletion: 'delete', gracePeriodSeconds: undefined };
const request: DeletionAttempt = {
  uid: 'u',
  namespace: 'shoot-1',
  name: 'kapi-0',
  resourceVersion: '7',
  policy,
  isRequested: () => true,
};

/** A client that records its requests, and responds as given. */
function client(answer: (request: ApiRequest) => ApiResult) {
  const asked: Omit<ApiRequest, 'signal' | 'isNeeded'>[] = [];
  const call = async ({ signal: _, isNeeded, ...rest }: ApiRequest): Promise<ApiResult> => {
    if (isNeeded?.() === false) return failed('cancelled');
    asked.push(rest);
    return answer(rest);
  };
  return { asked, client: { call, server: 'https://cluster' } };
}

const accepted: ApiResult = { ok: true, status: 200, body: {} };
const failed = (type: FailureType, rest: Partial<ApiFailure> = {}): ApiResult => ({
  ok: false,
  failure: { type, message: `it was ${type}`, ...rest },
});

test('a deletion is one DELETE with uid and resourceVersion as preconditions', async () => {
  const { asked, client: kube } = client(() => accepted);
  assert.deepEqual(await deleteThrough(kube)(request, signal), { type: 'delete.accepted' });
  assert.deepEqual(asked, [
    {
      method: 'DELETE',
      path: '/api/v1/namespaces/shoot-1/pods/kapi-0',
      body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u', resourceVersion: '7' } },
      onlyStatus: true,
    },
  ]);
});

test('an eviction has the same preconditions, and passes on a configured grace period, including 0', async () => {
  const { asked, client: kube } = client(() => accepted);
  const evict = { ...policy, deletion: 'evict', gracePeriodSeconds: 0 } as const;
  await deleteThrough(kube)({ ...request, policy: evict }, signal);
  const preconditions = { uid: 'u', resourceVersion: '7' };
  assert.deepEqual(asked, [
    {
      method: 'POST',
      path: '/api/v1/namespaces/shoot-1/pods/kapi-0/eviction',
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'kapi-0', namespace: 'shoot-1' },
        deleteOptions: { preconditions, gracePeriodSeconds: 0 },
      },
      onlyStatus: true,
    },
  ]);
});

test('every failure becomes an event: notFound, conflicted, refused or rejected', async () => {
  const expected: Readonly<Record<FailureType, string>> = {
    notFound: 'delete.notFound',
    conflict: 'delete.conflicted',
    expired: 'delete.rejected',
    throttled: 'delete.failed',
    unauthorized: 'delete.failed',
    forbidden: 'delete.failed',
    invalid: 'delete.failed',
    unavailable: 'delete.failed',
    rejected: 'delete.rejected',
    network: 'delete.failed',
    timeout: 'delete.failed',
    badAnswer: 'delete.failed',
    credentials: 'delete.failed',
    cancelled: 'delete.failed',
  };
  for (const [kind, type] of Object.entries(expected)) {
    const { client: kube } = client(() => failed(kind as FailureType));
    assert.equal((await deleteThrough(kube)(request, signal)).type, type, kind);
  }
});

test('the reason for a missing permission names the rule that grants it', async () => {
  const message =
    'pods "kapi-0" is forbidden: User "weeder" cannot delete resource "pods" in API group "" in the namespace "shoot-1"';
  const { client: kube } = client(() => failed('forbidden', { message, status: 403 }));
  const answer = await deleteThrough(kube)(request, signal);
  assert.equal(
    'reason' in answer && answer.reason,
    `https://cluster refused (403): ${message}. Grant it in a Role in namespace shoot-1: {apiGroups: [""], resources: ["pods"], verbs: ["delete"]}.`,
  );
});

test("the server's Retry-After and its message are passed on", async () => {
  const { client: kube } = client(() => failed('throttled', { retryAfterMs: 10_000 }));
  assert.deepEqual(await deleteThrough(kube)(request, signal), {
    type: 'delete.failed',
    reason: 'https://cluster refused: it was throttled. The server limits requests: retry later.',
    failure: 'throttled',
    retryAfter: 10_000,
  });
});

/** Fails: no problem is expected. */
const unreported = ({ cause }: { readonly cause: string }) => assert.fail(cause);

const namespace = 'shoot-1';
const time = (seconds: number) => new Date(seconds * 1000).toISOString();

/** An API server with pods and the times since which they are ready. */
function withReadyPods(readySince: Readonly<Record<string, number | undefined>>) {
  return client(({ path }) => {
    const name = String(path.split('/').at(-1));
    if (!(name in readySince)) return failed('notFound');
    const since = readySince[name];
    const status = since === undefined ? 'False' : 'True';
    const conditions = [
      { type: 'Initialized', status: 'True', lastTransitionTime: time(1) },
      { type: 'Ready', status, lastTransitionTime: time(since ?? 5) },
    ];
    return { ok: true, status: 200, body: { status: { conditions } } };
  });
}

test('a service is ready since the earliest of its ready backing pods', async () => {
  const { asked, client: kube } = withReadyPods({ a: 1100, b: 1050, c: undefined });
  const evidence = { namespace, backingPods: ['a', 'b', 'c', 'gone'], lastWrite: undefined };
  assert.equal(await readySinceThrough(kube, unreported)(evidence, 1_000_000, signal), 1_050_000);
  assert.equal(asked.length, 4);
  assert.equal(asked[0]?.path, '/api/v1/namespaces/shoot-1/pods/a');
});

test('reading pods stops as soon as one has been ready for long enough', async () => {
  const { asked, client: kube } = withReadyPods({ a: 1100, b: 900, c: 800 });
  const evidence = { namespace, backingPods: ['a', 'b', 'c'], lastWrite: undefined };
  assert.equal(await readySinceThrough(kube, unreported)(evidence, 1_000_000, signal), 900_000);
  assert.equal(asked.length, 2);
});

test('if all slices were written long enough ago no pod is read; close to the limit one is', async () => {
  const { asked, client: kube } = withReadyPods({ a: 500 });
  const since = (lastWrite: number) =>
    readySinceThrough(kube, unreported)({ namespace, backingPods: ['a'], lastWrite }, 1_000_000, signal);
  assert.equal(await since(939_999), 939_999);
  assert.equal(asked.length, 0);
  assert.equal(await since(940_000), 500_000);
  assert.equal(asked.length, 1);
});

test('without a known backing pod, or with none that is ready, the time is unknown', async () => {
  const { client: kube } = withReadyPods({ a: undefined });
  for (const backingPods of [undefined, [], ['a'], ['gone']]) {
    const evidence = { namespace, backingPods, lastWrite: undefined };
    assert.equal(await readySinceThrough(kube, unreported)(evidence, 1_000_000, signal), undefined);
  }
});

test('an unreadable pod is reported once, and again after a successful read', async () => {
  let isAllowed = false;
  const { client: kube } = client(() =>
    isAllowed ? { ok: true, status: 200, body: {} } : failed('forbidden', { message: 'not allowed' }),
  );
  const reported: string[] = [];
  const readySince = readySinceThrough(kube, ({ pod, cause }) => reported.push(`${pod}: ${cause}`));
  const request = () => readySince({ namespace, backingPods: ['a', 'b'], lastWrite: undefined }, 1_000_000, signal);
  assert.equal(await request(), undefined);
  assert.equal(await request(), undefined);
  assert.deepEqual(reported, ['shoot-1/a: https://cluster refused: not allowed.']);
  isAllowed = true;
  await request();
  isAllowed = false;
  await request();
  assert.equal(reported.length, 2);
});
