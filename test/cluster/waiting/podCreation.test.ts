import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import { createWebhook } from '../support/admissionWebhook.ts';
import { podsOf, testNamespace } from '../support/cluster.ts';
import { startWeederInProcess } from '../support/inProcessWeeder.ts';
import {
  controllers,
  createOwner,
  objectsOf,
  owner,
  retriedAt,
  untilRefused,
} from '../support/outage/refusedOwners.ts';

const config = { podCreation: {} };
test('when a webhook is back, each controller that could not create pods creates them, and nothing is rolled out', async (t) => {
  const ns = await testNamespace(t, 'creation');
  const webhook = await createWebhook(ns);
  for (const each of controllers) await createOwner(ns, each);
  const weeder = startWeederInProcess(t, { cluster: ns.cluster, config, namespaces: [ns.name] });
  await weeder.ready();
  await weeder.log.until('webhooks that admit pods changed');
  await untilRefused(
    ns,
    controllers.map(({ name }) => name),
  );

  await webhook.recover();
  for (const { name } of controllers) await podsOf(ns, { app: name }, 1);
  await until('each is retried', () => weeder.eventsOf('creation.retried').length === controllers.length);
  for (const { api, resource, kind } of controllers) {
    const [object, ...others] = await objectsOf(ns, api, resource);
    assert.deepEqual(others, kind === 'ReplicaSet' ? others.slice(0, 1) : [], 'no further revision');
    assert.equal(object?.generation, 1);
    // A Deployment has a ReplicaSet that creates its pods.
    assert.equal(retriedAt in (object?.annotations ?? {}), kind !== 'Deployment');
  }
});

test('an object that a quota or another webhook refuses is not touched, nor one that has its pods', async (t) => {
  const ns = await testNamespace(t, 'creation');
  const other = await testNamespace(t, 'creation');
  const webhook = await createWebhook(ns);
  await createWebhook(other);
  const hard = { pods: '0' };
  const full = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'full' }, spec: { hard } };
  const [replicaSet, statefulSet] = [owner('ReplicaSet', 'apis/apps/v1'), owner('StatefulSet', 'apis/apps/v1')];
  const limited = await testNamespace(t, 'creation');
  const quotas = limited.path('api/v1', 'resourcequotas');
  await limited.cluster.api('POST', quotas, full);
  // No controller counts what is used.
  await limited.cluster.api('PUT', `${quotas}/full/status`, { ...full, status: { hard, used: hard } });
  await createOwner(limited, replicaSet);
  await createOwner(other, replicaSet);
  await createOwner(ns, { ...statefulSet, spec: { serviceName: 'none' } });
  const weeder = startWeederInProcess(t, {
    cluster: ns.cluster,
    config,
    namespaces: [ns, other, limited].map(({ name }) => name),
  });
  await weeder.ready();
  await weeder.log.until('webhooks that admit pods changed');
  await untilRefused(limited, ['replicaset'], 'exceeded quota');
  await untilRefused(other, ['replicaset']);
  await untilRefused(ns, ['statefulset']);

  await webhook.recover();
  await podsOf(ns, { app: 'statefulset' }, 1);
  await until('weeder has decided', () => weeder.eventsOf('creation.retried').length > 0);
  for (const place of [limited, other])
    for (const { annotations } of await objectsOf(place, 'apis/apps/v1', 'replicasets'))
      assert.equal(retriedAt in annotations, false);
  // Once more, with the Event of the same failure.
  await webhook.fail();
  await weeder.log.until('service is down', { namespace: ns.name });
  const [before] = await objectsOf(ns, 'apis/apps/v1', 'statefulsets');
  await webhook.recover();
  await weeder.log.until('service recovered, window opened', { namespace: ns.name }, { count: 2 });
  const [after] = await objectsOf(ns, 'apis/apps/v1', 'statefulsets');
  assert.deepEqual(after, before);
});

test('in a dry run nothing is changed', async (t) => {
  const ns = await testNamespace(t, 'creation');
  const webhook = await createWebhook(ns);
  await createOwner(ns, owner('ReplicaSet', 'apis/apps/v1'));
  const weeder = startWeederInProcess(t, { cluster: ns.cluster, config, namespaces: [ns.name], isDryRun: true });
  await weeder.ready();
  await weeder.log.until('webhooks that admit pods changed');
  await untilRefused(ns, ['replicaset']);
  await webhook.recover();
  await until('weeder has decided', () => weeder.eventsOf('creation.retried').length > 0);
  const [object] = await objectsOf(ns, 'apis/apps/v1', 'replicasets');
  assert.equal(retriedAt in (object?.annotations ?? {}), false);
});
