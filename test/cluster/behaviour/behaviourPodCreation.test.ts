import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import { createWebhook } from '../support/admissionWebhook.ts';
import { eventually, podsOf, type TestNamespace, testNamespace } from '../support/cluster.ts';
import { startWeederInProcess } from '../support/inProcessWeeder.ts';

const config = { podCreation: {} };
const retriedAt = 'weeder.dev/retried-at';

interface Owner {
  readonly kind: string;
  readonly api: string;
  readonly resource: string;
  readonly name: string;
  readonly spec: object;
}

function owner(kind: string, api: string, spec: object = {}): Owner {
  return { kind, api, resource: `${kind.toLowerCase()}s`, name: kind.toLowerCase(), spec };
}

const controllers = [
  owner('ReplicaSet', 'apis/apps/v1'),
  owner('StatefulSet', 'apis/apps/v1', { serviceName: 'none' }),
  owner('Deployment', 'apis/apps/v1'),
  owner('Job', 'apis/batch/v1'),
];

async function create(ns: TestNamespace, { kind, api, resource, name, spec }: Owner): Promise<void> {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'registry.example/none' }];
  const template = {
    metadata: { labels },
    spec: { containers, ...(kind === 'Job' ? { restartPolicy: 'Never' } : {}) },
  };
  const all = { ...(kind === 'Job' ? {} : { selector: { matchLabels: labels } }), template, ...spec };
  await ns.cluster.api('POST', ns.path(api, resource), { metadata: { name, labels }, spec: all });
}

/** The objects of a kind, with what weeder must not change. */
async function objectsOf(ns: TestNamespace, api: string, resource: string) {
  const { items } = objectOf(await ns.cluster.api('GET', ns.path(api, resource)));
  return (Array.isArray(items) ? items : []).map((item) => {
    const metadata = objectOf(objectOf(item)['metadata']);
    return {
      name: metadata['name'],
      generation: metadata['generation'],
      annotations: objectOf(metadata['annotations']),
    };
  });
}

/**
 * Waits until the controllers of these apps have failed so often to create a pod that each waits for 10 s at least until
 * it tries again by itself. With a `text`, once is enough.
 */
async function refused(ns: TestNamespace, apps: readonly string[], text?: string): Promise<void> {
  await eventually(
    async (saw) => {
      const query = `${ns.path('api/v1', 'events')}?fieldSelector=reason%3DFailedCreate`;
      const { items } = objectOf(await ns.cluster.api('GET', query));
      const failures = (Array.isArray(items) ? items : []).map(objectOf).map(({ involvedObject, message, count }) => {
        const { kind, name } = objectOf(involvedObject);
        return { kind: String(kind), name: String(name), message: String(message), count: Number(count) };
      });
      saw(failures);
      return apps.every((app) =>
        failures.some(({ kind, name, message, count }) => {
          const times = text === undefined ? (kind === 'Job' ? 4 : 11) : 1;
          return name.startsWith(app) && message.includes(text ?? 'failed calling webhook') && count >= times;
        }),
      );
    },
    { what: `failures of each of ${apps.join(', ')}`, every: 200 },
  );
}

test('when a webhook is back, each controller that could not create pods creates them, and nothing is rolled out', async (t) => {
  const ns = await testNamespace(t, 'creation');
  const webhook = await createWebhook(ns);
  for (const each of controllers) await create(ns, each);
  await refused(
    ns,
    controllers.map(({ name }) => name),
  );
  const weeder = startWeederInProcess(t, { cluster: ns.cluster, config, namespaces: [ns.name] });
  await weeder.ready();
  await weeder.log.until('webhooks that admit pods changed');

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
  await create(limited, replicaSet);
  await create(other, replicaSet);
  await create(ns, { ...statefulSet, spec: { serviceName: 'none' } });
  await refused(limited, ['replicaset'], 'exceeded quota');
  await refused(other, ['replicaset']);
  await refused(ns, ['statefulset']);
  const weeder = startWeederInProcess(t, {
    cluster: ns.cluster,
    config,
    namespaces: [ns, other, limited].map(({ name }) => name),
  });
  await weeder.ready();
  await weeder.log.until('webhooks that admit pods changed');

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
  await create(ns, owner('ReplicaSet', 'apis/apps/v1'));
  await refused(ns, ['replicaset']);
  const weeder = startWeederInProcess(t, { cluster: ns.cluster, config, namespaces: [ns.name], isDryRun: true });
  await weeder.ready();
  await weeder.log.until('webhooks that admit pods changed');
  await webhook.recover();
  await until('weeder has decided', () => weeder.eventsOf('creation.retried').length > 0);
  const [object] = await objectsOf(ns, 'apis/apps/v1', 'replicasets');
  assert.equal(retriedAt in (object?.annotations ?? {}), false);
});
