import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { failure, scaledClock, startEndpointSlices, startKubelet, startReplicaSets } from '@weeder/embedded-cluster';
import { endpointSlices, namespaces, pods } from '@weeder/embedded-cluster/resources';
import { pino } from 'pino';
import { type ClusterDemo, playOnCluster } from '../../src/demo/cluster/run.ts';
import type { Downtime } from '../../src/demo/downtime.ts';
import type { ScenarioEvent } from '../../src/demo/events.ts';
import { apiserverLabels } from '../../src/demo/objects.ts';
import { podView } from '../../src/demo/podView.ts';
import type { WeederEvent } from '../../src/weeder/deletions/weederEvents.ts';
import { demoPrograms } from '../support/world/demoPrograms.ts';
import { type Embedded, embedded, made } from '../support/world/embedded.ts';

const home = 'weeder-demo-test';
const forbidden = failure(403, 'Forbidden', 'the user may not do this');

type StoryEvent = ScenarioEvent | WeederEvent;

interface Played extends ClusterDemo {
  readonly events: readonly StoryEvent[];
  readonly waiting: readonly string[];
  readonly wasCleanedUp: boolean;
  readonly cluster: Embedded;
}

interface Play {
  readonly timeout?: number;
  readonly prepare?: (cluster: Embedded) => void;
  readonly onEvent?: (event: StoryEvent, stop: AbortController) => void;
  readonly needs?: () => string;
  readonly isWithoutKubelet?: boolean;
}

/** Plays the demo as on a real cluster, over HTTP, on an embedded one with a kubelet, 10 times as fast. */
async function play({ timeout = 600_000, prepare, onEvent, needs, isWithoutKubelet }: Play = {}): Promise<Played> {
  const clock = scaledClock(10);
  await using cluster = await embedded({ clock });
  const { store } = cluster.server;
  const parts = [
    startReplicaSets(store, clock),
    startEndpointSlices(store, clock),
    ...(isWithoutKubelet
      ? []
      : [startKubelet({ store, clock, version: '1.36', seed: 1, program: demoPrograms(needs) })]),
  ];
  prepare?.(cluster);
  const events: StoryEvent[] = [];
  const waiting: string[] = [];
  const stop = new AbortController();
  let wasCleanedUp = false;
  const ended = await playOnCluster(
    {
      client: cluster.client(clock),
      clock,
      logger: pino({ level: 'silent' }),
      namespace: home,
      image: 'busybox:1.37',
      replicas: 2,
      outage: 60_000,
      timeout,
      signal: stop.signal,
      onEvent(_time, event) {
        events.push(event);
        onEvent?.(event, stop);
      },
      onWaiting: ({ what }) => waiting.push(what),
      onBegin: () => {},
    },
    () => {
      wasCleanedUp = true;
    },
  );
  for (const part of parts) part();
  return { ...ended, events, waiting, wasCleanedUp, cluster };
}

function namespaceExists({ cluster }: Played): boolean {
  return cluster.server.store.get(namespaces, '', home) !== undefined;
}

function outcomeOf({ played }: Played) {
  assert(played.ok && played.value !== 'stopped', JSON.stringify(played));
  return played.value;
}

function problemOf({ played }: Played) {
  assert(!played.ok, JSON.stringify(played));
  return played.error;
}

const seconds = (downtimes: readonly Downtime[]) => downtimes.map(({ total }) => total / 1_000);

