import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { type Applying, applying, driftsOf, good } from '../support/observer/applying.ts';
import { at, configMap } from '../support/observer/observedObjects.ts';

const [mine, theirs] = ['example.org/mine', 'example.org/theirs'];

function owner(object: JsonObject): JsonObject {
  const { name, uid } = objectOf(object['metadata']);
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid };
}

/** A ConfigMap whose manifest has a finalizer and an owner, and to which a controller has added one each. */
async function shared(t: Parameters<typeof applying>[0], observed?: JsonObject) {
  const it = await applying(t, 'shared-lists');
  const [one, other] = await Promise.all(
    ['one', 'other'].map(async (name) =>
      objectOf(await it.ns.cluster.api('POST', it.ns.path('api/v1', 'configmaps'), configMap(name, {}))),
    ),
  );
  assert(one !== undefined && other !== undefined);
  const manifest = configMap('shared', { a: '1' });
  const metadata = { name: 'shared', finalizers: [mine], ownerReferences: [owner(one)] };
  const plan = await it.plan({ ...manifest, metadata }, observed === undefined ? {} : { observed });
  const reply = good(await it.api.create(plan, it.signal)).object;
  it.ns.after(() => it.edit(plan, { metadata: { finalizers: null } }));
  const live = await it.live(plan);
  const { finalizers, ownerReferences } = objectOf(live['metadata']);
  assert(Array.isArray(finalizers) && Array.isArray(ownerReferences));
  const more = { finalizers: [...finalizers, theirs], ownerReferences: [...ownerReferences, owner(other)] };
  await it.edit(plan, { metadata: more }, { manager: 'some-controller' });
  return { it, plan, reply, names: [one, other].map((each) => at(each, 'metadata', 'name')) };
}

async function listsOf(it: Applying, plan: Parameters<Applying['live']>[0]) {
  const { finalizers, ownerReferences } = objectOf((await it.live(plan))['metadata']);
  assert(Array.isArray(finalizers) && Array.isArray(ownerReferences));
  return [finalizers, ownerReferences.map((each) => objectOf(each)['name'])];
}

suite('finalizers and owners', { concurrency: true }, () => {
  const bounds = { observer_schema_list_min_length: 1, observer_schema_list_max_length: 1 };
  const inTheSchema = {
    metadata: { name: 'shared', finalizers: ['observed', bounds], ownerReferences: ['observed', bounds] },
    data: null,
  };
  for (const [what, observed] of [
    ['of a manifest that is observed as a whole', undefined],
    ['of lists that an observer schema bounds', inTheSchema],
  ] as const)
    test(`added by another controller to those ${what} are not drift, and are left alone by a correction`, async (t) => {
      const { it, plan, reply, names } = await shared(t, observed);
      assert.deepEqual(driftsOf(plan, reply, await it.live(plan)), []);
      await it.edit(plan, { data: { a: '2' } });
      const seen = await it.live(plan);
      const drifts = driftsOf(plan, reply, seen);
      assert.deepEqual(
        drifts.map(({ path }) => path),
        ['.data.a'],
      );
      good(await it.api.correct(plan, seen, drifts, it.signal));
      assert.deepEqual(await listsOf(it, plan), [[mine, theirs], names]);
      assert.equal(at(await it.live(plan), 'data', 'a'), '1');
    });

  test('of the manifest are restored when they are removed, and those of other clients are left alone', async (t) => {
    const { it, plan, reply, names } = await shared(t);
    const { ownerReferences } = objectOf((await it.live(plan))['metadata']);
    assert(Array.isArray(ownerReferences));
    await it.edit(plan, { metadata: { finalizers: [theirs], ownerReferences: ownerReferences.slice(1) } });
    const seen = await it.live(plan);
    good(await it.api.correct(plan, seen, driftsOf(plan, reply, seen), it.signal));
    const [finalizers, owners] = await listsOf(it, plan);
    assert.deepEqual(finalizers?.toSorted(), [mine, theirs]);
    assert.deepEqual(owners?.toSorted(), names.toSorted());
  });
});
