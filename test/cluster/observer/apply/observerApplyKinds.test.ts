import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf, systemClock } from '@weeder/kube-runtime/base';
import type { ApiRequest } from '@weeder/kube-runtime/client';
import { restMapperOf } from '../../../../src/observer/kinds/restMapper.ts';
import { eventually } from '../../support/eventually.ts';
import { type Applying, applying, bad, driftsOf, good } from '../../support/observer/applying.ts';
import { at } from '../../support/observer/observedObjects.ts';
import { kubeClientFor } from '../../support/plane/kubeClient.ts';

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

/** Creates the CustomResourceDefinition of a kind that no other test has, and does not wait for it. */
async function defineKind(it: Applying, spec: object = widgetSpec) {
  const singular = `w${it.ns.name.split('-').at(-1)}`;
  const [group, kind] = ['example.org', `${singular[0]?.toUpperCase()}${singular.slice(1)}`];
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
  const names = { plural: `${singular}s`, singular: singular, kind, listKind: `${kind}List` };
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
    change: (other: object) => it.ns.cluster.api('PATCH', crd, { spec: { versions: version(schemaOf(other)) } }),
  };
}

suite('the kinds of the cluster', { concurrency: true }, () => {
  test('an unknown kind is missing until it is defined, and then has the lists of its own document', async (t) => {
    const it = await applying(t, 'kinds');
    const kinds = restMapperOf(it.client, systemClock);
    assert.equal(bad(await kinds.find('example.org/v7', 'Widget', it.signal)).type, 'typeMissing');
    assert.equal(bad(await kinds.find('apps/v1', 'Widget', it.signal)).type, 'typeMissing');
    const { apiVersion, kind: name } = await defineKind(it);
    const kind = good(await kinds.awaitServed(apiVersion, name, it.signal));
    assert.deepEqual([kind.group, kind.version, kind.kind, kind.isNamespaced], ['example.org', 'v1', name, true]);
    // The kind is served before its document: lookups wait for the document, and do not guess its lists.
    const spec = good(await kinds.topologyOf(kind, it.signal)).field('spec');
    assert.deepEqual(spec.field('parts').list, { type: 'map', keys: ['name'], defaults: {} });
    assert.equal(spec.field('tags').list.type, 'set');
    assert.notEqual(spec.field('steps').list.type, 'set');
  });

  test('a document is fetched again when its hash has changed, and not before', async (t) => {
    const it = await applying(t, 'kinds-hash');
    const requests: string[] = [];
    let now = 0;
    const call = (request: ApiRequest) => {
      requests.push(request.path);
      return it.client.call(request);
    };
    const kinds = restMapperOf({ ...it.client, call }, { ...systemClock, monotonic: () => now });
    const { apiVersion, kind: name, change } = await defineKind(it);
    const document = '/openapi/v3/apis/example.org/v1';
    const topology = async () => {
      const kind = good(await kinds.find(apiVersion, name, it.signal));
      return good(await kinds.topologyOf(kind, it.signal)).field('spec');
    };
    await eventually(
      async () => {
        now += 1_000;
        return (await topology()).field('tags').list.type === 'set';
      },
      { what: 'its document' },
    );
    await topology();
    requests.length = 0;
    await topology();
    assert.equal(requests.length, 0, requests.join(' '));
    await change({ ...widgetSpec, tags: { type: 'array', items: text } });
    await eventually(
      async () => {
        now += 60_000;
        return (await topology()).field('tags').list.type !== 'set';
      },
      { what: 'its new document' },
    );
    requests.length = 0;
    now += 60_000;
    await topology();
    assert(requests.includes('/openapi/v3'));
    // Other tests define kinds of this group at the same time, which changes the document.
    assert(requests.filter((path) => path === document).length <= 1);
  });

  test('discovery needs no permission: the API server answers a user without any', async (t) => {
    const it = await applying(t, 'kinds-rights');
    const client = kubeClientFor(it.ns.cluster.kubeconfigFor(it.ns.cluster.takeUser()));
    t.after(() => client.close());
    const kinds = restMapperOf(client, systemClock);
    const kind = good(await kinds.find('apps/v1', 'Deployment', it.signal));
    assert.equal(good(await kinds.topologyOf(kind, it.signal)).field('spec').map, 'granular');
  });

  test('of custom resources, too, foreign elements of a map list or a set are removed, and other lists are written as a whole', async (t) => {
    const it = await applying(t, 'kinds-excess');
    const { object, apiVersion, kind: name } = await defineKind(it);
    const kinds = restMapperOf(it.client, systemClock);
    await eventually(async () => (await kinds.find(apiVersion, name, it.signal)).ok, { what: 'the new kind' });
    const desired = object({ parts: [{ name: 'a', size: '1', note: 'ours' }], tags: ['x', 'y'], steps: ['1', '2'] });
    const bounds = { observer_schema_list_min_length: 1, observer_schema_list_max_length: 1 };
    const part = { spec: { parts: [{ name: 'observed', size: 'observed' }, bounds] } };
    for (const observed of [undefined, part]) {
      const plan = await eventually(() => it.plan(desired, observed === undefined ? {} : { observed }), {
        what: 'a plan',
      });
      const reply = good(await it.api.create(plan, it.signal)).object;
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
      good(await it.api.correct(plan, seen, driftsOf(plan, reply, seen), it.signal));
      const live = await it.live(plan);
      assert.deepEqual(driftsOf(plan, reply, live), []);
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
    assert.equal(objectOf(desired['metadata'])['name'], 'one');
  });
});
