import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaces, serviceAccounts } from '../../src/apiserver/strategies/resources.ts';
import { serving } from '../support/serving.ts';
import { until } from '../support/until.ts';

const path = '/api/v1/namespaces/default/configmaps';

test('requests are counted by whom they are made as', async () => {
  await using at = await serving();
  const tenant = 'system:serviceaccount:default:tenant';
  for (const impersonate of [tenant, tenant, 'somebody']) await at.client.send('GET', path, { impersonate });
  await at.client.send('GET', path);
  const { requests } = at.server;
  assert.equal(requests.countAs(tenant, 'list', 'configmaps'), 2);
  assert.equal(requests.countAs('somebody', 'list', 'configmaps'), 1);
  assert.equal(requests.countAs('nobody', 'list', 'configmaps'), 0);
  assert.equal(requests.count('list', 'configmaps'), 4);
  assert.deepEqual(
    requests.latest.map(({ user }) => user),
    [tenant, tenant, 'somebody', undefined],
  );
});

test('whoever is impersonated may do everything, unless that is to be judged', async () => {
  await using free = await serving();
  await using judged = await serving({ authorizesImpersonated: true });
  const impersonate = 'system:serviceaccount:default:tenant';
  assert.equal((await free.client.send('GET', path, { impersonate })).status, 200);
  assert.equal((await judged.client.send('GET', path, { impersonate })).status, 403);
  assert.equal((await judged.client.send('GET', path)).status, 200);
});

test('each namespace has an account of its own, another one when that is deleted, and none at its end', async () => {
  await using at = await serving();
  const account = () => at.store.get(serviceAccounts, 'shop', 'default');
  at.store.create(namespaces, { metadata: { name: 'shop' } });
  await until('there is one', () => account() !== undefined);
  const first = account()?.metadata.uid;
  at.store.delete(serviceAccounts, 'shop', 'default');
  await until('there is another one', () => account() !== undefined);
  assert.notEqual(account()?.metadata.uid, first);
  at.store.delete(namespaces, '', 'shop');
  await until('the namespace has gone', () => at.store.get(namespaces, '', 'shop') === undefined);
  assert.equal(account(), undefined);
});
