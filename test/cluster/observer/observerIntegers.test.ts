import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type JsonObject, objectOf, parseJson } from '@weeder/kube-runtime/base';
import { eventually } from '../support/eventually.ts';
import { type Applying, applying, driftsOf, good } from '../support/observer/applying.ts';

const [one, other] = ['9007199254740993', '9007199254740995'];
const integer = { type: 'integer', format: 'int64' };

/** Ids of 64 bits in a field, as the key of a list, in an atomic list and in a set. */
const spec = {
  id: integer,
  parts: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['id'],
    items: { type: 'object', required: ['id'], properties: { id: integer, size: { type: 'string' } } },
  },
  steps: {
    type: 'array',
    items: { type: 'object', properties: { id: integer, size: { type: 'string' } } },
  },
  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: integer },
};

async function things(it: Applying): Promise<(fields: string) => JsonObject> {
  const group = `${it.ns.name}.example.org`;
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } } };
  await it.ns.cluster.api('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Thing', plural: 'things' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  return (fields) => ({
    apiVersion: `${group}/v1`,
    kind: 'Thing',
    metadata: { name: 'one' },
    spec: objectOf(parseJson(fields)),
  });
}

/** The API server's own text, without a parser that would round it. */
async function stored(it: Applying, target: Parameters<Applying['live']>[0]): Promise<string> {
  const read = good(await it.api.read(target.target, it.signal));
  return JSON.stringify(read?.['spec']);
}

suite('integers beyond 2^53 on a real API server', { concurrency: true }, () => {
  test('are applied, compared and corrected to the last digit, as values, keys and elements of sets', async (t) => {
    const it = await applying(t, 'integers');
    const thing = await things(it);
    const fields = `{"id":${one},"parts":[{"id":${one},"size":"a"}],"tags":[${one}]}`;
    const plan = await eventually(() => it.plan(thing(fields)), { what: 'the new kind' });
    const reply = good(await it.api.create(plan, it.signal)).object;
    assert.equal(await stored(it, plan), fields);
    const edit = {
      spec: parseJson(`{"id":${other},"parts":[{"id":${one},"size":"b"},{"id":${other}}],"tags":[${one},${other}]}`),
    };
    await it.edit(plan, edit);
    const seen = good(await it.api.read(plan.target, it.signal));
    assert(seen !== undefined);
    const drifts = driftsOf(plan, reply, seen);
    assert.deepEqual(
      drifts.map(({ path, type }) => `${path} ${type}`),
      [
        '.spec.id changed',
        `.spec.parts[id=${one}].size changed`,
        `.spec.parts[id=${other}] excess`,
        `.spec.tags[=${other}] excess`,
      ].sort(),
    );
    good(await it.api.correct(plan, seen, drifts, it.signal));
    assert.equal(await stored(it, plan), fields);
  });

  test('in the unobserved part of an atomic list are written back unchanged', async (t) => {
    const it = await applying(t, 'integers-atomic');
    const thing = await things(it);
    const bounds = { observer_schema_list_min_length: 1, observer_schema_list_max_length: 2 };
    const observed = { spec: { steps: [{ size: null }, bounds] } };
    const manifest = thing(`{"steps":[{"id":1,"size":"a"}]}`);
    const plan = await eventually(() => it.plan(manifest, { observed }), { what: 'the new kind' });
    const reply = good(await it.api.create(plan, it.signal)).object;
    await it.edit(plan, { spec: parseJson(`{"steps":[{"id":${other},"size":"b"},{"id":${one}}]}`) });
    const seen = good(await it.api.read(plan.target, it.signal));
    assert(seen !== undefined);
    good(await it.api.correct(plan, seen, driftsOf(plan, reply, seen), it.signal));
    assert.equal(await stored(it, plan), `{"steps":[{"id":${other},"size":"a"},{"id":${one}}]}`);
  });
});
