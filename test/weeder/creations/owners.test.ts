import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { failedCreateOf } from '../../../src/weeder/owners/failedCreate.ts';
import { createOwnerIndex } from '../../../src/weeder/owners/ownerIndex.ts';
import { podCountsOf } from '../../../src/weeder/owners/podCounts.ts';
import { podWebhooksOf } from '../../../src/weeder/owners/webhooks.ts';
import { failedCreate, messages, webhook } from '../../support/world/creationWorld.ts';

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const service = { namespace: 'policy', name: 'webhook' };

function webhooksWith(part: JsonObject) {
  return podWebhooksOf({ webhooks: [{ name: webhook, clientConfig: { service }, rules: [rule], ...part }] });
}

test('a webhook counts that refuses the creation of pods when it fails', () => {
  const it = [{ name: webhook, service: 'policy/webhook' }];
  assert.deepEqual(webhooksWith({}), it);
  assert.deepEqual(webhooksWith({ failurePolicy: 'Fail' }), it);
  for (const part of [
    { operations: ['*'] },
    { apiGroups: ['*'] },
    { resources: ['*'] },
    { resources: ['deployments', 'pods'] },
  ])
    assert.deepEqual(webhooksWith({ rules: [{ ...rule, ...part }] }), it);
});

test('a webhook does not count that is ignored, at a URL, or not called for new pods', () => {
  assert.deepEqual(webhooksWith({ failurePolicy: 'Ignore' }), []);
  assert.deepEqual(webhooksWith({ clientConfig: { url: 'https://example.com' } }), []);
  for (const part of [
    { operations: ['UPDATE', 'DELETE'] },
    { apiGroups: ['apps'] },
    { resources: ['pods/exec'] },
    { resources: ['pods/*'] },
    { resources: ['deployments'] },
    { scope: 'Cluster' },
  ])
    assert.deepEqual(webhooksWith({ rules: [{ ...rule, ...part }] }), [], JSON.stringify(part));
  assert.deepEqual([podWebhooksOf({}), podWebhooksOf({ webhooks: 'none' })], [[], []]);
});

test('an Event is read with its newest time, and only of an object in its own namespace', () => {
  const read = failedCreateOf(failedCreate('web', 5000));
  assert.partialDeepStrictEqual(read, {
    owner: { kind: 'ReplicaSet', namespace: 'shop', name: 'web' },
    webhook,
    at: 5000,
  });
  assert.equal(failedCreateOf(failedCreate('web', 0, { message: messages.quota }))?.webhook, undefined);
  for (const options of [{ home: 'other' }, { kind: 'Pod' }, { kind: 'toString' }, { reason: 'FailedDelete' }])
    assert.equal(failedCreateOf(failedCreate('web', 0, options)), undefined);
  assert.equal(failedCreateOf({ reason: 'FailedCreate' }), undefined);
});

const countsOf = (kind: Parameters<typeof podCountsOf>[0], spec: JsonObject, status: JsonObject, metadata = {}) => {
  const { existing, wanted } = podCountsOf(kind, { metadata, spec, status });
  return [existing, wanted];
};

test('the pods of each kind are counted as its controller counts them', () => {
  assert.deepEqual(countsOf('ReplicaSet', { replicas: 3 }, { replicas: 1 }), [1, 3]);
  assert.deepEqual(countsOf('StatefulSet', {}, {}), [0, 1]);
  assert.deepEqual(countsOf('ReplicationController', { replicas: 0 }, {}), [0, 0]);
  assert.deepEqual(countsOf('DaemonSet', {}, { desiredNumberScheduled: 4, currentNumberScheduled: 2 }), [2, 4]);
  assert.deepEqual(countsOf('Job', { parallelism: 4, completions: 3 }, { active: 1, succeeded: 1 }), [1, 2]);
  assert.deepEqual(countsOf('Job', { parallelism: 2 }, {}), [0, 2]);
});

