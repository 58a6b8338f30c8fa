import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { objectOf } from '@weeder/kube-runtime/base';
import { eventually } from '../../support/eventually.ts';
import { customKind } from '../../support/observer/customKind.ts';
import { setObserverScene } from '../../support/observer/observerScene.ts';

const text = { type: 'string' };
const nullable = { ...text, nullable: true };
const open = { 'x-kubernetes-preserve-unknown-fields': true };
const part = { type: 'object', properties: { a: text } };
const keyed = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };

const schema = {
  text: nullable,
  size: { type: 'integer', default: 3, nullable: true },
  part: { ...part, nullable: true },
  port: { anyOf: [{ type: 'integer' }, text], 'x-kubernetes-int-or-string': true, nullable: true },
  values: { type: 'object', ...open, properties: { known: text, part: { ...part, nullable: true } } },
  any: open,
  map: { type: 'object', additionalProperties: nullable },
  list: { type: 'array', items: nullable },
  parts: { type: 'array', items: { type: 'object', properties: { a: text, b: nullable } } },
  keyed: {
    ...keyed,
    items: { type: 'object', required: ['name'], properties: { name: text, b: { ...part, nullable: true } } },
  },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text, nullable: true },
  plain: text,
  defaulted: { type: 'integer', default: 5 },
};

const nulls = {
  text: null,
  size: null,
  part: null,
  port: null,
  values: { livenessProbe: null, part: null, deep: { batch: null, list: [null, { a: null }] } },
  any: { a: null },
  map: { a: null },
  list: [null, 'a'],
  parts: [{ a: 'a', b: null }],
  keyed: [{ name: 'k', b: null }],
  set: null,
};

suite('null in a custom resource, on a real API server', { concurrency: 2 }, () => {
  test('stays what kubectl apply --server-side makes of it, whatever another client sets or removes there', async (t) => {
    const scene = await setObserverScene(t, 'nulls');
    const kind = customKind(scene.ns);
    await kind.define(schema);
    await scene.start(t);
    assert.equal((await kind.applyServerSide('theirs', nulls)).status, 201);
    const expected = await kind.specOf('theirs');
    assert.deepEqual(expected, { ...nulls, defaulted: 5 });
    await scene.apply('shop', { manifests: [kind.object('ours', nulls)] });
    await scene.untilInSync('shop');
    assert.deepEqual(await kind.specOf('ours'), expected);

    const others: readonly Readonly<Record<string, unknown>>[] = [
      {
        text: 'theirs',
        size: 4,
        part: { a: 'theirs' },
        port: 80,
        'values/livenessProbe': { httpGet: { port: 80 }, list: [1] },
        'values/part': { a: 'theirs' },
        'values/deep/batch': {},
        'values/deep/list/1/a': 1,
        'any/a': { b: { c: null } },
        'map/a': 'theirs',
        'list/0': 'theirs',
        'parts/0/b': 'theirs',
        'keyed/0/b': { a: 'theirs' },
        set: ['theirs'],
      },
      { part: {}, 'values/livenessProbe': 'theirs', 'values/deep/batch': [], 'keyed/0/b': {}, set: [] },
    ];
    const remove = Object.keys(others[0] ?? {}).map((path) => ({ op: 'remove', path: `/spec/${path}` }));
    const set = (values: Readonly<Record<string, unknown>>) =>
      Object.entries(values).map(([path, value]) => ({ op: 'replace', path: `/spec/${path}`, value }));
    for (const body of [...others.map(set), remove]) {
      const how = { body, contentType: 'application/json-patch+json' };
      const answer = await scene.ns.cluster.send('PATCH', `${kind.pathOf('ours')}?fieldManager=human`, how);
      assert.equal(answer.status, 200, JSON.stringify([body, answer.body]));
      assert.notDeepEqual(objectOf(objectOf(answer.body)['spec']), expected, JSON.stringify(body));
      await untilSpec(kind, expected, JSON.stringify(body));
    }
    await scene.untilInSync('shop');
    assert.deepEqual(await kind.specOf('ours'), expected);
  });

  test('is not a value where the schema does not allow it: the field has its default, or is absent, as with kubectl create', async (t) => {
    const scene = await setObserverScene(t, 'nulls');
    const kind = customKind(scene.ns);
    await kind.define(schema);
    await scene.start(t);
    const spec = { plain: null, defaulted: null, any: null, values: { known: null }, parts: [{ a: null, b: null }] };
    const created = await scene.ns.cluster.api('POST', kind.pathOf('theirs').replace(/\/theirs$/, ''), {
      ...kind.object('theirs', spec),
    });
    const expected = objectOf(objectOf(created)['spec']);
    assert.deepEqual(expected, { size: 3, defaulted: 5, values: {}, parts: [{ b: null }] });
    await scene.apply('shop', { manifests: [kind.object('ours', spec)] });
    await scene.untilInSync('shop');
    assert.deepEqual(await kind.specOf('ours'), expected);
    // The manifest says nothing about it.
    const more = { plain: 'theirs', values: { known: 'theirs' } };
    await scene.ns.cluster.api('PATCH', kind.pathOf('ours'), { spec: { ...more, parts: [{ a: 'theirs', b: null }] } });
    await untilSpec(kind, { ...expected, ...more }, 'the restored list beside what others have set');
  });

  test('is applied when the manifest gets it in place of a value, and observed after a restart of weeder', async (t) => {
    const scene = await setObserverScene(t, 'nulls');
    const kind = customKind(scene.ns);
    await kind.define(schema);
    const first = await scene.start(t);
    const before = { part: { a: 'a' }, values: { livenessProbe: { port: 1 } }, set: ['a'], size: 4 };
    await scene.apply('shop', { manifests: [kind.object('ours', before)] });
    await scene.untilInSync('shop');
    await scene.ns.cluster.api('PATCH', kind.pathOf('ours'), { spec: { values: { livenessProbe: { theirs: 1 } } } });
    const after = { part: null, values: { livenessProbe: null }, set: null, size: null };
    const expected = { ...after, defaulted: 5 };
    await scene.apply('shop', { manifests: [kind.object('ours', after)] });
    await untilSpec(kind, expected, 'the nulls');
    await scene.untilInSync('shop');
    await first.stop();
    await scene.ns.cluster.api('PATCH', kind.pathOf('ours'), {
      spec: { values: { livenessProbe: { theirs: 1 } }, size: 9 },
    });
    await scene.start(t);
    await untilSpec(kind, expected, 'the nulls after the restart');
  });
});

async function untilSpec(kind: ReturnType<typeof customKind>, expected: JsonObject, what: string): Promise<void> {
  await eventually(
    async (saw) => {
      const spec = await kind.specOf('ours');
      saw(spec);
      return isDeepStrictEqual(spec, expected);
    },
    { what },
  );
}