suite('the demo on a cluster', { concurrency: 3 }, () => {
  test('half of the dependants is deleted and soon ready, the other half waits for its back-off', async () => {
    const played = await play();
    const { isBack, weeded, ignored } = outcomeOf(played);
    assert.ok(isBack);
    assert.deepEqual([weeded.length, ignored.length], [2, 2]);
    const [slowest, quickest] = [Math.max(...seconds(weeded)), Math.min(...seconds(ignored))];
    assert.ok(slowest < quickest, `${seconds(weeded)} and ${seconds(ignored)}`);
    const deleted = played.events.flatMap((event) => (event.type === 'pod.deleted' ? [event.pod.name] : []));
    assert.deepEqual(deleted.toSorted(), weeded.map(({ pod }) => pod).toSorted());
    const skipped = played.events.flatMap((event) => (event.type === 'pod.skipped' ? [event.pod.name] : []));
    assert.deepEqual(skipped.toSorted(), ignored.map(({ pod }) => pod).toSorted());
    for (const { pod } of ignored) assert.match(pod, /^apiserver-ignored-/);
    assert.equal(played.leftBehind, undefined);
    assert.ok(!namespaceExists(played));
  });

  test('a crash-looping pod with the same labels in another namespace is not deleted when its own service recovers', async () => {
    let server: Embedded['server'] | undefined;
    let exits = 0;
    const prepare = (cluster: Embedded) => {
      ({ server } = cluster);
      addPodWithSameLabels(cluster);
      server.store.watch(pods, { namespace: 'default' }, (_type, pod) => {
        ({ exits } = podView(pod));
      });
    };
    const onEvent = ({ type }: StoryEvent) => {
      if (type === 'etcd.back' && server !== undefined) setServiceWithSameLabels(server, true);
    };
    const played = await play({ prepare, onEvent });
    assert.ok(outcomeOf(played).isBack);
    assert.ok(exits >= 3, `${exits} exits`);
    const left = played.cluster.server.store.list(pods).map(({ metadata }) => metadata.name);
    assert.deepEqual(left, ['same-labels']);
  });

  test('pods that are not ready in time are reported so, and the namespace is removed', async () => {
    let service = 'etcd-main-client';
    const onEvent = ({ type }: StoryEvent) => {
      if (type === 'etcd.back') service = 'other-service';
    };
    const played = await play({ timeout: 60_000, onEvent, needs: () => service });
    const { isBack, weeded, ignored } = outcomeOf(played);
    assert.equal(isBack, false);
    assert.ok([...weeded, ...ignored].every(({ isDown }) => isDown));
    assert.equal(played.leftBehind, undefined);
    assert.ok(!namespaceExists(played));
  });

  test('the signal to stop ends the demo without an outcome, and the namespace is removed', async () => {
    const onEvent = ({ type }: StoryEvent, stop: AbortController) => {
      if (type === 'container.exited') stop.abort();
    };
    const played = await play({ onEvent });
    assert.deepEqual(played.played, { ok: true, value: 'stopped' });
    assert.ok(!played.events.some(({ type }) => type === 'etcd.back'));
    assert.ok(played.wasCleanedUp && !namespaceExists(played));
  });

  test('pods that never become ready are reported with the reason, and the namespace is removed', async () => {
    const played = await play({ isWithoutKubelet: true, timeout: 4_000, prepare: refusePulls });
    const { code, message: sentence } = problemOf(played);
    assert.equal(code, 'DEMO_NOT_READY');
    assert.match(sentence, /\(etcd-main-\S+: ImagePullBackOff: Back-off pulling image "busybox:1\.37"\)\.$/);
    assert.deepEqual(played.waiting, ['ImagePullBackOff: Back-off pulling image "busybox:1.37"']);
    assert.ok(!namespaceExists(played));
  });

  test('a request that the cluster refuses is reported, and the created objects are removed', async () => {
    for (const refused of ['/services', '/status']) {
      const prepare = ({ server }: Embedded) =>
        server.setFaults(({ method, url }) =>
          method !== 'GET' && url.endsWith(refused) ? { refuse: forbidden } : undefined,
        );
      const played = await play({ prepare, isWithoutKubelet: refused === '/status' });
      const { code, message: sentence } = problemOf(played);
      assert.equal(code, 'DEMO_REFUSED');
      assert.match(sentence, /the user may not do this/);
      assert.equal(played.leftBehind, undefined);
      assert.ok(played.wasCleanedUp && !namespaceExists(played));
    }
  });

  test('a namespace that cannot be created is not deleted either', async () => {
    const prepare = ({ server }: Embedded) =>
      server.setFaults(({ method }) => (method === 'POST' ? { refuse: forbidden } : undefined));
    const played = await play({ prepare });
    assert.equal(problemOf(played).code, 'DEMO_REFUSED');
    assert.equal(played.cluster.server.requests.count('delete', 'namespaces'), 0);
    assert.equal(played.wasCleanedUp, false);
  });

  test('a namespace is removed if the response to its creation was lost', async () => {
    let isLost = false;
    const prepare = ({ server }: Embedded) =>
      server.setFaults(({ method }) => {
        if (method !== 'POST' || isLost) return undefined;
        isLost = true;
        made(server.store.create(namespaces, { metadata: { name: home } }));
        return { refuse: 'cut' };
      });
    const played = await play({ prepare });
    assert.equal(problemOf(played).code, 'DEMO_REFUSED');
    assert.equal(played.leftBehind, undefined);
    assert.ok(!namespaceExists(played));
  });

  test('a namespace that the user may not delete is reported', async () => {
    const prepare = ({ server }: Embedded) =>
      server.setFaults(({ method, url }) =>
        method === 'DELETE' && url.endsWith(`/namespaces/${home}`) ? { refuse: forbidden } : undefined,
      );
    const played = await play({ prepare, onEvent: (_event, stop) => stop.abort() });
    assert.equal(played.leftBehind, 'the user may not do this');
    assert.ok(namespaceExists(played));
  });

  test('a failed removal of the namespace is retried', async () => {
    let refusals = 0;
    const prepare = ({ server }: Embedded) =>
      server.setFaults(({ method, url }) => {
        if (method !== 'DELETE' || !url.endsWith(`/namespaces/${home}`) || refusals === 3) return undefined;
        refusals += 1;
        return { refuse: failure(503, 'ServiceUnavailable', 'not now') };
      });
    const played = await play({ prepare, onEvent: (_event, stop) => stop.abort() });
    assert.equal(refusals, 3);
    assert.equal(played.leftBehind, undefined);
    assert.ok(!namespaceExists(played));
  });
});