test('no pods are wanted of an object that is deleted, nor of a Job that is suspended or has ended', () => {
  assert.deepEqual(countsOf('ReplicaSet', { replicas: 3 }, {}, { deletionTimestamp: 'now' }), [0, 0]);
  assert.deepEqual(countsOf('Job', { suspend: true }, {}), [0, 0]);
  assert.deepEqual(countsOf('Job', { parallelism: 2 }, { succeeded: 1 }), [0, 0]);
  for (const type of ['Complete', 'Failed'])
    assert.deepEqual(countsOf('Job', {}, { conditions: [{ type, status: 'True' }] }), [0, 0]);
});

function indexed() {
  const [dropped, seen]: [string[], string[]] = [[], []];
  const now = Date.UTC(2026, 0, 1);
  const index = createOwnerIndex({ now: () => now }, (namespace) => dropped.push(namespace));
  const sink = index.createSink();
  sink.begin();
  sink.end();
  index.subscribe(({ owner }) => seen.push(owner.name));
  const known = () => {
    const names: string[] = [];
    index.subscribe(({ owner }) => names.push(owner.name))();
    return names;
  };
  return { index, sink, dropped, seen, known };
}

test('an Event that ends, or that a complete list lacks, is forgotten', () => {
  const { sink, known } = indexed();
  const event = failedCreate('web', 0);
  sink.apply('ADDED', event);
  sink.apply('ADDED', failedCreate('api', 0));
  assert.deepEqual(known(), ['web', 'api']);
  sink.apply('DELETED', event);
  assert.deepEqual(known(), ['api']);
  sink.begin();
  sink.apply('ADDED', failedCreate('batch', 0));
  sink.end();
  assert.deepEqual(known(), ['batch']);
  sink.close();
  assert.deepEqual(known(), []);
});

test('an older Event of another failure does not replace the newest one, and a relist is no new failure', () => {
  const { sink, seen, known } = indexed();
  const event = failedCreate('web', 5000);
  sink.apply('ADDED', event);
  sink.apply('ADDED', failedCreate('web', 4000, { message: messages.quota }));
  assert.deepEqual([known(), seen], [['web'], ['web']]);
  sink.begin();
  sink.apply('ADDED', event);
  sink.end();
  assert.deepEqual(seen, ['web']);
  sink.apply('MODIFIED', failedCreate('web', 6000));
  assert.deepEqual(seen, ['web', 'web']);
});

test('an Event speaks only for objects of its own namespace, whatever uid it names', () => {
  const { sink, known } = indexed();
  const forged = failedCreate('forged', 9000, { namespace: 'attacker', message: messages.quota, uid: 'shop/web' });
  sink.apply('ADDED', failedCreate('web', 5000));
  sink.apply('ADDED', forged);
  assert.deepEqual(known(), ['web']);
  sink.apply('DELETED', { ...forged, metadata: failedCreate('web', 5000)['metadata'] });
  sink.apply('ADDED', { ...forged, message: messages.call });
  assert.deepEqual(known(), ['web', 'forged']);
});

test('an Event with a time in the future counts as now, so that the next failure is newer', () => {
  const { sink, known } = indexed();
  sink.apply('ADDED', failedCreate('web', Date.UTC(2099, 0, 1)));
  assert.deepEqual(known(), ['web']);
  sink.apply('ADDED', failedCreate('web', Date.UTC(2026, 0, 1), { message: messages.quota }));
  assert.deepEqual(known(), []);
});

test('a namespace with more objects than are followed loses its own oldest ones, and says so once', () => {
  const { index, sink, dropped, known } = indexed();
  sink.apply('ADDED', failedCreate('victim', 0));
  for (let count = 0; count < 500; count += 1)
    sink.apply('ADDED', failedCreate(`x-${count}`, count, { namespace: 'attacker' }));
  assert.deepEqual([index.size, dropped], [101, ['attacker']]);
  assert.deepEqual([known()[0], known().at(-1)], ['victim', 'x-499']);
});
