import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { eventually, remainsTrue } from '../../support/eventually.ts';
import { type CustomKind, customKind } from '../../support/observer/customKind.ts';
import { makeClusterTenant, setObserverScene } from '../../support/observer/observerScene.ts';

const text = { type: 'string' };
const part = { type: 'object', required: ['name'], properties: { name: text, size: { type: 'integer' } } };
const plain = { type: 'array', items: part };
const keyed = { ...plain, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
const tags = { type: 'array', items: text };
const tagSet = { ...tags, 'x-kubernetes-list-type': 'set' };
const granular = { type: 'object', additionalProperties: text };
const atomic = { ...granular, 'x-kubernetes-map-type': 'atomic' };

const [one, two, theirs] = [
  { name: 'one', size: 1 },
  { name: 'two', size: 2 },
  { name: 'theirs', size: 3 },
];
const desired = { parts: [one, two], tags: ['one', 'two'], options: { one: '1' } };

/** From each of these definitions to each other one. */
const definitions = {
  'lists and maps without markers': { parts: plain, tags, options: granular },
  'lists with keys, sets and atomic maps': { parts: keyed, tags: tagSet, options: atomic },
};

suite('a definition of a kind that changes, on a real API server', { concurrency: 2 }, () => {
  for (const [from, to] of [
    Object.keys(definitions),
    Object.keys(definitions).toReversed(),
  ] as (keyof typeof definitions)[][])
    test(`from ${from} to ${to}: what another client adds is removed`, async (t) => {
      assert(from !== undefined && to !== undefined);
      const scene = await setObserverScene(t, 'defined');
      const kind = customKind(scene.ns);
      await kind.define(definitions[from]);
      await scene.start(t);
      await scene.apply('shop', { manifests: [kind.object('ours', desired)] });
      await scene.untilInSync('shop');
      await kind.define(definitions[to]);
      const options = definitions[to].options === atomic ? { one: '1', theirs: '1' } : { one: 'theirs' };
      const answer = await kind.applyServerSide('ours', { parts: [one, theirs], tags: ['one', 'theirs'], options });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      await untilSpec(kind, desired, 'the removed elements and keys');
      await scene.untilInSync('shop');
      assert.deepEqual(await kind.specOf('ours'), desired);
    });

  test('that gets defaults in a list without keys makes no drift of objects that no client has changed', async (t) => {
    const scene = await setObserverScene(t, 'defined');
    const kind = customKind(scene.ns);
    await kind.define({ parts: plain });
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [kind.object('ours', { parts: [one, two] })] });
    await scene.untilInSync('shop');
    const properties = { ...part.properties, mode: { ...text, default: 'a' } };
    await kind.define({ parts: { ...plain, items: { ...part, properties } } });
    const parts = [one, two].map((each) => ({ ...each, mode: 'a' }));
    assert.deepEqual(await kind.specOf('ours'), { parts });
    await remainsTrue(async () => (await scene.condition('shop', 'InSync')) === 'True', {
      what: 'it is in sync',
      for: 10_000,
    });
    assert.deepEqual(weeder.log.find('resource drifted'), []);
    await scene.ns.cluster.api('PATCH', kind.pathOf('ours'), {
      spec: { parts: parts.map((each) => ({ ...each, mode: 'b' })) },
    });
    await untilSpec(kind, { parts }, 'the restored defaults');
    await scene.untilInSync('shop');
  });

  test('that gets such defaults makes no drift if a controller writes the object at once', async (t) => {
    const scene = await setObserverScene(t, 'defined');
    const kind = customKind(scene.ns);
    await kind.define({ parts: plain, note: text });
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [kind.object('ours', { parts: [one, two] })] });
    await scene.untilInSync('shop');
    const properties = { ...part.properties, mode: { ...text, default: 'a' } };
    await kind.define({ parts: { ...plain, items: { ...part, properties } }, note: text }, false);
    const parts = [one, two].map((each) => ({ ...each, mode: 'a' }));
    let writes = 0;
    await eventually(
      async () => {
        writes += 1;
        const path = `${kind.pathOf('ours')}?fieldManager=controller`;
        const written = objectOf(await scene.ns.cluster.api('PATCH', path, { spec: { note: `${writes}` } }));
        return isDeepStrictEqual(objectOf(written['spec'])['parts'], parts);
      },
      { what: 'a write of the controller with the default', every: 5 },
    );
    const isInSync = async () => (await scene.condition('shop', 'InSync')) === 'True';
    await remainsTrue(isInSync, { what: 'it is in sync', for: 10_000 });
    assert.deepEqual(weeder.log.find('resource drifted'), []);
    const theirs = parts.map((each) => ({ ...each, mode: 'b' }));
    await scene.ns.cluster.api('PATCH', `${kind.pathOf('ours')}?fieldManager=controller`, { spec: { parts: theirs } });
    await untilSpec(kind, { parts, note: `${writes}` }, 'the restored defaults');
  });

  test('with an object that uses it, in one Application: both are upgraded', async (t) => {
    const scene = await setObserverScene(t, 'defined');
    await makeClusterTenant(scene.ns);
    const kind = customKind(scene.ns);
    scene.ns.after(() => kind.remove());
    await scene.start(t);
    const before = { parts: [one] };
    await scene.apply('shop', { manifests: [kind.definition({ parts: plain }), kind.object('ours', before)] });
    await scene.untilInSync('shop');
    const fields = { parts: keyed, added: { ...text, nullable: true, default: 'a' } };
    const after = { parts: [one, two], added: null };
    await scene.apply('shop', { manifests: [kind.definition(fields), kind.object('ours', after)] });
    await untilSpec(kind, after, 'the new fields');
    const answer = await kind.applyServerSide('ours', { parts: [theirs], added: 'theirs' });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    await untilSpec(kind, after, 'the restored fields');
    await scene.untilInSync('shop');
  });

  test('shortly before its first Application is known to it', async (t) => {
    const scene = await setObserverScene(t, 'defined');
    const kind = customKind(scene.ns);
    await kind.define({ parts: plain, text });
    await scene.start(t);
    await scene.apply('first', { manifests: [kind.object('first', { parts: [one] })] });
    await scene.untilInSync('first');
    await scene.ns.cluster.api('DELETE', `/apis/weeder.dev/v1alpha1/namespaces/${scene.ns.name}/applications/first`);
    await eventually(async () => (await scene.ns.cluster.send('GET', kind.pathOf('first'))).status === 404, {
      what: 'the end of the first object',
    });
    await kind.define({ parts: keyed, text: { ...text, nullable: true, default: 'a' } });
    await scene.apply('shop', { manifests: [kind.object('ours', { parts: [one], text: null })] });
    await scene.untilInSync('shop');
    await untilSpec(kind, { parts: [one], text: null }, 'the null');
    await kind.applyServerSide('ours', { parts: [theirs], text: 'theirs' });
    await untilSpec(kind, { parts: [one], text: null }, 'the removed element');
    await scene.untilInSync('shop');
  });

  test('that is removed and comes back with other lists is known when the object is applied again', async (t) => {
    const scene = await setObserverScene(t, 'defined');
    const kind = customKind(scene.ns);
    await kind.define({ parts: plain });
    await scene.start(t);
    await scene.apply('shop', { manifests: [kind.object('ours', { parts: [one] })] });
    await scene.untilInSync('shop');
    await kind.remove();
    await kind.define({ parts: keyed });
    await eventually(async () => (await scene.ns.cluster.send('GET', kind.pathOf('ours'))).status === 200, {
      what: 'the object of the new definition',
    });
    await kind.applyServerSide('ours', { parts: [theirs] });
    await untilSpec(kind, { parts: [one] }, 'the removed element');
    await scene.untilInSync('shop');
  });
});

async function untilSpec(kind: CustomKind, expected: JsonObject, what: string): Promise<void> {
  await eventually(
    async (saw) => {
      const spec = await kind.specOf('ours').catch((error: unknown) => ({ error: String(error) }));
      saw(spec);
      return isDeepStrictEqual(spec, expected);
    },
    { what, within: 60_000 },
  );
}
