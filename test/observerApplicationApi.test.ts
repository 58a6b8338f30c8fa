import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { customResourceDefinitions, namespaces } from '../src/demo/apiServer/resources.ts';
import { objectOf } from '../src/json.ts';
import type { ApiResult, KubeClient } from '../src/kube/client.ts';
import { applicationApi } from '../src/observer/applicationApi.ts';
import { embedded, made } from './support/embedded.ts';
import { checkSuccessor } from './support/successor.ts';

test('of what a start asks for a thousand applications eight requests are under way at a time, and all are made', async () => {
  let underWay = 0;
  let most = 0;
  const asked: string[] = [];
  const unused = (): never => assert.fail('it is not called');
  const client: KubeClient = {
    server: 'https://example.org',
    async call({ method, path }): Promise<ApiResult> {
      underWay += 1;
      most = Math.max(most, underWay);
      asked.push(`${method} ${path.split('/').slice(7).join('/')}`);
      await new Promise(setImmediate);
      underWay -= 1;
      return { ok: true, status: 200, body: { metadata: { uid: 'u', resourceVersion: '1' } } };
    },
    openStream: unused,
    renew: unused,
    failureOf: unused,
    close: unused,
  };
  const api = applicationApi(client);
  const refs = Array.from({ length: 1_000 }, (_, index) => ({ namespace: 'shop', name: `app-${index}`, uid: 'u' }));
  const outcomes = await Promise.all(refs.flatMap((ref) => [api.addFinalizer(ref), api.patchStatus(ref, {}, {})]));
  assert.ok(outcomes.every(({ ok }) => ok));
  assert.equal(most, 8);
  for (const [words, count] of [
    ['GET app-', 1_000],
    ['PATCH app-', 2_000],
  ] as const)
    assert.equal(asked.filter((each) => each.startsWith(words)).length, count, words);
});

test('what is written for an application never lands on the one that is made under its name after it', async () => {
  await using cluster = await embedded();
  const { store } = cluster.server;
  const crd = new URL('../deploy/components/observer-named/crd.yaml', import.meta.url);
  const definition: unknown = parse(readFileSync(crd, 'utf8'));
  made(store.create(customResourceDefinitions, objectOf(definition)));
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  await checkSuccessor(cluster.client(), 'shop');
});
