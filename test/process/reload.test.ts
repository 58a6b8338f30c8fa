import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointSlices, namespaces, pods, replicaSets } from '@weeder/embedded-cluster/resources';
import { failed } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import { codedError } from '../../src/base/errors.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { type Embedded, embedded, startEmbeddedWeeder } from '../support/world/embedded.ts';

const home = 'shoot-1';
const serviceLabel = 'kubernetes.io/service-name';

/** A config: each service with the `app` of its dependants. */
function textOf(services: Readonly<Record<string, string>>): string {
  const entries = Object.entries(services).map(([name, app]) => [name, { podSelectors: [{ matchLabels: { app } }] }]);
  return JSON.stringify({ servicesAndDependantSelectors: Object.fromEntries(entries) });
}

function configOf(services: Readonly<Record<string, string>>) {
  const config = parseConfig(textOf(services), 'config.yaml');
  assert.ok(config.ok);
  return config;
}

function scene({ server }: Embedded) {
  const { store, requests } = server;
  store.create(namespaces, { metadata: { name: home } });
  const slice = (service: string, ready: boolean) => ({
    metadata: { name: `${service}-1`, namespace: home, labels: { [serviceLabel]: service } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
  });
  return {
    service(name: string, ready: boolean): void {
      const created = store.create(endpointSlices, slice(name, ready));
      if (!created.ok) assert.ok(store.patch(endpointSlices, home, `${name}-1`, slice(name, ready)).ok);
    },
    pod(name: string, app: string): void {
      const spec = { containers: [{ name: 'main', image: 'x:1' }] };
      const template = { metadata: { labels: { app } }, spec };
      const outcome = store.create(replicaSets, {
        metadata: { name: app, namespace: home },
        spec: { replicas: 0, selector: { matchLabels: { app } }, template },
      });
      assert.ok(outcome.ok);
      const { uid } = outcome.value.metadata;
      const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid, controller: true };
      const metadata = { name, namespace: home, labels: { app }, ownerReferences: [owner] };
      assert.ok(store.create(pods, { metadata, spec }).ok);
      const state = { waiting: { reason: 'CrashLoopBackOff' } };
      const status = { phase: 'Running', containerStatuses: [{ name: 'main', restartCount: 3, state }] };
      assert.ok(store.patch(pods, home, name, { status }, { subresource: 'status' }).ok);
    },
    names: () => store.list(pods, { namespace: home }).map(({ metadata }) => metadata.name),
    /** Watches whose request has this selector. */
    watches: (selector: string) =>
      requests.latest.filter(({ verb, url }) => verb === 'watch' && decodeURIComponent(url).includes(selector)).length,
  };
}

test('an added service gets its windows, and the streams that other services need are not reopened', async () => {
  await using cluster = await embedded();
  const play = scene(cluster);
  play.service('db', false);
  play.service('cache', true);
  await using weeder = startEmbeddedWeeder(cluster, textOf({ db: 'api' }));
  const { manager } = weeder;
  await until('weeder runs', () => manager.state() === 'running');
  // One delivers the complete list, and one continues from there.
  await until('the streams are open', () => play.watches('app=api') === 2);
  weeder.reload.take(configOf({ db: 'api', cache: 'worker' }));
  assert.deepEqual(weeder.processEvents, [
    { type: 'config.applied', generation: 2, added: ['cache'], changed: [], removed: [] },
  ]);
  await until('the new service is known', () => manager.controllers.weeder.shown().counts().endpoints === 1);
  play.pod('api-1', 'api');
  play.pod('worker-1', 'worker');
  play.service('db', true);
  await until('the pod of the old service is deleted', () => !play.names().includes('api-1'));
  play.service('cache', false);
  play.service('cache', true);
  await until('the pod of the new service is deleted', () => play.names().length === 0);
  assert.equal(play.watches('app=api'), 2);
  assert.equal(manager.state(), 'running');
});

test('while the new streams cannot be read, the services of the old config stay in effect', async () => {
  await using cluster = await embedded();
  const play = scene(cluster);
  play.service('db', false);
  await using weeder = startEmbeddedWeeder(cluster, textOf({ db: 'api' }));
  const { manager } = weeder;
  await until('weeder runs', () => manager.state() === 'running');
  cluster.server.setFaults(({ url }) =>
    decodeURIComponent(url ?? '').includes('cache') ? { refuse: 'cut' } : undefined,
  );
  weeder.reload.take(configOf({ db: 'api', cache: 'api' }));
  await until('the new stream has failed', () => weeder.logged.includes('stream lost'));
  play.pod('api-1', 'api');
  play.service('db', true);
  await until('the pod is deleted', () => play.names().length === 0);
  play.service('cache', false);
  play.service('cache', true);
  cluster.server.setFaults(undefined);
  await until('the new service is found', () => manager.controllers.weeder.shown().counts().endpoints === 2);
  const of = (service: string) => weeder.events.filter((event) => 'service' in event && event.service === service);
  assert.deepEqual(
    of('db').map(({ type }) => type),
    ['window.opened', 'pod.deleted'],
  );
});

