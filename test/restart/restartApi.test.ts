import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerWith, type Calling, calling, statusBody } from '@weeder/kube-runtime/testing';
import type { Answer, RefusalClass } from '../../src/restart/references/answer.ts';
import { restartApi } from '../../src/restart/requests/restartApi.ts';
import { secretObject } from '../support/objects/sourceObjects.ts';

const secret = { kind: 'Secret', namespace: 'shop', name: 'password' } as const;
const workload = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
const pod = { namespace: 'shop', name: 'web-0', uid: 'uid-of-web-0', resourceVersion: '7' };
const signal = new AbortController().signal;

const deployment = (part: object = {}) =>
  JSON.stringify({
    kind: 'Deployment',
    metadata: { namespace: 'shop', name: 'web', uid: 'u', resourceVersion: '8', ...part },
  });

const last = ({ server }: Calling) => server.requests.at(-1) ?? assert.fail('no request was sent');

/** The part of an answer that callers decide by. */
function outcomeOf(answer: Answer<unknown>): string {
  return answer.type === 'refused' ? `refused: ${answer.failure}` : answer.type;
}

test('a source is read in full from its own path, with its resource version', async () => {
  await using it = await calling('http');
  const reads: string[] = [];
  const api = restartApi(it.client, (kind, result) => reads.push(`${kind} ${result}`));
  it.server.failNext(answerWith(200, JSON.stringify(secretObject({ password: 'one' }))));
  const answer = await api.readSource(secret, signal);
  assert.equal(last(it).path, '/api/v1/namespaces/shop/secrets/password');
  assert(answer.type === 'ok');
  const { uid, resourceVersion, content, meta } = answer.value;
  assert.deepEqual([uid, resourceVersion, meta.ref], ['uid-of-the-secret', '7', secret]);
  assert.deepEqual([...content.data], [['password', Buffer.from('one')]]);

  it.server.failNext(answerWith(404, statusBody(404, 'NotFound', 'secrets "password" not found')));
  assert.equal((await api.readSource(secret, signal)).type, 'notFound');
  it.server.failNext(answerWith(503, statusBody(503, 'ServiceUnavailable', 'no')));
  await api.readSource({ ...secret, kind: 'ConfigMap' }, signal);
  assert.equal(last(it).path, '/api/v1/namespaces/shop/configmaps/password');
  assert.deepEqual(reads, ['Secret ok', 'Secret notFound', 'ConfigMap refused']);
});

test('a forbidden read is refused with the rule that grants it', async () => {
  await using it = await calling('http');
  it.server.failNext(answerWith(403, statusBody(403, 'Forbidden', 'secrets "password" is forbidden')));
  const answer = await restartApi(it.client).readSource(secret, signal);
  assert(answer.type === 'refused');
  assert.equal(answer.failure, 'forbidden');
  assert.match(
    answer.reason,
    /Grant it in a Role in namespace shop: \{apiGroups: \[""\], resources: \["secrets"\], verbs: \["get"\]\}\.$/,
  );
});

test('a patch is one JSON merge patch by the field manager weeder, and returns the patched workload', async () => {
  await using it = await calling('http');
  it.server.failNext(answerWith(200, deployment({ resourceVersion: '9' })));
  const patch = { metadata: { resourceVersion: '8', annotations: { 'weeder.dev/dependencies': '{}' } } };
  const answer = await restartApi(it.client).patchWorkload(workload, patch, signal);
  const { method, path, query, headers, body } = last(it);
  assert.deepEqual([method, path], ['PATCH', '/apis/apps/v1/namespaces/shop/deployments/web']);
  assert.deepEqual([...query], [['fieldManager', 'weeder']]);
  assert.equal(headers['content-type'], 'application/merge-patch+json');
  assert.deepEqual(JSON.parse(body), patch);
  assert(answer.type === 'ok');
  assert.deepEqual(answer.value, JSON.parse(deployment({ resourceVersion: '9' })));
});

test('a response about another object is a bad answer', async () => {
  await using it = await calling('http');
  const api = restartApi(it.client);
  const others = [
    deployment({ name: 'other' }),
    deployment({ namespace: 'x' }),
    deployment({ uid: '' }),
    '{}',
    '[]',
    '',
  ];
  for (const body of [...others, JSON.stringify({ ...JSON.parse(deployment()), kind: 'StatefulSet' })]) {
    const stop = it.server.failAll(answerWith(200, body));
    assert.equal(outcomeOf(await api.readWorkload(workload, signal)), 'refused: badAnswer', body);
    assert.equal(outcomeOf(await api.patchWorkload(workload, {}, signal)), 'refused: badAnswer', body);
    stop();
  }
  it.server.failNext(answerWith(200, deployment()));
  assert.equal((await api.readWorkload(workload, signal)).type, 'ok');
});

