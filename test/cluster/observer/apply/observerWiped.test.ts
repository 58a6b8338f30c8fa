import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { arrayOf, type JsonObject } from '@weeder/kube-runtime/base';
import { resourceRequests } from '../../../../src/observer/apply/resourceRequests.ts';
import { eventually } from '../../support/eventually.ts';
import { type Applying, applying, good, type PlanOptions } from '../../support/observer/applying.ts';
import { at, untilAbsent } from '../../support/observer/observedObjects.ts';
import { setObserverScene } from '../../support/observer/observerScene.ts';

const applyType = 'application/apply-patch+yaml';
const wiped = { metadata: { managedFields: [{}] } };

const settings = (data: JsonObject, metadata: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', ...metadata },
  data,
});

function workload(names: readonly string[], env: readonly string[], more: JsonObject = {}) {
  const containers = names.map((name) => ({
    name,
    image: 'registry.invalid/a:1',
    env: env.map((each) => ({ name: each, value: '1' })),
  }));
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers, ...more } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } }, template },
  };
}

/** Applies the first manifest, wipes its managed fields, lets another client write, and applies the second. */
async function updatedAfterWipe(
  it: Applying,
  [first, second]: readonly [JsonObject, JsonObject],
  options: PlanOptions = {},
  between: (path: string) => Promise<unknown> = async () => {},
) {
  const before = await it.plan(first, options);
  good(await it.api.create(before, it.signal));
  await it.edit(before, wiped);
  await between(before.target.path);
  const next = await it.plan(second, { ...options, before });
  good(await it.api.update(next, await it.live(before), it.signal));
  const live = await it.live(next);
  await it.ns.cluster.api('DELETE', next.target.path);
  await untilAbsent(it.ns.cluster, next.target.path, 'the end of the object');
  return live;
}

suite('an update of an object whose managed fields were wiped', { concurrency: true }, () => {
  test('removes the keys that left the manifest, and leaves those of other clients', async (t) => {
    const it = await applying(t, 'wiped');
    const first = settings({ a: '1', b: '2' }, { labels: { mine: 'yes' }, annotations: { mine: 'yes' } });
    const edit = { data: { theirs: '3' }, metadata: { labels: { theirs: 'yes' } } };
    const clients: readonly ((path: string) => Promise<unknown>)[] = [
      async () => {},
      // Its apply makes `before-first-apply` the owner of everything else.
      (path) => it.ns.cluster.api('PATCH', `${path}?fieldManager=other`, settings({ other: '4' }), applyType),
    ];
    for (const observed of [undefined, { data: { a: 'observed' } }, { data: { b: 'observed' } }])
      for (const client of clients) {
        const options = observed === undefined ? {} : { observed };
        const live = await updatedAfterWipe(it, [first, settings({ a: '1' })], options, async (path) => {
          await it.ns.cluster.api('PATCH', `${path}?fieldManager=kubectl-edit`, edit, 'application/merge-patch+json');
          await client(path);
        });
        const { other, ...data } = { ...(at(live, 'data') as JsonObject) };
        assert.deepEqual(data, { a: '1', theirs: '3' });
        assert.equal(other, client === clients[1] ? '4' : undefined);
        assert.equal(at(live, 'metadata', 'labels', 'mine'), undefined);
        assert.equal(at(live, 'metadata', 'labels', 'theirs'), 'yes');
        assert.equal(at(live, 'metadata', 'annotations', 'mine'), undefined);
      }
  });

  test('leaves a key that another client applies, and a number of replicas', async (t) => {
    const it = await applying(t, 'wiped');
    const live = await updatedAfterWipe(it, [settings({ a: '1', b: '2' }), settings({ a: '1' })], {}, (path) =>
      it.ns.cluster.api('PATCH', `${path}?fieldManager=other`, settings({ b: '2' }), applyType),
    );
    assert.deepEqual(at(live, 'data'), { a: '1', b: '2' });
    const scaled = workload(['a'], ['A']);
    const three = { ...scaled, spec: { ...scaled.spec, replicas: 3 } };
    const left = await updatedAfterWipe(it, [three, scaled]);
    assert.equal(at(left, 'spec', 'replicas'), 3);
  });

  test('removes list elements, maps and fields of a workload', async (t) => {
    const it = await applying(t, 'wiped');
    const more = { dnsConfig: { nameservers: ['10.0.0.1'] }, nodeSelector: { mine: 'yes' }, priority: 0 };
    const live = await updatedAfterWipe(it, [workload(['a', 'b'], ['A', 'B'], more), workload(['a'], ['A'])]);
    const spec = at(live, 'spec', 'template', 'spec');
    assert.equal(arrayOf(at(spec, 'containers')).length, 1);
    assert.deepEqual(at(spec, 'containers', 0, 'env'), [{ name: 'A', value: '1' }]);
    for (const field of Object.keys(more)) assert.equal(at(spec, field), undefined, field);
  });

  test('writes nothing more than otherwise if the managed fields are complete', async (t) => {
    const it = await applying(t, 'complete');
    const before = await it.plan(settings({ a: '1', b: '2' }));
    good(await it.api.create(before, it.signal));
    const next = await it.plan(settings({ a: '1' }), { before });
    const stop = new AbortController();
    let writes = 0;
    const api = resourceRequests({
      ...it.client,
      call: (request) => {
        if (request.method === 'PATCH') writes += 1;
        return it.client.call(request);
      },
    });
    good(await api.update(next, await it.live(before), stop.signal));
    assert.deepEqual(at(await it.live(next), 'data'), { a: '1' });
    assert.equal(writes, 1);
  });

  test('is removed by the program itself, and nothing is left under `before-first-apply`', async (t) => {
    const scene = await setObserverScene(t, 'wiped');
    await scene.start(t);
    await scene.apply('shop', { manifests: [settings({ a: '1', b: '2' })] });
    await scene.untilInSync('shop');
    const path = scene.ns.path('api/v1', 'configmaps', 'settings');
    await scene.ns.cluster.api('PATCH', path, wiped, 'application/merge-patch+json');
    await scene.apply('shop', { manifests: [settings({ a: '1' })] });
    await scene.untilInSync('shop');
    await eventually(async () => isDeepStrictEqual(at(await scene.ns.cluster.api('GET', path), 'data'), { a: '1' }), {
      what: 'the removed key',
    });
  });
});
