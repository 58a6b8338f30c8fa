import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serving } from './support/servingApi.ts';

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
