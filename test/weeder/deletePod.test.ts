import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiResult } from '../../src/kube/client/client.ts';
import type { ApiFailure, FailureKind } from '../../src/kube/client/failure.ts';
import type { ApiRequest } from '../../src/kube/client/request.ts';
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
  isWanted: () => true,
};

/** A client that writes down what it is asked, and answers as it is told. */
function client(answer: (request: ApiRequest) => ApiResult) {
  const asked: Omit<ApiRequest, 'signal' | 'isWanted'>[] = [];
  const call = async ({ signal: _, isWanted, ...rest }: ApiRequest): Promise<ApiResult> => {
    if (isWanted?.() === false) return failed('cancelled');
    asked.push(rest);
    return answer(rest);
  };
  return { asked, client: { call, server: 'https://cluster' } };
}

const accepted: ApiResult = { ok: true, status: 200, body: {} };
const failed = (kind: FailureKind, rest: Partial<ApiFailure> = {}): ApiResult => ({
  ok: false,
  failure: { kind, message: `it was ${kind}`, ...rest },
});

test('a deletion is one DELETE that insists on uid and resourceVersion', async () => {
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

test('an eviction insists on the same, and the grace period is passed on where one is configured, 0 included', async () => {
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

test('every failure is an answer: gone, changed, to be tried again, or never', async () => {
  const expected: Readonly<Record<FailureKind, string>> = {
    notFound: 'delete.notFound',
    conflict: 'delete.conflicted',
    expired: 'delete.rejected',
    throttled: 'delete.refused',
    unauthorized: 'delete.refused',
    forbidden: 'delete.refused',
    invalid: 'delete.refused',
    unavailable: 'delete.refused',
    rejected: 'delete.rejected',
    network: 'delete.refused',
    timeout: 'delete.refused',
    badAnswer: 'delete.refused',
    credentials: 'delete.refused',
    cancelled: 'delete.refused',
  };
  for (const [kind, type] of Object.entries(expected)) {
    const { client: kube } = client(() => failed(kind as FailureKind));
    assert.equal((await deleteThrough(kube)(request, signal)).type, type, kind);
  }
});

test('a missing permission is told with the rule that grants it', async () => {
  const message =
    'pods "kapi-0" is forbidden: User "weeder" cannot delete resource "pods" in API group "" in the namespace "shoot-1"';
  const { client: kube } = client(() => failed('forbidden', { message, status: 403 }));
  const answer = await deleteThrough(kube)(request, signal);
  assert.equal(
    'reason' in answer && answer.reason,
    `https://cluster refused (403): ${message}. Grant it in a Role in namespace shoot-1: {apiGroups: [""], resources: ["pods"], verbs: ["delete"]}.`,
  );
});

test("the server's Retry-After and its words are passed on", async () => {
  const { client: kube } = client(() => failed('throttled', { retryAfterMs: 10_000 }));
  assert.deepEqual(await deleteThrough(kube)(request, signal), {
    type: 'delete.refused',
    reason: 'https://cluster refused: it was throttled. The server asks for patience.',
    failure: 'throttled',
    retryAfter: 10_000,
  });
});

/** Nothing is to be told. */
const unreported = ({ cause }: { readonly cause: string }) => assert.fail(cause);

const backing = (...names: string[]) => names.map((name) => ({ namespace: 'shoot-1', name }));
const time = (seconds: number) => new Date(seconds * 1000).toISOString();

/** An API server with pods that are ready since some second, or not. */
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
  const evidence = { backingPods: backing('a', 'b', 'c', 'gone'), lastWrite: undefined };
  assert.equal(await readySinceThrough(kube, unreported)(evidence, 1_000_000, signal), 1_050_000);
  assert.equal(asked.length, 4);
  assert.equal(asked[0]?.path, '/api/v1/namespaces/shoot-1/pods/a');
});

test('no more pods are asked for than it takes to know that it was long ago', async () => {
  const { asked, client: kube } = withReadyPods({ a: 1100, b: 900, c: 800 });
  const evidence = { backingPods: backing('a', 'b', 'c'), lastWrite: undefined };
  assert.equal(await readySinceThrough(kube, unreported)(evidence, 1_000_000, signal), 900_000);
  assert.equal(asked.length, 2);
});

test('slices that were all written long ago need no question; ones just at the edge do', async () => {
  const { asked, client: kube } = withReadyPods({ a: 500 });
  const since = (lastWrite: number) =>
    readySinceThrough(kube, unreported)({ backingPods: backing('a'), lastWrite }, 1_000_000, signal);
  assert.equal(await since(939_999), 939_999);
  assert.equal(asked.length, 0);
  assert.equal(await since(940_000), 500_000);
  assert.equal(asked.length, 1);
});

test('when no backing pod is known, or none tells, it cannot be known', async () => {
  const { client: kube } = withReadyPods({ a: undefined });
  for (const backingPods of [undefined, [], backing('a'), backing('gone')]) {
    const evidence = { backingPods, lastWrite: undefined };
    assert.equal(await readySinceThrough(kube, unreported)(evidence, 1_000_000, signal), undefined);
  }
});

test('a pod that cannot be read is told of, once until there is an answer again', async () => {
  let isAllowed = false;
  const { client: kube } = client(() =>
    isAllowed ? { ok: true, status: 200, body: {} } : failed('forbidden', { message: 'not allowed' }),
  );
  const told: string[] = [];
  const readySince = readySinceThrough(kube, ({ pod, cause }) => told.push(`${pod}: ${cause}`));
  const ask = () => readySince({ backingPods: backing('a', 'b'), lastWrite: undefined }, 1_000_000, signal);
  assert.equal(await ask(), undefined);
  assert.equal(await ask(), undefined);
  assert.deepEqual(told, ['shoot-1/a: https://cluster refused: not allowed.']);
  isAllowed = true;
  await ask();
  isAllowed = false;
  await ask();
  assert.equal(told.length, 2);
});
