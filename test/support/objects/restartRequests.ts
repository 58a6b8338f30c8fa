import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  createTestNamespace,
  meta,
  type Target,
  type TestNamespace,
  versionOf,
} from '@weeder/embedded-cluster/conformance';
import { arrayOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { readHashKeys } from '../../../src/restart/digest/hashKeys.ts';
import type { SourceKind } from '../../../src/restart/references/refs.ts';
import { type Answer, restartApi } from '../../../src/restart/requests/restartApi.ts';
import { eventually } from '../../cluster/support/eventually.ts';
import { base64 } from './sourceObjects.ts';

/** An API server, and a client of weeder for it. */
export interface Requested {
  readonly target: Target;
  readonly client: KubeClient;
}

const signal = new AbortController().signal;
const labels = { app: 'web' };
const container = { name: 'main', image: 'registry.invalid/weeder-test:1' };
const template = { metadata: { labels }, spec: { containers: [container], terminationGracePeriodSeconds: 0 } };

/** Tests the results of restart control's requests, on the embedded API server and on a real one. */
export function restartRequests(open: () => Promise<Requested>): void {
  async function scene() {
    const { target, client } = await open();
    const at = await createTestNamespace(async () => target);
    return { at, client, api: restartApi(client), make: (plural: string, body: object) => make(at, plural, body) };
  }

  test('a patch is accepted from the field manager weeder, and returns the changed workload', async () => {
    const { at, api, make } = await scene();
    const stored = await make('deployments', deployment);
    const answer = await settled(async () => {
      const now = await api.readWorkload(workload(at), signal);
      const metadata = { resourceVersion: versionOf(now.type === 'ok' && now.value) };
      const template = { metadata: { annotations: { 'weeder.dev/dependencies-hash': 'one' } } };
      return api.patchWorkload(workload(at), { metadata, spec: { template } }, signal);
    });
    assert(answer.type === 'ok', JSON.stringify(answer));
    const { annotations } = meta(objectOf(objectOf(answer.value['spec'])['template']));
    assert.deepEqual(annotations, { 'weeder.dev/dependencies-hash': 'one' });
    const { managedFields } = meta((await at.send('GET', at.path('deployments', 'web'))).body);
    assert(arrayOf(managedFields).some((each) => objectOf(each)['manager'] === 'weeder'));
    const read = await api.readWorkload(workload(at), signal);
    assert(read.type === 'ok' && meta(read.value)['uid'] === meta(stored)['uid']);
  });

  test('a patch of a changed workload is a conflict, another uid is refused, and a missing workload is notFound', async () => {
    const { at, api, make } = await scene();
    const stored = await make('deployments', deployment);
    const annotations = { 'weeder.dev/dependencies': '{}' };
    const patch = (metadata: object) =>
      api.patchWorkload(workload(at), { metadata: { annotations, ...metadata } }, signal);
    const merge = { contentType: 'application/merge-patch+json', body: { metadata: { labels: { touched: 'yes' } } } };
    await at.send('PATCH', at.path('deployments', 'web'), merge);
    assert.deepEqual(await patch({ resourceVersion: versionOf(stored) }), { type: 'conflicted' });
    const other = await patch({ uid: '00000000-0000-4000-8000-000000000000' });
    assert.equal(other.type === 'refused' && other.failure, 'otherUid', JSON.stringify(other));
    const now = meta((await at.send('GET', at.path('deployments', 'web'))).body);
    assert.equal(objectOf(now['annotations'])['weeder.dev/dependencies'], undefined);
    assert.deepEqual(await api.patchWorkload({ ...workload(at), name: 'gone' }, {}, signal), { type: 'notFound' });
    assert.deepEqual(await api.readWorkload({ ...workload(at), name: 'gone' }, signal), { type: 'notFound' });
  });

  test('the template of a Job is immutable, and a patch of it fails as immutable', async () => {
    const { at, api, make } = await scene();
    const spec = { restartPolicy: 'Never', containers: [container] };
    await make('jobs', { metadata: { name: 'once' }, spec: { suspend: false, template: { metadata: {}, spec } } });
    const patch = { spec: { template: { metadata: { annotations: { 'weeder.dev/dependencies-hash': 'one' } } } } };
    const answer = await api.patchWorkload({ kind: 'Job', namespace: at.name, name: 'once' }, patch, signal);
    assert.equal(answer.type === 'refused' && answer.failure, 'immutable', JSON.stringify(answer));
  });

  test('a Secret of almost 1 MiB and binary data are read completely; a missing source is notFound', async () => {
    const { at, api, make } = await scene();
    const bytes = randomBytes((1 << 20) - 100);
    await make('secrets', { metadata: { name: 'big' }, data: { key: base64(bytes) } });
    await make('configmaps', {
      metadata: { name: 'big' },
      data: { a: 'ä' },
      binaryData: { b: base64(bytes.subarray(9)) },
    });
    const read = async (kind: SourceKind) => {
      const answer = await api.readSource({ kind, namespace: at.name, name: 'big' }, signal);
      assert(answer.type === 'ok');
      return answer.value.content;
    };
    assert.deepEqual((await read('Secret')).data.get('key'), bytes);
    const { data, binaryData } = await read('ConfigMap');
    assert.deepEqual([data.get('a'), binaryData.get('b')], [Buffer.from('ä'), bytes.subarray(9)]);
    const absent = { kind: 'Secret', namespace: at.name, name: 'none' } as const;
    assert.deepEqual(await api.readSource(absent, signal), { type: 'notFound' });
  });

  test('the pods that the selector selects are listed, and no others', async () => {
    const { at, api, make } = await scene();
    await make('pods', pod('a', labels));
    await make('pods', pod('b', { app: 'other' }));
    const answer = await api.listPods(at.name, { matchLabels: labels }, signal);
    assert.deepEqual(answer.type === 'ok' && answer.value.map((each) => meta(each)['name']), ['a']);
  });

  test('an eviction ends exactly the given pod, and neither another of its name nor one that has changed', async () => {
    const { at, api, make } = await scene();
    const stored = await make('pods', pod('a', labels));
    const ref = { namespace: at.name, name: 'a', uid: textOf(meta(stored)['uid']) ?? '' };
    const version = async () => versionOf((await at.send('GET', at.path('pods', 'a'))).body);
    const [uid, old] = ['00000000-0000-4000-8000-000000000000', versionOf(stored)];
    assert.deepEqual(await api.evict({ ...ref, uid, resourceVersion: await version() }, signal), {
      type: 'conflicted',
    });
    const touch = { contentType: 'application/merge-patch+json', body: { metadata: { labels: { touched: 'yes' } } } };
    await at.send('PATCH', at.path('pods', 'a'), touch);
    assert.deepEqual(await api.evict({ ...ref, resourceVersion: old }, signal), { type: 'conflicted' });
    assert.equal(meta((await at.send('GET', at.path('pods', 'a'))).body)['uid'], ref.uid);
    const accepted = await settled(async () => api.evict({ ...ref, resourceVersion: await version() }, signal));
    assert.deepEqual(accepted, { type: 'ok', value: undefined });
    await eventually(async () => (await at.send('GET', at.path('pods', 'a'))).status === 404, {
      what: 'the end of the pod',
    });
    assert.deepEqual(await api.evict({ ...ref, resourceVersion: old }, signal), { type: 'notFound' });
  });

  test('several processes that create the hash key at once all have the same one, and it does not change', async () => {
    const { at, client } = await scene();
    const where = { namespace: at.name, name: 'weeder-hash-key' };
    const results = await Promise.all(Array.from({ length: 8 }, () => readHashKeys(client, where, signal)));
    const ids = new Set(
      [...results, await readHashKeys(client, where, signal)].map((keys) => keys.ok && keys.value.current.id),
    );
    assert.equal(ids.size, 1, JSON.stringify([...ids]));
    assert.match(String([...ids][0]), /^[\w-]{8}$/);
  });

  test('a key Secret without a key is filled, and its labels are preserved; one with an invalid key is not changed', async () => {
    const { at, client, make } = await scene();
    await make('secrets', { metadata: { name: 'empty', labels: { mine: 'yes' } } });
    await make('secrets', { metadata: { name: 'short' }, data: { key: base64('short') } });
    const filled = await readHashKeys(client, { namespace: at.name, name: 'empty' }, signal);
    assert(filled.ok, JSON.stringify(filled));
    assert.deepEqual(meta((await at.send('GET', at.path('secrets', 'empty'))).body)['labels'], { mine: 'yes' });
    const short = await readHashKeys(client, { namespace: at.name, name: 'short' }, signal);
    assert.equal(!short.ok && short.error.code, 'HASH_KEY_INVALID');
    const { body } = await at.send('GET', at.path('secrets', 'short'));
    assert.deepEqual(objectOf(body)['data'], { key: base64('short') });
  });
}

/** The controllers of a real cluster write too: the request is repeated, as weeder does, until it meets no conflict. */
async function settled<T>(request: () => Promise<Answer<T>>): Promise<Answer<T>> {
  for (;;) {
    const answer = await request();
    if (answer.type !== 'conflicted') return answer;
  }
}

const deployment = {
  metadata: { name: 'web' },
  spec: { replicas: 0, selector: { matchLabels: labels }, template },
};

function pod(name: string, ofLabels: object) {
  return { metadata: { name, labels: ofLabels }, spec: template.spec };
}

function workload({ name: namespace }: TestNamespace) {
  return { kind: 'Deployment', namespace, name: 'web' } as const;
}

async function make(at: TestNamespace, plural: string, body: object): Promise<unknown> {
  const answer = await at.send('POST', at.path(plural), { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}
