import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@weeder/embedded-cluster';
import { endpointSlices, namespaces, pods, replicaSets } from '@weeder/embedded-cluster/resources';
import { until } from '@weeder/kube-runtime/testing';
import { type Embedded, embedded, made, startEmbeddedWeeder } from '../support/world/embedded.ts';

const config = `
watchDuration: 5m0s
servicesAndDependantSelectors:
  etcd-main-client:
    podSelectors:
      - matchLabels: {role: apiserver}
`;

const home = 'shoot-1';

/** A namespace with a service that is notReady, and functions to change its pods. */
function scene({ server }: Embedded) {
  const { store } = server;
  made(store.create(namespaces, { metadata: { name: home } }));
  const owner = made(
    store.create(replicaSets, {
      metadata: { name: 'kapi', namespace: home },
      spec: {
        replicas: 0,
        selector: { matchLabels: { role: 'apiserver' } },
        template: {
          metadata: { labels: { role: 'apiserver' } },
          spec: { containers: [{ name: 'main', image: 'x:1' }] },
        },
      },
    }),
  );
  const { uid, name } = owner.metadata;
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true }];
  made(store.create(endpointSlices, slice(false)));
  return {
    pod(pod: string, state: object): KubeObject {
      const metadata = { name: pod, namespace: home, labels: { role: 'apiserver' }, ownerReferences };
      made(store.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'x:1' }] } }));
      const containerStatuses = [{ name: 'main', restartCount: 3, state }];
      const body = { status: { phase: 'Running', containerStatuses } };
      return made(store.patch(pods, home, pod, body, { subresource: 'status' }));
    },
    ready(isReady: boolean): void {
      made(store.patch(endpointSlices, home, 'etcd-main-client-a', slice(isReady)));
    },
    names: () => store.list(pods, { namespace: home }).map(({ metadata }) => metadata.name),
  };
}

function slice(ready: boolean) {
  const labels = { 'kubernetes.io/service-name': 'etcd-main-client' };
  return {
    metadata: { name: 'etcd-main-client-a', namespace: home, labels },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
  };
}

const crashing = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } };
const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };

test('weeder deletes the crash-looping pod of a recovered service, and not the healthy one', async () => {
  await using cluster = await embedded();
  const play = scene(cluster);
  play.pod('crashing', crashing);
  play.pod('healthy', running);
  await using weeder = startEmbeddedWeeder(cluster, config);
  await until('weeder runs', () => weeder.manager.state() === 'running');
  assert.deepEqual(play.names(), ['crashing', 'healthy']);
  play.ready(true);
  await until('the crash-looping pod is deleted', () => play.names().length === 1);
  assert.deepEqual(play.names(), ['healthy']);
  assert.equal(cluster.server.requests.count('delete', 'pods'), 1);
  assert.equal(cluster.server.requests.count('list', 'pods'), 0);
});

test('weeder survives a compaction while its connections are down', async () => {
  await using cluster = await embedded();
  const { server } = cluster;
  const play = scene(cluster);
  await using weeder = startEmbeddedWeeder(cluster, config);
  await until('weeder runs', () => weeder.manager.state() === 'running');
  server.setFaults(() => ({ refuse: 'cut' }));
  server.cutConnections();
  await until('the streams are lost', () => weeder.logged.includes('stream lost'));
  play.pod('crashing', crashing);
  play.ready(true);
  server.store.compact();
  server.setFaults(undefined);
  await until('the pod that was not observed is deleted', () => play.names().length === 0);
  assert(weeder.logged.includes('stream expired'), weeder.logged.join());
});
