import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaces, serviceAccounts } from '../../src/apiserver/strategies/resources.ts';
import { serving } from '../support/serving.ts';
import { until } from '../support/until.ts';

const path = '/api/v1/namespaces/default/configmaps';

test('requests are counted by impersonated user', async () => {
  await using at = await serving();
  const tenant = 'system:serviceaccount:default:tenant';
  for (const impersonate of [tenant, tenant, 'jane']) await at.client.send('GET', path, { impersonate });
  await at.client.send('GET', path);
  const { requests } = at.server;
  assert.equal(requests.countAs(tenant, 'list', 'configmaps'), 2);
  assert.equal(requests.countAs('jane', 'list', 'configmaps'), 1);
  assert.equal(requests.countAs('unknown', 'list', 'configmaps'), 0);
  assert.equal(requests.count('list', 'configmaps'), 4);
  assert.deepEqual(
    requests.latest.map(({ user }) => user),
    [tenant, tenant, 'jane', undefined],
  );
});

test('an impersonated user may do everything, unless impersonated requests are authorized', async () => {
  await using permissive = await serving();
  await using authorizing = await serving({ authorizesImpersonated: true });
  const impersonate = 'system:serviceaccount:default:tenant';
  assert.equal((await permissive.client.send('GET', path, { impersonate })).status, 200);
  assert.equal((await authorizing.client.send('GET', path, { impersonate })).status, 403);
  assert.equal((await authorizing.client.send('GET', path)).status, 200);
});

test('each namespace has a default ServiceAccount, which is recreated after a deletion and deleted with the namespace', async () => {
  await using at = await serving();
  const serviceAccount = () => at.store.get(serviceAccounts, 'shop', 'default');
  at.store.create(namespaces, { metadata: { name: 'shop' } });
  await until('the ServiceAccount exists', () => serviceAccount() !== undefined);
  const first = serviceAccount()?.metadata.uid;
  at.store.delete(serviceAccounts, 'shop', 'default');
  await until('the ServiceAccount is recreated', () => serviceAccount() !== undefined);
  assert.notEqual(serviceAccount()?.metadata.uid, first);
  at.store.delete(namespaces, '', 'shop');
  await until('the namespace is deleted', () => at.store.get(namespaces, '', 'shop') === undefined);
  assert.equal(serviceAccount(), undefined);
});
