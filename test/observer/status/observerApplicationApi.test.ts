import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { customResourceDefinitions, namespaces } from '@weeder/embedded-cluster/resources';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import type { ApiResult } from '@weeder/kube-runtime/client';
import { clientOf } from '@weeder/kube-runtime/testing';
import { parse } from 'yaml';
import { applicationApi, applicationsPath } from '../../../src/observer/status/applicationApi.ts';
import { embedded, made } from '../../support/world/embedded.ts';
import { checkSuccessor } from '../../support/world/successor.ts';

test('for a thousand applications at most sixteen requests run at a time, and all are sent', async () => {
  let underWay = 0;
  let max = 0;
  const asked: string[] = [];
  const client = clientOf(async ({ method, path }) => {
    underWay += 1;
    max = Math.max(max, underWay);
    asked.push(`${method} ${path.split('/').slice(7).join('/')}`);
    await new Promise(setImmediate);
    underWay -= 1;
    return { ok: true, status: 200, body: { metadata: { uid: 'u', resourceVersion: '1' } } };
  });
  const api = applicationApi(client);
  const refs = Array.from({ length: 1_000 }, (_, index) => ({ namespace: 'shop', name: `app-${index}`, uid: 'u' }));
  const outcomes = await Promise.all(refs.flatMap((ref) => [api.addFinalizer(ref), api.patchStatus(ref, {}, {})]));
  assert.ok(outcomes.every(({ ok }) => ok));
  assert.equal(max, 16);
  for (const [words, count] of [
    ['GET app-', 1_000],
    ['PATCH app-', 2_000],
  ] as const)
    assert.equal(asked.filter((each) => each.startsWith(words)).length, count, words);
});

test('adding a finalizer takes one request if the application is unchanged, and always preserves other finalizers', async () => {
  await using cluster = await embedded();
  const { store, requests } = cluster.server;
  const crd = new URL('../../../deploy/components/observer-named/crd.yaml', import.meta.url);
  made(store.create(customResourceDefinitions, objectOf(parse(readFileSync(crd, 'utf8')))));
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  const client = cluster.client();
  const api = applicationApi(client);
  const path = applicationsPath('shop');
  const manifests = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }];
  const create = async (name: string) => {
    const body = { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', metadata: { name }, spec: { manifests } };
    return metadataOf(await client.call({ method: 'POST', path, body }));
  };
  const now = async (name: string) => metadataOf(await client.call({ method: 'GET', path: `${path}/${name}` }));
  const edit = (name: string, finalizers: readonly string[]) =>
    client.call({
      method: 'PATCH',
      path: `${path}/${name}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers } },
    });

  const fresh = await create('fresh');
  const reads = requests.count('get', 'applications');
  const ref = { namespace: 'shop', name: 'fresh', uid: fresh.uid };
  assert.ok((await api.addFinalizer(ref, { ...fresh, finalizers: [] })).ok);
  assert.equal(requests.count('get', 'applications'), reads);
  assert.deepEqual((await now('fresh')).finalizers, ['weeder.dev/application']);

  const changed = await create('changed');
  await edit('changed', ['example.org/other']);
  const other = { namespace: 'shop', name: 'changed', uid: changed.uid };
  assert.ok((await api.addFinalizer(other, { ...changed, finalizers: [] })).ok);
  assert.deepEqual((await now('changed')).finalizers, ['example.org/other', 'weeder.dev/application']);
});

function metadataOf(result: ApiResult) {
  assert.ok(result.ok);
  const { uid, resourceVersion, finalizers } = objectOf(objectOf(result.body)['metadata']);
  return { uid: String(uid), resourceVersion: String(resourceVersion), finalizers: arrayOf(finalizers) };
}

test('a write for an application never applies to its successor of the same name', async () => {
  await using cluster = await embedded();
  const { store } = cluster.server;
  const crd = new URL('../../../deploy/components/observer-named/crd.yaml', import.meta.url);
  const definition: unknown = parse(readFileSync(crd, 'utf8'));
  made(store.create(customResourceDefinitions, objectOf(definition)));
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  await checkSuccessor(cluster.client(), 'shop');
});
