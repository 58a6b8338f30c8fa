import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { body, meta, names, versionOf } from '../../conformance/target.ts';
import { createApiServer } from '../../src/apiserver/apiServer.ts';
import { endpointSlices, leases, namespaces, pods } from '../../src/apiserver/strategies/resources.ts';
import { objectOf } from '../../src/base/json.ts';
import { flushTasks } from '../../src/clock/simulatedClock.ts';
import { cpuTime } from '../support/cpuTime.ts';
import { lease, leasePath, linesOf, serving } from '../support/serving.ts';

test('a full history discards the oldest changes', async () => {
  await using at = await serving({ historyLimit: 10 });
  const first = at.store.create(leases, lease('a'));
  assert(first.ok);
  for (let i = 0; i < 500; i += 1) {
    at.store.patch(leases, 'default', 'a', { spec: { holderIdentity: String(i) } });
  }
  const lines = await linesOf(at.client, `${leasePath}?watch=true&resourceVersion=${versionOf(first.value)}`);
  assert.deepEqual(
    lines.map((line) => objectOf(objectOf(JSON.parse(line))['object'])['code']),
    [410],
  );
});

test('controllers in the same process see the changes of clients, and clients those of controllers', async () => {
  await using at = await serving();
  const seen: string[] = [];
  const stop = at.store.watch(
    leases,
    { namespace: 'default', labelSelector: { matchLabels: { x: '1' } } },
    (type, { metadata }) => {
      seen.push(`${type} ${metadata.name}`);
    },
  );
  await at.client.send('POST', leasePath, { body: lease('a', { labels: { x: '1' } }) });
  await at.client.send('POST', leasePath, { body: lease('b') });
  await at.client.send('DELETE', `${leasePath}/a`);
  assert.deepEqual(seen, ['ADDED a', 'DELETED a']);
  stop();
  await at.client.send('POST', leasePath, { body: lease('c', { labels: { x: '1' } }) });
  assert.equal(seen.length, 2);
  assert.deepEqual(names(body(await at.client.send('GET', leasePath), 200)), ['b', 'c']);
  const stale = at.store.get(leases, 'default', 'b');
  assert(stale !== undefined);
  assert(at.store.patch(leases, 'default', 'b', { spec: { holderIdentity: 'x' } }).ok);
  const refusal = at.store.update(leases, { ...stale, spec: { holderIdentity: 'y' } });
  assert(!refusal.ok && refusal.error.code === 409);
});

test('the objects of an owner are those of its namespace whose controller it is now, in the order of their names', async () => {
  await using at = await serving();
  const ownerOf = (name: string, namespace = 'default', controller = true) => ({
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name, uid: uidOf(name, namespace), controller },
  });
  const uidOf = (name: string, namespace: string) => at.store.get(leases, namespace, name)?.metadata.uid ?? '';
  const owned = (name: string) => {
    const owner = at.store.get(leases, 'default', name);
    assert(owner !== undefined);
    return at.store.ownedBy(leases, owner).map(({ metadata }) => metadata.name);
  };
  const create = (name: string, ownerReferences: readonly object[] = [], namespace = 'default') =>
    assert(at.store.create(leases, lease(name, { namespace, ownerReferences })).ok);
  for (const owner of ['one', 'two']) create(owner);
  create('c', [ownerOf('one')]);
  create('a', [ownerOf('two', 'default', false), ownerOf('one')]);
  create('b', [ownerOf('one', 'default', false)]);
  create('d', [ownerOf('one')], 'kube-system');
  assert.deepEqual([owned('one'), owned('two')], [['a', 'c'], []]);
  at.store.patch(leases, 'default', 'c', { spec: { holderIdentity: 'x' } });
  at.store.patch(leases, 'default', 'a', { metadata: { ownerReferences: [ownerOf('two')] } });
  assert.deepEqual([owned('one'), owned('two')], [['c'], ['a']]);
  at.store.patch(leases, 'default', 'a', { metadata: { ownerReferences: null } });
  at.store.delete(leases, 'default', 'c');
  assert.deepEqual([owned('one'), owned('two')], [[], []]);
});

test('a controller may write from within a watch callback', async () => {
  await using at = await serving();
  const order: string[] = [];
  at.store.watch(leases, {}, (type, { metadata, spec }) => {
    order.push(`${type} ${String(objectOf(spec)['leaseTransitions'] ?? 0)}`);
    if (order.length < 4) {
      const leaseTransitions = order.length;
      at.store.patch(leases, 'default', metadata.name, { spec: { leaseTransitions } });
    }
  });
  at.store.create(leases, lease('a'));
  await flushTasks();
  assert.deepEqual(order, ['ADDED 0', 'MODIFIED 1', 'MODIFIED 2', 'MODIFIED 3']);
});

type Step = readonly ['put' | 'remove' | 'touch', string, string];

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('put', 'remove', 'touch'),
  fc.constantFrom('default', 'kube-system', 'kube-public'),
  fc.constantFrom('a', 'a-b', 'b', 'c', 'd'),
);

