import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customResourceDefinitions } from '../../src/apiserver/strategies/resources.ts';
import { flushTasks, simulatedClock } from '../../src/clock/simulatedClock.ts';
import { storedObject } from '../support/cluster.ts';
import { serving } from '../support/serving.ts';

const path = '/apis/example.org/v1/widgets';
const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };
const definition = {
  metadata: { name: 'widgets.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Cluster',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
};

test('with a delay, a custom resource is served later than its definition is established, as on a real server', async () => {
  const clock = simulatedClock();
  await using at = await serving({ clock, customResourcesServedAfterMs: 35 });
  storedObject(at.store.create(customResourceDefinitions, definition));
  await flushTasks();
  const established = at.store.get(customResourceDefinitions, '', 'widgets.example.org');
  assert.match(JSON.stringify(established?.['status']), /"type":"Established","status":"True"/);
  const early = await at.client.send('GET', path);
  assert.deepEqual([early.status, early.body], [404, '404 page not found\n']);
  await clock.pass(35);
  assert.equal((await at.client.send('GET', path)).status, 200);
});

test('after a change of the definition, existing objects are served by the new schema', async () => {
  await using at = await serving();
  storedObject(at.store.create(customResourceDefinitions, definition));
  const body = { metadata: { name: 'a' }, spec: { size: 1 } };
  await flushTasks();
  const first = await at.client.send('POST', path, { body: { ...body, apiVersion: 'example.org/v1', kind: 'Widget' } });
  assert.equal(first.status, 201);
  assert.doesNotMatch(JSON.stringify(first.body), /size/);
  const size = { type: 'object', properties: { size: { type: 'integer', default: 7 } } };
  const openAPIV3Schema = { type: 'object', properties: { spec: size } };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  storedObject(at.store.patch(customResourceDefinitions, '', 'widgets.example.org', { spec: { versions } }));
  await flushTasks();
  const contentType = 'application/merge-patch+json';
  const changed = await at.client.send('PATCH', `${path}/a`, {
    body: { metadata: { labels: { x: '1' } } },
    contentType,
  });
  assert.match(JSON.stringify(changed.body), /"spec":\{"size":7\}/);
});
