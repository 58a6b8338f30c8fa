import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure, type KubeObject, scaledClock } from '@weeder/embedded-cluster';
import { endpointSlices, events, leases, namespaces, pods, services } from '@weeder/embedded-cluster/resources';
import { arrayOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import { type Embedded, embedded, made, startEmbeddedWeeder } from '../support/world/embedded.ts';

const home = 'shoot-1';
const config = `
servicesAndDependantSelectors:
  etcd-main-client:
    podSelectors:
      - matchLabels: {role: apiserver}
    barePods: delete
`;

/** A Service that is notReady, with a slice that it owns, and a crash-looping pod. */
function scene({ server }: Embedded) {
  const { store } = server;
  made(store.create(namespaces, { metadata: { name: home } }));
  const spec = { ports: [{ port: 2379 }] };
  const service = made(store.create(services, { metadata: { name: 'etcd-main-client', namespace: home }, spec }));
  const owner = { apiVersion: 'v1', kind: 'Service', name: service.metadata.name, uid: service.metadata.uid };
  const slice = (ready: boolean) => ({
    metadata: {
      name: 'etcd-main-client-a',
      namespace: home,
      labels: { 'kubernetes.io/service-name': 'etcd-main-client' },
      ownerReferences: [owner],
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
  });
  made(store.create(endpointSlices, slice(false)));
  const metadata = { name: 'kapi-0', namespace: home, labels: { role: 'apiserver' } };
  made(store.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'x:1' }] } }));
  const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' };
  const containerStatuses = [{ name: 'main', restartCount: 6, state: { waiting } }];
  const status = { phase: 'Running', containerStatuses };
  const pod = made(store.patch(pods, home, 'kapi-0', { status }, { subresource: 'status' }));
  return {
    service,
    pod,
    ready: (isReady: boolean) => void made(store.patch(endpointSlices, home, 'etcd-main-client-a', slice(isReady))),
    reported: () => store.list(events, { namespace: home }).map((event) => textOf(event['reason'])),
  };
}

/** As `kubectl describe` requests them. */
async function eventsAbout(cluster: Embedded, { metadata }: KubeObject) {
  const path = `/api/v1/namespaces/${home}/events`;
  const query = { fieldSelector: `involvedObject.uid=${metadata.uid}` };
  const result = await cluster.client().call({ method: 'GET', path, query });
  assert(result.ok);
  return arrayOf(objectOf(result.body)['items']).map((event) => {
    const { reason, type, message, series, reportingComponent } = objectOf(event);
    return { reason, type, message, count: objectOf(series)['count'], reportingComponent };
  });
}

const from = { type: 'Normal', count: undefined, reportingComponent: 'weeder.dev/weeder' };

test('a recovery is reported on the Service and on the pod, found by their uids', async () => {
  await using cluster = await embedded();
  const play = scene(cluster);
  {
    await using weeder = startEmbeddedWeeder(cluster, config, { eventInstance: 'weeder-0' });
    await until('weeder runs', () => weeder.manager.state() === 'running');
    play.ready(true);
    await until('both Events are there', () => play.reported().length === 2);
    play.ready(false);
    play.ready(true);
    const isOpen = () => weeder.events.filter(({ type }) => type === 'window.opened').length === 2;
    await until('the second window is open', isOpen);
    await until('the end of the first window is reported', () => play.reported().length === 3);
    await until(
      'the second window is reported in a series',
      () => cluster.server.requests.count('patch', 'events') === 1,
    );
  }
  assert.deepEqual(await eventsAbout(cluster, play.pod), [
    {
      ...from,
      reason: 'PodDeleted',
      message:
        'Deleted, because service etcd-main-client recovered: container main was in CrashLoopBackOff after 6 restarts.',
    },
  ]);
  const message = 'Recovered: for 5m0s, dependants in crash-loop back-off are deleted.';
  const [opened, closed] = await eventsAbout(cluster, play.service);
  assert.deepEqual(opened, { ...from, reason: 'WindowOpened', message, count: 2 });
  assert.deepEqual(closed, {
    ...from,
    reason: 'WindowClosed',
    message: 'Window replaced by the next one: 1 pod deleted, 0 skipped.',
  });
});

test('pending Events are written before weeder ends', async () => {
  await using cluster = await embedded();
  const play = scene(cluster);
  {
    // With this clock an Event is sent a second later, and the end may take three.
    const options = { eventInstance: 'weeder-0', clock: scaledClock(0.1) };
    await using weeder = startEmbeddedWeeder(cluster, config, options);
    await until('weeder runs', () => weeder.manager.state() === 'running');
    play.ready(true);
    await until('the pod is deleted', () => weeder.events.some(({ type }) => type === 'pod.deleted'));
  }
  assert.deepEqual(play.reported().sort(), ['PodDeleted', 'WindowClosed', 'WindowOpened']);
});

test('without an instance name there are no Events', async () => {
  await using cluster = await embedded();
  const play = scene(cluster);
  {
    await using weeder = startEmbeddedWeeder(cluster, config);
    await until('weeder runs', () => weeder.manager.state() === 'running');
    play.ready(true);
    await until('the pod is deleted', () => weeder.events.some(({ type }) => type === 'pod.deleted'));
  }
  assert.deepEqual(play.reported(), []);
  assert.equal(cluster.server.requests.count('create', 'events'), 0);
});

for (const takesTheLease of [true, false]) {
  const how = takesTheLease ? 'has lost the Lease' : 'is stopped';
  test(`a window is open and a deletion is refused when weeder ${how}: it reports no failure, as the next one continues`, async () => {
    await using cluster = await embedded();
    const play = scene(cluster);
    const unavailable = failure(503, 'ServiceUnavailable', 'later');
    cluster.server.setFaults(({ method, url }) =>
      method === 'DELETE' && url.includes('/pods/') ? { refuse: unavailable } : undefined,
    );
    const times = { leaseDuration: 3_000, renewDeadline: 2_000, retryPeriod: 100 };
    // On a busy machine the end takes longer than the three seconds that it has.
    const clock = scaledClock(0.2);
    const election = { namespace: home, name: 'weeder', identity: 'me', ...times };
    const weeder = startEmbeddedWeeder(cluster, config, { eventInstance: 'weeder-0', election, clock });
    await until('weeder runs', () => weeder.manager.state() === 'running');
    play.ready(true);
    await until('a deletion was refused', () => weeder.events.some(({ type }) => type === 'deletion.refused'));
    if (takesTheLease) {
      const renewTime = new Date(Date.now() + 60_000).toISOString().replace('Z', '000Z');
      made(cluster.server.store.patch(leases, home, 'weeder', { spec: { holderIdentity: 'another', renewTime } }));
    } else {
      weeder.manager.shutdown();
    }
    assert.equal(await weeder.manager.stopped, takesTheLease ? 'leadershipLost' : 'shutdown');
    const closed = weeder.events.find(({ type }) => type === 'window.closed');
    assert(closed?.type === 'window.closed');
    const handedOverTo = takesTheLease ? 'the leader' : 'the next weeder';
    assert.deepEqual([closed.handedOverTo, closed.failed], [handedOverTo, []]);
    assert(!weeder.events.some(({ type }) => type === 'deletion.failed'));
    assert(weeder.logged.includes(`window handed over to ${handedOverTo}`));
    const reported = ['DeletionFailed', 'WindowClosed'].filter((reason) => play.reported().includes(reason));
    assert.deepEqual(reported, takesTheLease ? [] : ['WindowClosed']);
  });
}
