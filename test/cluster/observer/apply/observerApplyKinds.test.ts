import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { systemClock } from '../../../../src/base/clock.ts';
import { arrayOf, type JsonObject, objectOf } from '../../../../src/base/json.ts';
import type { ApiRequest } from '../../../../src/kube/client/request.ts';
import { restMapperOf } from '../../../../src/observer/kinds/restMapper.ts';
import { eventually } from '../../support/eventually.ts';
import { type Applying, applying, at, bad, clientFor, driftsOf, good } from '../../support/observer/applying.ts';

const text = { type: 'string' };
const listed = (keys: readonly string[], properties: object) => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: { type: 'object', required: keys, properties },
});
const schemaOf = (spec: object) => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } },
});
const widgetSpec = {
  parts: listed(['name'], { name: text, size: text, note: text }),
  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
  steps: { type: 'array', items: text },
};

/** Makes the CustomResourceDefinition of a kind that no other test has, and does not wait for it. */
async function defineKind(it: Applying, spec: object = widgetSpec) {
  const word = `w${it.ns.name.split('-').at(-1)}`;
  const [group, kind] = ['example.org', `${word[0]?.toUpperCase()}${word.slice(1)}`];
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
  const names = { plural: `${word}s`, singular: word, kind, listKind: `${kind}List` };
  const version = (schema: object) => [{ name: 'v1', served: true, storage: true, schema }];
  await it.ns.cluster.api('POST', path, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: version(schemaOf(spec)) },
  });
  const crd = `${path}/${names.plural}.${group}`;
  it.ns.after(() => it.ns.cluster.send('DELETE', crd));
  const apiVersion = `${group}/v1`;
  return {
    apiVersion,
    kind,
    object: (fields: JsonObject): JsonObject => ({ apiVersion, kind, metadata: { name: 'one' }, spec: fields }),
    change: (other: object) =>
      it.ns.cluster.api('PATCH', crd, { spec: { versions: version(schemaOf(other)) } }, 'application/merge-patch+json'),
  };
}

suite('the kinds of the cluster', { concurrency: true }, () => {
  test('a kind that is not there is missing until it is, and then its lists are what its own document says', async (t) => {
    const it = await applying(t, 'kinds');
    const kinds = restMapperOf(it.client, systemClock);
    assert.equal(bad(await kinds.find('example.org/v7', 'Widget', it.signal)).is, 'typeMissing');
    assert.equal(bad(await kinds.find('apps/v1', 'Widget', it.signal)).is, 'typeMissing');
    const { apiVersion, kind: name } = await defineKind(it);
    const kind = good(await kinds.awaitServed(apiVersion, name, it.signal));
    assert.deepEqual([kind.group, kind.version, kind.kind, kind.isNamespaced], ['example.org', 'v1', name, true]);
    // It is served before its document is: it is waited for, and never is anything said of its lists meanwhile.
    const spec = good(await kinds.topologyOf(kind, it.signal)).field('spec');
    assert.deepEqual(spec.field('parts').list, { is: 'map', keys: ['name'], defaults: {} });
    assert.equal(spec.field('tags').list.is, 'set');
    assert.notEqual(spec.field('steps').list.is, 'set');
  });

  test('a document is fetched again when its hash is another one, and not before', async (t) => {
    const it = await applying(t, 'kinds-hash');
    const asked: string[] = [];
    let now = 0;
    const call = (request: ApiRequest) => {
      asked.push(request.path);
      return it.client.call(request);
    };
    const kinds = restMapperOf({ ...it.client, call }, { ...systemClock, monotonic: () => now });
    const { apiVersion, kind: name, change } = await defineKind(it);
    const document = '/openapi/v3/apis/example.org/v1';
    const structure = async () => {
      const kind = good(await kinds.find(apiVersion, name, it.signal));
      return good(await kinds.topologyOf(kind, it.signal)).field('spec');
    };
    await eventually(
      async () => {
        now += 1_000;
        return (await structure()).field('tags').list.is === 'set';
      },
      { what: 'its document' },
    );
    await structure();
    asked.length = 0;
    await structure();
    assert.equal(asked.length, 0, asked.join(' '));
    await change({ ...widgetSpec, tags: { type: 'array', items: text } });
    await eventually(
      async () => {
        now += 60_000;
        return (await structure()).field('tags').list.is !== 'set';
      },
      { what: 'its new document' },
    );
    asked.length = 0;
    now += 60_000;
    await structure();
    assert(asked.includes('/openapi/v3'));
    // Other tests define kinds of this group at the same time: then it has changed indeed.
    assert(asked.filter((path) => path === document).length <= 1);
  });

  test('asking for them takes no permission: a user without any is answered', async (t) => {
    const it = await applying(t, 'kinds-rights');
    const client = clientFor(it.ns.cluster, it.ns.cluster.takeUser());
    t.after(() => client.close());
    const kinds = restMapperOf(client, systemClock);
    const kind = good(await kinds.find('apps/v1', 'Deployment', it.signal));
    assert.equal(good(await kinds.topologyOf(kind, it.signal)).field('spec').map, 'granular');
  });

  test('of custom resources, too, what was added to a map list or a set is taken away, and other lists are written whole', async (t) => {
    const it = await applying(t, 'kinds-excess');
    const { object, apiVersion, kind: name } = await defineKind(it);
    const kinds = restMapperOf(it.client, systemClock);
    await eventually(async () => (await kinds.find(apiVersion, name, it.signal)).ok, { what: 'the new kind' });
    const wanted = object({ parts: [{ name: 'a', size: '1', note: 'ours' }], tags: ['x', 'y'], steps: ['1', '2'] });
    const bounds = { observer_schema_list_min_length: 1, observer_schema_list_max_length: 1 };
    const part = { spec: { parts: [{ name: 'observed', size: 'observed' }, bounds] } };
    for (const observed of [undefined, part]) {
      const plan = await eventually(() => it.plan(wanted, observed === undefined ? {} : { observed }), {
        what: 'a plan',
      });
      const made = good(await it.api.create(plan, it.signal)).object;
      await it.edit(plan, {
        spec: {
          parts: [
            { name: 'evil', size: '6' },
            { name: 'a', size: '2', note: 'theirs' },
          ],
          tags: ['evil', 'x'],
          steps: ['2', '1', 'evil'],
        },
      });
      const seen = await it.live(plan);
      good(await it.api.correct(plan, seen, driftsOf(plan, made, seen), it.signal));
      const live = await it.live(plan);
      assert.deepEqual(driftsOf(plan, made, live), []);
      const note = observed === undefined ? 'ours' : 'theirs';
      assert.deepEqual(at(live, 'spec', 'parts'), [{ name: 'a', size: '1', note }]);
      const [tags, steps] =
        observed === undefined
          ? [
              ['x', 'y'],
              ['1', '2'],
            ]
          : [
              ['evil', 'x'],
              ['2', '1', 'evil'],
            ];
      assert.deepEqual(arrayOf(at(live, 'spec', 'tags')).toSorted(), tags);
      assert.deepEqual(at(live, 'spec', 'steps'), steps);
      await it.ns.cluster.api('DELETE', plan.target.path);
    }
    assert.equal(objectOf(wanted['metadata'])['name'], 'one');
  });
});
