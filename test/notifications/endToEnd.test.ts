import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointSlices, namespaces, pods, replicaSets } from '@weeder/embedded-cluster/resources';
import { objectOf } from '@weeder/kube-runtime/base';
import { faultyServer, until } from '@weeder/kube-runtime/testing';
import { parseConfig } from '../../src/config/parse.ts';
import { embedded, startEmbeddedWeeder } from '../support/world/embedded.ts';

const home = 'shop';

const slice = (ready: boolean) => ({
  metadata: { name: 'db-1', namespace: home, labels: { 'kubernetes.io/service-name': 'db' } },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
});

/** Two pods of a ReplicaSet that crash-loop, and their service, which is down. */
async function outage() {
  const cluster = await embedded();
  const { store } = cluster.server;
  store.create(namespaces, { metadata: { name: home } });
  store.create(endpointSlices, slice(false));
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'x:1' }] } };
  const owner = store.create(replicaSets, {
    metadata: { name: 'web', namespace: home },
    spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, template },
  });
  assert.ok(owner.ok);
  const controller = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: owner.value.metadata.uid };
  for (const name of ['web-0', 'web-1']) {
    const ownerReferences = [{ ...controller, controller: true }];
    store.create(pods, {
      metadata: { name, namespace: home, labels: { app: 'web' }, ownerReferences },
      spec: template.spec,
    });
    const state = { waiting: { reason: 'CrashLoopBackOff' } };
    const status = { phase: 'Running', containerStatuses: [{ name: 'main', restartCount: 3, state }] };
    assert.ok(store.patch(pods, home, name, { status }, { subresource: 'status' }).ok);
  }
  return { cluster, recover: () => assert.ok(store.patch(endpointSlices, home, 'db-1', slice(true)).ok) };
}

/** A config that sends to this address. */
function configOf(url: string, more: object = {}): string {
  const db = { podSelectors: [{ matchLabels: { app: 'web' } }] };
  return JSON.stringify({ servicesAndDependantSelectors: { db }, notifications: { ops: { url, ...more } } });
}

async function receiver() {
  const server = await faultyServer('http', (_, answer) => {
    answer.head(202);
    answer.end();
  });
  const events = () => server.requests.flatMap(({ body }): object[] => JSON.parse(body));
  const subjects = (type: string) =>
    events()
      .map(objectOf)
      .filter((event) => event['type'] === `dev.weeder.${type}`)
      .map(({ subject }) => subject);
  return { server, subjects };
}

test('a recovery is sent as CloudEvents, to the receiver of the newest config, and the rest at the end', async () => {
  const one = await receiver();
  await using _one = one.server;
  const other = await receiver();
  await using _other = other.server;
  const { cluster, recover } = await outage();
  await using _cluster = cluster;
  await using weeder = startEmbeddedWeeder(cluster, configOf(one.server.url));
  await until('weeder runs', () => weeder.manager.state() === 'running');
  recover();
  await until('both pods are reported', () => one.subjects('PodDeleted').length === 2);
  assert.deepEqual(one.subjects('WindowOpened'), ['Service/shop/db']);
  assert.deepEqual(one.subjects('PodDeleted').toSorted(), ['Pod/shop/web-0', 'Pod/shop/web-1']);
  await until('they are counted', () => weeder.manager.notifications().get('ops')?.sent === 3);
  assert.equal(weeder.manager.actorCounts()['receiver'], 1);
  assert.ok([...weeder.manager.actors()].some(({ id }) => id === 'receiver ops'));

  const changed = parseConfig(configOf(other.server.url, { types: ['WindowClosed'] }), 'config.yaml');
  assert.ok(changed.ok);
  weeder.reload.take(changed);
  await weeder[Symbol.asyncDispose]();
  assert.deepEqual(other.subjects('WindowClosed'), ['Service/shop/db']);
  assert.deepEqual(one.subjects('WindowClosed'), []);
});

test('a receiver that hangs delays no deletion, and no end of weeder by more than a second', async () => {
  const ops = await receiver();
  await using _ops = ops.server;
  ops.server.failAll(() => {});
  const { cluster, recover } = await outage();
  await using _cluster = cluster;
  await using weeder = startEmbeddedWeeder(cluster, configOf(ops.server.url));
  await until('weeder runs', () => weeder.manager.state() === 'running');
  weeder.manager.notify({
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace: home, name: 'weeder', uid: undefined },
    type: 'Warning',
    reason: 'ConfigRejected',
    action: 'Reject',
    note: 'No.',
  });
  await until('the receiver hangs', () => ops.server.requests.length === 1);
  recover();
  await until('the pods are deleted', () => weeder.events.filter(({ type }) => type === 'pod.deleted').length === 2);
  assert.equal(ops.server.requests.length, 1);
  await weeder[Symbol.asyncDispose]();
  assert.equal(weeder.manager.notifications().get('ops')?.lost.stopped, 5);
  assert.ok(weeder.logged.includes('notifications are lost: they were not sent before the end'));
});

test('a replica that does not lead sends nothing', async () => {
  const ops = await receiver();
  await using _ops = ops.server;
  const { cluster } = await outage();
  await using _cluster = cluster;
  const election = {
    namespace: home,
    name: 'weeder',
    leaseDuration: 15_000,
    renewDeadline: 10_000,
    retryPeriod: 2_000,
  };
  const config = configOf(ops.server.url);
  await using leader = startEmbeddedWeeder(cluster, config, { election: { ...election, identity: 'leader' } });
  await until('one leads', () => leader.manager.state() === 'running');
  await using standby = startEmbeddedWeeder(cluster, config, { election: { ...election, identity: 'standby' } });
  await until('the other stands by', () => standby.manager.leadership()?.state === 'standingBy');
  const regarding = { apiVersion: 'v1', kind: 'Pod', namespace: home, name: 'weeder', uid: undefined };
  for (const { manager } of [standby, leader])
    manager.notify({ regarding, type: 'Normal', reason: 'ConfigApplied', action: 'Apply', note: 'Applied.' });
  assert.deepEqual(
    [standby, leader].map(({ manager }) => manager.notifications().get('ops')?.waiting),
    [0, 1],
  );
});