test('pages of any size, read during concurrent changes, together equal the snapshot of the first page', async () => {
  await using at = await serving();
  const { store } = at;
  const run = ([what, namespace, name]: Step) => {
    if (what === 'put') store.create(endpointSlices, { metadata: { name, namespace }, addressType: 'IPv4' });
    else if (what === 'remove') store.delete(endpointSlices, namespace, name);
    else store.patch(endpointSlices, namespace, name, { metadata: { annotations: { at: store.resourceVersion } } });
  };
  const stateOf = (items: readonly unknown[]) =>
    items.map((item) => `${String(meta(item)['namespace'])}/${String(meta(item)['name'])}@${versionOf(item)}`);
  const path = '/apis/discovery.k8s.io/v1/endpointslices';
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 20 }),
      fc.array(step, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      async (before, meanwhile, limit) => {
        before.forEach(run);
        const snapshot = stateOf(store.list(endpointSlices));
        const pagedState: string[] = [];
        let query = `limit=${limit}`;
        for (let next: unknown = ''; next !== undefined; ) {
          const page = body(await at.client.send('GET', `${path}?${query}`), 200);
          pagedState.push(...stateOf(Array.isArray(page['items']) ? page['items'] : []));
          next = meta(page)['continue'];
          query = `limit=${limit}&continue=${encodeURIComponent(String(next))}`;
          meanwhile.splice(0, 3).forEach(run);
        }
        assert.deepEqual(pagedState, snapshot);
        assert.deepEqual(
          snapshot,
          snapshot.toSorted((x, y) => (x.replace('@', '\0') < y.replace('@', '\0') ? -1 : 1)),
        );
      },
    ),
    { numRuns: 150 },
  );
});

test('the state built from a watch equals a list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(40), async (steps, start) => {
      const { store } = createApiServer();
      const watched = new Map<string, string>();
      const run = ([what, namespace, name]: Step, index: number) => {
        const labels = { parity: String(index % 2) };
        if (what === 'put')
          store.create(pods, {
            metadata: { name, namespace, labels },
            spec: { containers: [{ name: 'a', image: 'x:1' }] },
          });
        else if (what === 'remove') store.delete(pods, namespace, name);
        else store.patch(pods, namespace, name, { metadata: { labels } });
      };
      steps.slice(0, start).forEach(run);
      const odd = { matchLabels: { parity: '1' } };
      store.watch(pods, { labelSelector: odd }, (type, { metadata }) => {
        const key = `${metadata.namespace}/${metadata.name}`;
        assert.equal(watched.has(key), type !== 'ADDED', `${type} ${key}`);
        if (type === 'DELETED') watched.delete(key);
        else watched.set(key, metadata.resourceVersion);
      });
      for (const [index, change] of steps.slice(start).entries()) {
        run(change, index);
        if (index % 3 === 0) await flushTasks();
      }
      await flushTasks();
      const listed = store
        .list(pods, { labelSelector: odd })
        .map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.resourceVersion] as const);
      assert.deepEqual([...watched].toSorted(), [...listed].toSorted());
    }),
    { numRuns: 200 },
  );
});

test('a restore returns to the state of any earlier version, and the writes after it are as if nothing had been between', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.array(step, { maxLength: 20 }), step, (before, undone, last) => {
      const [restored, plain] = [createApiServer(), createApiServer()];
      const run = ({ store }: typeof plain, [what, namespace, name]: Step) => {
        if (what === 'put') store.create(endpointSlices, { metadata: { name, namespace }, addressType: 'IPv4' });
        else if (what === 'remove') store.delete(endpointSlices, namespace, name);
        else store.patch(endpointSlices, namespace, name, { metadata: { annotations: { at: store.resourceVersion } } });
      };
      const stateOf = ({ store }: typeof plain) =>
        store.list(endpointSlices).map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
      for (const each of before) for (const server of [restored, plain]) run(server, each);
      for (const each of undone) run(restored, each);
      restored.storage.restore(plain.storage.version);
      assert.deepEqual(stateOf(restored), stateOf(plain));
      for (const server of [restored, plain]) run(server, last);
      assert.deepEqual(
        [stateOf(restored), restored.store.resourceVersion],
        [stateOf(plain), plain.store.resourceVersion],
      );
    }),
    { numRuns: 100 },
  );
});

test('deleting a namespace deletes thousands of objects within two seconds of CPU time', async () => {
  const { store } = createApiServer();
  store.create(namespaces, { metadata: { name: 'big' } });
  for (let i = 0; i < 5_000; i += 1) store.create(leases, { metadata: { generateName: 'l-', namespace: 'big' } });
  const used = cpuTime();
  store.delete(namespaces, '', 'big');
  await pause(0);
  assert.equal(store.get(namespaces, '', 'big'), undefined);
  assert.equal(store.list(leases).length, 0);
  assert(used() < 2_000);
});
