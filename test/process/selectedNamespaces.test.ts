import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaces, pods } from '@weeder/embedded-cluster/resources';
import { until } from '@weeder/kube-runtime/testing';
import { embedded, made, startEmbeddedWeeder } from '../support/world/embedded.ts';

const config = 'servicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {app: api}}]}}\n';
const selection = { selector: { matchLabels: { team: 'shop' } }, except: [] };

test('before the labels of namespaces have been read, no other stream is opened, and no controller starts', async () => {
  await using cluster = await embedded();
  cluster.server.setFaults(({ url }) => (url.startsWith('/api/v1/namespaces') ? { refuse: 'cut' } : undefined));
  await using weeder = startEmbeddedWeeder(cluster, config, { selection });
  await until('the stream of Namespaces is lost', () => weeder.logged.includes('stream lost'));
  assert.deepEqual(
    weeder.manager.streams().map(({ name }) => name),
    ['namespaces'],
  );
  assert.equal(weeder.manager.state(), 'syncing');
  cluster.server.setFaults(undefined);
  await until('the weeder starts', () => weeder.logged.includes('caches synced, starting controller'));
  assert.deepEqual(
    weeder.manager
      .streams()
      .map(({ name }) => name)
      .sort(),
    ['endpointslices', 'namespaces', 'pods app=api'],
  );
  assert.equal(weeder.manager.state(), 'running');
});

test('a change of labels that selects no namespace with objects reads no stream again', async () => {
  await using cluster = await embedded();
  await using weeder = startEmbeddedWeeder(cluster, config, { selection });
  await until('the weeder starts', () => weeder.logged.includes('caches synced, starting controller'));
  const before = weeder.logged.filter((line) => line === 'stream synced').length;
  cluster.server.store.create(namespaces, { metadata: { name: 'shop', labels: { team: 'shop' } } });
  await until(
    'the namespace is selected',
    () => weeder.logged.filter((line) => line === 'selected namespaces').length > 1,
  );
  assert.equal(weeder.logged.filter((line) => line === 'stream synced').length, before);
});

test('a pod that declares a service of a namespace that is not selected is reported, one of a selected namespace is not', async () => {
  await using cluster = await embedded();
  const { store } = cluster.server;
  for (const [name, team] of Object.entries({ shop: 'shop', data: 'shop', infra: 'other' }))
    made(store.create(namespaces, { metadata: { name, labels: { team } } }));
  for (const [name, service] of Object.entries({ far: 'db.infra', near: 'db.data' })) {
    const labels = { 'weeder.dev/depends-on': service };
    const spec = { containers: [{ name: 'main', image: 'x:1' }] };
    made(store.create(pods, { metadata: { name, namespace: 'shop', labels }, spec }));
  }
  await using weeder = startEmbeddedWeeder(cluster, 'declaredDependencies: {}\n', { selection });
  const problems = () => weeder.events.flatMap((event) => (event.type === 'declaration.problem' ? event.problem : []));
  await until('the problem is reported', () => problems().length > 0);
  assert.deepEqual(problems(), ['infra/db cannot be seen: weeder does not watch this namespace']);
});
