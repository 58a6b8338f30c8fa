import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { type JsonObject, objectOf, systemClock } from '@weeder/kube-runtime/base';
import { type LabelSelector, matchesSelector, selectorToString } from '@weeder/kube-runtime/objects';
import { testSink } from '@weeder/kube-runtime/testing';
import { createWatchTimeouts, listPages, startListWatch } from '@weeder/kube-runtime/watch';
import { onlyWithWatchList, streamsLists } from '../../support/api/watchList.ts';
import {
  type Cluster,
  eventually,
  grant,
  KubeObject,
  startControlPlane,
  type TestNamespace,
  testNamespace,
} from '../support/cluster.ts';
import { type Streaming, startStreaming } from '../support/observer/streaming.ts';

/** Writes a ConfigMap, which no other client changes, and returns its resourceVersion. */
async function put(ns: TestNamespace, name: string, data = 'x'): Promise<string> {
  const path = ns.path('api/v1', 'configmaps', name);
  const patch = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { data } };
  const answer = await ns.cluster.api('PATCH', `${path}?fieldManager=test`, patch, 'application/apply-patch+yaml');
  return KubeObject.parse(answer).metadata.resourceVersion;
}

function stream(t: TestContext, ns: TestNamespace): Streaming {
  return startStreaming(t, ns.cluster, { path: ns.path('api/v1', 'configmaps'), kind: 'ConfigMap' });
}

function untilVersion(it: Streaming, name: string, version: string): Promise<unknown> {
  return eventually(() => it.sink.state.get(name) === version && it.isWatching(), { what: `${name} at ${version}` });
}

async function ownCluster(
  t: TestContext,
  flags: readonly string[] = [],
): Promise<Cluster & Awaited<ReturnType<typeof startControlPlane>>> {
  const plane = await startControlPlane({ controllerManager: false, apiServerFlags: flags });
  t.after(() => plane.stop());
  return plane;
}

/** The expected log of a stream without failures. */
const expectedLog = streamsLists()
  ? ['stream synced']
  : ['WatchList not supported, falling back to paged LIST', 'stream synced'];