test('a removed service triggers no more deletions, even if its stream delivers more changes', async () => {
  await using cluster = await embedded();
  const play = scene(cluster);
  play.service('db', false);
  play.service('cache', false);
  await using weeder = startEmbeddedWeeder(cluster, textOf({ db: 'api', cache: 'worker' }));
  const { manager } = weeder;
  await until('weeder runs', () => manager.state() === 'running');
  play.service('cache', true);
  await until('the window is open', () => manager.controllers.weeder.shown().counts().windows === 1);
  weeder.reload.take(configOf({ db: 'api' }));
  assert.equal(manager.controllers.weeder.shown().counts().windows, 0);
  assert.equal(weeder.events.at(-1)?.type, 'window.closed');
  play.pod('worker-1', 'worker');
  play.service('cache', false);
  play.service('cache', true);
  play.pod('api-1', 'api');
  play.service('db', true);
  await until('the pod of the other one is deleted', () => !play.names().includes('api-1'));
  assert.deepEqual(play.names(), ['worker-1']);
});

test('a config without any service closes the streams, and the log says that nothing is configured', async () => {
  await using cluster = await embedded();
  const play = scene(cluster);
  play.service('db', false);
  await using weeder = startEmbeddedWeeder(cluster, textOf({ db: 'api' }));
  const { manager } = weeder;
  await until('weeder runs', () => manager.state() === 'running');
  const saysNothing = () => weeder.logged.some((line) => line.startsWith('nothing is watched'));
  assert.equal(saysNothing(), false);
  weeder.reload.take(configOf({}));
  assert.equal(saysNothing(), true);
  assert.equal(manager.state(), 'running');
  assert.deepEqual(manager.streams(), []);
});

test('a rejected config changes nothing, is reported once, and is dropped when the next valid one arrives', async () => {
  await using cluster = await embedded();
  const play = scene(cluster);
  play.service('db', false);
  await using weeder = startEmbeddedWeeder(cluster, textOf({ db: 'api' }));
  const { manager } = weeder;
  await until('weeder runs', () => manager.state() === 'running');
  const { appliedAt } = weeder.reload.status();
  assert.deepEqual(weeder.reload.status(), { generation: 1, appliedAt, lastReload: 'applied' });
  const wrong = codedError('CONFIG_INVALID', 'config.yaml:1:1 watchDuration: found "x".');
  weeder.reload.take(failed(wrong));
  assert.deepEqual(weeder.reload.status(), { generation: 2, appliedAt, lastReload: 'rejected', rejected: wrong });
  assert.equal(manager.state(), 'running');
  assert.ok(weeder.logged.includes('config rejected, previous config stays in force'));
  play.pod('api-1', 'api');
  play.service('db', true);
  await until('the old config is in force', () => play.names().length === 0);
  weeder.reload.take(configOf({ db: 'api' }));
  const now = weeder.reload.status();
  assert.deepEqual(now, { generation: 3, appliedAt: now.appliedAt, lastReload: 'applied' });
  assert.deepEqual(weeder.processEvents, [
    { type: 'config.rejected', generation: 2, problem: wrong },
    { type: 'config.applied', generation: 3, added: [], changed: [], removed: [] },
  ]);
});

test('a change during the first lists is in effect when weeder starts; a change while it drains is ignored', async () => {
  await using cluster = await embedded();
  const play = scene(cluster);
  play.service('db', false);
  play.service('cache', false);
  cluster.server.setFaults(() => ({ refuse: 'cut' }));
  await using weeder = startEmbeddedWeeder(cluster, textOf({ db: 'api' }));
  const { manager } = weeder;
  await until('its streams are lost', () => weeder.logged.includes('stream lost'));
  weeder.reload.take(configOf({ cache: 'worker' }));
  assert.equal(manager.state(), 'syncing');
  cluster.server.setFaults(undefined);
  await until('weeder runs', () => manager.state() === 'running');
  for (const name of ['api', 'worker']) play.pod(`${name}-1`, name);
  for (const name of ['db', 'cache']) play.service(name, true);
  await until('the pod of the new service is deleted', () => !play.names().includes('worker-1'));
  assert.deepEqual(play.names(), ['api-1']);
  manager.shutdown();
  weeder.reload.take(configOf({ db: 'api' }));
  await manager.stopped;
  assert.deepEqual(play.names(), ['api-1']);
});