const causes = (reason: string, field?: string) => ({ details: { causes: [{ reason, field }] } });

for (const { code, body, patched, evicted } of [
  { code: 404, body: {}, patched: 'notFound', evicted: 'notFound' },
  { code: 409, body: {}, patched: 'conflicted', evicted: 'conflicted' },
  { code: 403, body: {}, patched: 'refused: forbidden', evicted: 'refused: forbidden' },
  {
    code: 403,
    body: { message: 'deployments.apps "web" is forbidden: not yet ready to handle request' },
    patched: 'refused: unavailable' satisfies `refused: ${RefusalClass}`,
    evicted: 'refused: unavailable',
  },
  { code: 422, body: {}, patched: 'refused: invalid', evicted: 'refused: invalid' },
  {
    code: 422,
    body: { message: 'field is immutable', ...causes('FieldValueInvalid', 'metadata.uid') },
    patched: 'refused: otherUid' satisfies `refused: ${RefusalClass}`,
    evicted: 'refused: otherUid',
  },
  {
    code: 422,
    body: { message: 'spec.template: field is immutable', ...causes('FieldValueInvalid', 'spec.template') },
    patched: 'refused: immutable' satisfies `refused: ${RefusalClass}`,
    evicted: 'refused: immutable',
  },
  { code: 429, body: {}, patched: 'refused: throttled', evicted: 'refused: throttled' },
  { code: 429, body: causes('DisruptionBudget'), patched: 'refused: budget', evicted: 'refused: budget' },
  { code: 500, body: {}, patched: 'refused: unavailable', evicted: 'refused: unavailable' },
]) {
  test(`${code} with ${JSON.stringify(body)}: a patch is ${patched}, an eviction ${evicted}`, async () => {
    await using it = await calling('http');
    it.server.failAll(answerWith(code, JSON.stringify({ kind: 'Status', code, message: 'no', ...body })));
    const api = restartApi(it.client);
    assert.equal(outcomeOf(await api.patchWorkload(workload, {}, signal)), patched);
    assert.equal(outcomeOf(await api.evict(pod, signal)), evicted);
  });
}

test('Retry-After is passed on', async () => {
  await using it = await calling('http');
  it.server.failNext(answerWith(429, statusBody(429, 'TooManyRequests', 'patience'), { 'retry-after': '10' }));
  const answer = await restartApi(it.client).evict(pod, signal);
  assert.equal(answer.type === 'refused' && answer.retryAfter, 10_000);
});

test('an eviction has the pod’s uid and resource version as preconditions', async () => {
  await using it = await calling('http');
  it.server.failNext(answerWith(201, '{"kind":"Status","status":"Success"}'));
  assert.deepEqual(await restartApi(it.client).evict(pod, signal), { type: 'ok', value: undefined });
  assert.equal(last(it).path, '/api/v1/namespaces/shop/pods/web-0/eviction');
  assert.deepEqual(JSON.parse(last(it).body), {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'web-0', namespace: 'shop' },
    deleteOptions: { preconditions: { uid: 'uid-of-web-0', resourceVersion: '7' } },
  });
});

test('pods are listed in pages by the selector, and from the start again if the list expires', async () => {
  await using it = await calling('http');
  const podNamed = (name: string) => ({ metadata: { namespace: 'shop', name, uid: name, resourceVersion: '1' } });
  const page = (next: string | undefined, ...names: string[]) =>
    answerWith(
      200,
      JSON.stringify({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '5', continue: next },
        items: names.map(podNamed),
      }),
    );
  it.server.failNext(page('more', 'old'));
  it.server.failNext(answerWith(410, statusBody(410, 'Expired', 'forgotten')));
  it.server.failNext(page('more', 'a', 'b'));
  it.server.failNext(page(undefined, 'c'));
  const answer = await restartApi(it.client).listPods('shop', { matchLabels: { app: 'web' } }, signal);
  const typed = (name: string) => ({ kind: 'Pod', apiVersion: 'v1', ...podNamed(name) });
  assert.deepEqual(answer, { type: 'ok', value: ['a', 'b', 'c'].map(typed) });
  assert.deepEqual([last(it).path, last(it).query.get('labelSelector')], ['/api/v1/namespaces/shop/pods', 'app=web']);
});

test('an aborted caller sends no request', async () => {
  await using it = await calling('http');
  const answer = await restartApi(it.client).readSource(secret, AbortSignal.abort());
  assert.equal(outcomeOf(answer), 'refused: cancelled');
  assert.equal(it.server.requests.length, 0);
});