suite('streams on a real API server', { concurrency: true }, () => {
  test(
    'the watch itself delivers the initial list, and changes follow without a second list',
    onlyWithWatchList,
    async (t) => {
      const ns = await testNamespace(t, 'streams');
      for (let i = 0; i < 20; i += 1) await put(ns, `config-${i}`);
      const it = stream(t, ns);
      const version = await put(ns, 'late');
      await untilVersion(it, 'late', version);
      await ns.cluster.api('DELETE', ns.path('api/v1', 'configmaps', 'config-3'));
      await eventually(() => !it.sink.state.has('config-3'), { what: 'the deletion' });
      assert.deepEqual(it.logged, ['stream synced']);
      assert.equal(it.sink.lists, 1);
      assert.deepEqual(it.sink.disorder, []);
    },
  );

  test('a watch without events is renewed every 20 s without a list or a warning', async (t) => {
    const ns = await testNamespace(t, 'quiet');
    const it = stream(t, ns);
    await untilVersion(it, 'a', await put(ns, 'a'));
    const began = performance.now();
    await eventually(() => performance.now() - began > 25_000, { what: '25 s', every: 500 });
    await untilVersion(it, 'a', await put(ns, 'a', 'y'));
    assert.deepEqual(it.logged, expectedLog);
    assert.equal(it.sink.lists, 1);
  });

  test('irrelevant lines of this API server are recognized by their bytes', async (t) => {
    const ns = await testNamespace(t, 'irrelevant');
    const it = startStreaming(t, ns.cluster, {
      path: ns.path('api/v1', 'configmaps'),
      kind: 'ConfigMap',
      isBoring: (name) => name !== 'end' && name !== 'start',
    });
    await untilVersion(it, 'start', await put(ns, 'start'));
    const applied = it.sink.applied;
    for (let i = 0; i < 30; i += 1) await put(ns, `irrelevant-${i}`);
    await untilVersion(it, 'end', await put(ns, 'end'));
    assert.equal(it.sink.applied, applied + 1);
  });

  test('Secrets are sent as metadata without Helm releases, and reduced before a sink receives them', async (t) => {
    const ns = await testNamespace(t, 'metadata');
    const path = ns.path('api/v1', 'secrets');
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"stringData":{"password":"MARKER"}}' };
    const create = (name: string, type = 'Opaque') =>
      ns.cluster.api('POST', path, { metadata: { name, annotations }, type, stringData: { password: 'MARKER' } });
    await create('before');
    await create('release', 'helm.sh/release.v1');
    const secrets = { path, kind: 'Secret', as: 'metadata', fieldSelector: 'type!=helm.sh/release.v1' } as const;
    const it = startStreaming(t, ns.cluster, { ...secrets, reduce: withoutAnnotations });
    await eventually(() => it.isWatching() && it.sink.state.has('before'), { what: 'the complete state' });
    await create('release-2', 'helm.sh/release.v1');
    await create('after');
    await eventually(() => it.sink.state.has('after'), { what: 'the change' });
    await ns.cluster.api('DELETE', ns.path('api/v1', 'secrets', 'before'));
    await eventually(() => !it.sink.state.has('before'), { what: 'the deletion' });
    assert.deepEqual([...it.sink.objects.keys()], ['before', 'after']);
    assert.equal(JSON.stringify([...it.sink.objects.values()]).includes('MARKER'), false);
    for (const object of it.sink.objects.values()) {
      assert.equal(object['kind'], 'PartialObjectMetadata');
      assert.equal('data' in object, false);
    }

    const sink = testSink();
    const paged = await listPages(it.client, { ...secrets, labelSelector: '', sink }, t.signal);
    assert.deepEqual([paged.ok, [...sink.state.keys()]], [true, ['after']]);
    for (const object of sink.objects.values()) assert.equal('data' in object, false);
    assert.equal(
      JSON.stringify([...sink.objects.values()]).includes('MARKER'),
      true,
      'the paged list has no reduce function',
    );
    assert.deepEqual(it.logged, expectedLog);
  });

  test(
    'a client with three hundred streams, each for one object by its name, can still send requests',
    onlyWithWatchList,
    async (t) => {
      const ns = await testNamespace(t, 'named');
      const { client } = stream(t, ns);
      const timeouts = createWatchTimeouts(systemClock);
      const read = async (i: number) => {
        const sink = testSink();
        const fieldSelector = `metadata.name=config-${i}`;
        const path = ns.path('api/v1', 'configmaps');
        const source = { path, kind: 'ConfigMap', as: 'metadata', labelSelector: '', fieldSelector, sink } as const;
        const input = { resourceVersion: undefined, initial: 'stream', random: () => 1 } as const;
        t.after(startListWatch({ client, clock: systemClock, timeouts }, source, input, () => {}));
        await eventually(() => sink.lists === 1, { what: `the list of config-${i}`, every: 500 });
        return sink;
      };
      const sinks = await Promise.all(Array.from({ length: 300 }, (_, i) => read(i)));
      await put(ns, 'config-7');
      await eventually(() => sinks[7]?.state.has('config-7') === true, { what: 'the change' });
      assert.deepEqual(
        sinks.flatMap(({ state }) => [...state.keys()]),
        ['config-7'],
      );
      const result = await client.call({ method: 'GET', path: ns.path('api/v1', 'configmaps', 'config-7') });
      assert.equal(result.ok, true);
    },
  );

  test('weeder and the API server select the same objects', async (t) => {
    const ns = await testNamespace(t, 'selectors');
    const values = [undefined, '', 'a', 'b'];
    const labelled = values.flatMap((x, i) =>
      values.map((y, j) => ({
        name: `c-${i}-${j}`,
        labels: { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { 'k.io/y': y }) },
      })),
    );
    for (const metadata of labelled) await ns.cluster.api('POST', ns.path('api/v1', 'configmaps'), { metadata });
    for (const selector of exampleSelectors()) {
      const text = selectorToString(selector);
      const answer = await ns.cluster.send(
        'GET',
        `${ns.path('api/v1', 'configmaps')}?labelSelector=${encodeURIComponent(text)}`,
      );
      assert.equal(answer.status, 200, text);
      const { items } = answer.body as { items: { metadata: { name: string } }[] };
      const expected = labelled
        .filter(({ labels }) => matchesSelector(selector, labels as Record<string, string>))
        .map(({ name }) => name);
      const names = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('c-'));
      assert.deepEqual(names, expected, text);
    }
  });

  test('a stream without permission synchronizes after the permission is granted', async (t) => {
    const ns = await testNamespace(t, 'denied');
    const user = ns.cluster.takeUser();
    const path = ns.path('api/v1', 'configmaps');
    const it = startStreaming(t, ns.cluster, { path, kind: 'ConfigMap', user });
    await eventually(() => it.logged.includes('stream lost'), { what: 'the refusal' });
    await grant(ns.cluster, user, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }], {
      namespace: ns.name,
    });
    await untilVersion(it, 'a', await put(ns, 'a'));
  });

  test('a stream is resumed after the API server was killed and restarted', async (t) => {
    const plane = await ownCluster(t);
    const ns = await testNamespace(t, 'killed', plane);
    const it = stream(t, ns);
    await untilVersion(it, 'a', await put(ns, 'a'));
    await plane.killApiServer();
    await eventually(() => it.logged.includes('stream lost'), { what: 'the lost stream' });
    await plane.startApiServer();
    await untilVersion(it, 'b', await put(ns, 'b'));
    assert.deepEqual(it.sink.disorder, []);
  });

  test('a suspended API server is detected, and the stream is resumed when it continues', async (t) => {
    const plane = await ownCluster(t);
    const ns = await testNamespace(t, 'hangs', plane);
    const it = stream(t, ns);
    await untilVersion(it, 'a', await put(ns, 'a'));
    await plane.pauseApiServer();
    await eventually(() => it.logged.includes('stream silent'), { what: 'the silence' });
    plane.resumeApiServer();
    await untilVersion(it, 'b', await put(ns, 'b'));
    assert.equal(it.sink.lists, 1);
    assert.deepEqual(it.sink.disorder, []);
  });

  test('a stream that gets a 410 after a compaction lists again at once', async (t) => {
    // With the watch cache the API server would serve compacted revisions from memory.
    const plane = await ownCluster(t, ['--watch-cache=false']);
    const ns = await testNamespace(t, 'compacted', plane);
    const it = stream(t, ns);
    await untilVersion(it, 'deleted', await put(ns, 'deleted'));
    for (const other of ['c', 'd', 'e']) await testNamespace(t, other, plane);
    await plane.killApiServer();
    await eventually(() => it.logged.includes('stream lost'), { what: 'the lost stream' });
    await plane.compactEtcd();
    await plane.startApiServer();
    await untilVersion(it, 'b', await put(ns, 'b'));
    assert(it.logged.includes('stream expired'), it.logged.join());
    assert.equal(it.sink.lists, 2);
    assert.deepEqual(it.sink.disorder, []);
  });
});

function withoutAnnotations(object: JsonObject): JsonObject {
  const { annotations: _annotations, managedFields: _managedFields, ...metadata } = objectOf(object['metadata']);
  return { ...object, metadata };
}

function exampleSelectors(): readonly LabelSelector[] {
  const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
  const single = operators.flatMap((operator) =>
    [[], [''], ['a'], ['', 'b'], ['b', 'a']].map((values) => ({ key: 'x', operator, values })),
  );
  return [
    {},
    { matchLabels: { x: '' } },
    { matchLabels: { x: 'a', 'k.io/y': 'b' } },
    ...single.map((each) => ({ matchExpressions: [each] })),
    ...single.map((each) => ({ matchLabels: { 'k.io/y': 'a' }, matchExpressions: [each, { ...each, key: 'k.io/y' }] })),
  ];
}