/** A crash-looping pod of a service of the same name, in another namespace. */
function addPodWithSameLabels({ server }: Embedded): void {
  const { store } = server;
  setServiceWithSameLabels(server, false);
  const ownerReferences = [{ apiVersion: 'example.io/v1', kind: 'Owner', name: 'o', uid: 'u', controller: true }];
  const metadata = { name: 'same-labels', namespace: 'default', labels: apiserverLabels, ownerReferences };
  made(store.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'x:1' }] } }));
}

function setServiceWithSameLabels({ store }: Embedded['server'], ready: boolean): void {
  const labels = { 'kubernetes.io/service-name': 'etcd-main-client' };
  const endpoints = [{ addresses: ['10.0.0.9'], conditions: { ready } }];
  if (ready) made(store.patch(endpointSlices, 'default', 'same-labels', { endpoints }));
  else {
    const metadata = { name: 'same-labels', namespace: 'default', labels };
    made(store.create(endpointSlices, { metadata, addressType: 'IPv4', endpoints }));
  }
}

function refusePulls({ server }: Embedded): void {
  server.store.watch(pods, { namespace: home }, (type, { metadata }) => {
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "busybox:1.37"' };
    if (type === 'ADDED') setStatus(server, home, metadata.name, { waiting });
  });
}

function setStatus({ store }: Embedded['server'], namespace: string, name: string, state: object): void {
  const containerStatuses = [{ name: 'main', restartCount: 3, ready: false, state }];
  made(store.patch(pods, namespace, name, { status: { containerStatuses } }, { subresource: 'status' }));
}
