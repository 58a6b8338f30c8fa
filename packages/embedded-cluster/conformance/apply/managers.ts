import assert from 'node:assert/strict';
import { arrayOf, type JsonObject, objectOf } from '../../src/base/json.ts';
import { body, meta, type NamespaceTest, refused, versionOf } from '../target.ts';
import { applied, apply, causesOf, configMap, edit, live, owners } from './configurations.ts';

const dot = { '.': {} };

/** managedFields that clients write themselves. */
export function testManagers(test: NamespaceTest): void {
  test('a patch of managedFields moves a field to another manager without changing the content', async (at) => {
    const object = await applied(at, configMap({ a: '1' }));
    const edited = await edit(at, object, { data: { excess: '1' } });
    const moved = await edit(at, object, {
      metadata: { resourceVersion: versionOf(edited), managedFields: [owner('one', ['a', 'excess'])] },
    });
    assert.deepEqual(owners(moved), { 'one/Apply': { 'f:data': { 'f:a': {}, 'f:excess': {} } } });
    assert.notEqual(versionOf(moved), versionOf(edited));
    assert.deepEqual((await applied(at, configMap({ a: '1' })))['data'], { a: '1' });
    const stale = { metadata: { resourceVersion: versionOf(object), managedFields: [owner('two', ['a'])] } };
    const options = { body: stale, contentType: 'application/merge-patch+json' };
    refused(await at.send('PATCH', at.path('configmaps', 'a'), options), 409, 'Conflict');
  });

  test('invalid managedFields change nothing, and one empty entry clears them', async (at) => {
    const object = await applied(at, configMap({ a: '1' }));
    const managedFields = async (value: unknown) =>
      owners(await edit(at, object, { metadata: { managedFields: value } }));
    assert.deepEqual(await managedFields([{ manager: 'x', operation: 'Invented' }]), owners(object));
    assert.deepEqual(await managedFields([{ ...owner('x', ['a']), apiVersion: '' }]), owners(object));
    assert.deepEqual(await managedFields(null), owners(object));
    assert.deepEqual(await managedFields([{}]), {});
    const untracked = await edit(at, object, { data: { b: '1' } });
    assert.equal(meta(untracked)['managedFields'], undefined);
  });

  test('fields that exist before the first apply belong to before-first-apply', async (at) => {
    const object = await applied(at, configMap({ a: '1', b: '1' }));
    await edit(at, object, { metadata: { managedFields: [{}] } });
    const clash = refused(await apply(at, configMap({ a: '2' })), 409, 'Conflict');
    assert.deepEqual(causesOf(clash), ['FieldManagerConflict: conflict with "before-first-apply" using v1: .data.a']);
    assert.deepEqual(owners(await applied(at, configMap({ a: '2' }), 'one&force=true')), {
      'one/Apply': { 'f:data': { 'f:a': {} } },
      'before-first-apply/Update': { 'f:data': { ...dot, 'f:b': {} } },
    });
  });

  test('a PUT sets the managedFields it contains, and without any the stored ones remain', async (at) => {
    const original = await applied(at, configMap({ a: '1' }));
    const put = async (object: JsonObject) =>
      body(await at.send('PUT', `${at.path('configmaps', 'a')}?fieldManager=putter`, { body: object }), 200);
    const carried = await put({ ...original, metadata: { ...meta(original), managedFields: [owner('two', ['a'])] } });
    assert.deepEqual(owners(carried), { 'two/Apply': { 'f:data': { 'f:a': {} } } });
    const bare = await put({ metadata: { name: 'a' }, data: { a: '1', b: '1' } });
    assert.deepEqual(owners(bare), {
      'two/Apply': { 'f:data': { 'f:a': {} } },
      'putter/Update': { 'f:data': { 'f:b': {} } },
    });
  });

  test('of two managers that claim a label at once, one gets a conflict naming the other', async (at) => {
    const claim = (by: string) => apply(at, configMap({ [by]: '1' }, { labels: { 'x.io/owner': by } }), by);
    const answers = await Promise.all([claim('one'), claim('two')]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409]);
    const winner = answers[0]?.status === 201 ? 'one' : 'two';
    const loser = answers.find(({ status }) => status === 409);
    const reason = `FieldManagerConflict: conflict with "${winner}": .metadata.labels.x.io/owner`;
    assert.deepEqual(causesOf(objectOf(loser?.body)), [reason]);
    assert.deepEqual((await live(at, configMap({})))['data'], { [winner]: '1' });
  });

  test('the status has its own managers, and an apply of the object does not change them', async (at) => {
    const set = { spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template } };
    const object = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'a' }, ...set };
    const path = at.path('replicasets', 'a');
    const send = (sub: string, fields: JsonObject) =>
      at.send('PATCH', `${path}${sub}?fieldManager=one`, { body: { ...object, ...fields }, contentType });
    body(await send('', { ...set, status: { replicas: 7 } }), 201);
    const reported = body(await send('/status', { spec: { replicas: 9 }, status: { replicas: 3 } }), 200);
    assert.deepEqual([objectOf(reported['spec'])['replicas'], objectOf(reported['status'])['replicas']], [0, 3]);
    assert.deepEqual(owners(reported)['one/Apply/status'], { 'f:status': { 'f:replicas': {} } });
    assert.deepEqual(Object.keys(objectOf(owners(reported)['one/Apply'])), ['f:spec']);
    assert.equal(meta(reported)['generation'], 1);
  });

  test('scaling owns the replicas, with the name of the subresource', async (at) => {
    const set = { spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template } };
    const object = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'a' }, ...set };
    const path = at.path('statefulsets', 'a');
    const options = { body: object, contentType };
    body(await at.send('PATCH', `${path}?fieldManager=one`, options), 201);
    const scale = await at.send('PATCH', `${path}/scale?fieldManager=hpa`, {
      body: { spec: { replicas: 1 } },
      contentType: 'application/merge-patch+json',
    });
    const { kind, spec } = body(scale, 200);
    assert.deepEqual([kind, spec], ['Scale', { replicas: 1 }]);
    const scaled = body(await at.send('GET', path), 200);
    assert.deepEqual(owners(scaled)['hpa/Update/scale'], { 'f:spec': { 'f:replicas': {} } });
    assert.equal(meta(scaled)['generation'], 2);
    const clash = refused(await at.send('PATCH', `${path}?fieldManager=one`, options), 409, 'Conflict');
    const whose = 'conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas';
    assert.equal(clash['message'], `Apply failed with 1 conflict: ${whose}`);
    await at.patch('statefulsets', 'a', { spec: { replicas: 0 } });
    assert.equal(owners(body(await at.send('GET', path), 200))['hpa/Update/scale'], undefined);
  });
}

const contentType = 'application/apply-patch+yaml';
const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'a', image: 'registry.invalid/none:1' }], nodeSelector: { none: 'such' } },
};

function owner(manager: string, keys: readonly string[]): JsonObject {
  const fieldsV1 = { 'f:data': Object.fromEntries(arrayOf(keys).map((key) => [`f:${String(key)}`, {}])) };
  return {
    manager,
    operation: 'Apply',
    apiVersion: 'v1',
    time: '2026-01-02T03:04:05Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
}
