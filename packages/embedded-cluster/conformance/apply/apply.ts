import assert from 'node:assert/strict';
import { arrayOf, objectOf } from '../../src/base/json.ts';
import { body, meta, type NamespaceTest, refused, versionOf } from '../target.ts';
import { applied, apply, applyPatch, causesOf, configMap, edit, live, owners, pathOf } from './configurations.ts';

/** Server-side apply: ownership of fields, conflicts, preconditions. */
export function testApply(test: NamespaceTest): void {
  test('an apply creates a missing object, and owns exactly the applied fields', async (at) => {
    const object = body(await apply(at, configMap({ a: '1', b: '2' }, { labels: { l: '1' } })), 201);
    assert.deepEqual(object['data'], { a: '1', b: '2' });
    const [entry, ...more] = arrayOf(meta(object)['managedFields']).map(objectOf);
    const { time, ...rest } = entry ?? {};
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(rest, {
      manager: 'one',
      operation: 'Apply',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {}, 'f:b': {} }, 'f:metadata': { 'f:labels': { 'f:l': {} } } },
    });
    assert.equal(more.length, 0);
  });

  test('applying the existing values changes nothing but makes the second manager a co-owner', async (at) => {
    const object = await applied(at, configMap({ a: '1', b: '2' }));
    assert.deepEqual(meta(await applied(at, configMap({ a: '1', b: '2' }))), meta(object));
    const shared = await applied(at, configMap({ a: '1' }), 'two');
    assert.notEqual(versionOf(shared), versionOf(object));
    assert.deepEqual(owners(shared), { 'two/Apply': { 'f:data': { 'f:a': {} } }, ...owners(object) });
    const two = arrayOf(meta(shared)['managedFields'])
      .map(objectOf)
      .find(({ manager }) => manager === 'two');
    assert.equal(two?.['time'], undefined);
  });

  test('a field that another manager owns with another value is a conflict, reported per field with its owner', async (at) => {
    const object = await applied(at, configMap({ a: '1', b: '2' }));
    const two = refused(await apply(at, configMap({ a: '9', b: '9', c: '1' }), 'two'), 409, 'Conflict');
    assert.equal(two['message'], 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b');
    assert.deepEqual(causesOf(two), [
      'FieldManagerConflict: conflict with "one": .data.a',
      'FieldManagerConflict: conflict with "one": .data.b',
    ]);
    const one = refused(await apply(at, configMap({ a: '9' }), 'two'), 409, 'Conflict');
    assert.equal(one['message'], 'Apply failed with 1 conflict: conflict with "one": .data.a');
    assert.deepEqual(Object.keys(objectOf(one['details'])), ['causes']);
    assert.equal(versionOf(await live(at, object)), versionOf(object));
    await edit(at, object, { data: { a: '5' } });
    const edited = refused(await apply(at, configMap({ a: '1', b: '2' })), 409, 'Conflict');
    assert.equal(edited['message'], 'Apply failed with 1 conflict: conflict with "human" using v1: .data.a');
  });

  test('a forced apply takes a field over from its owner', async (at) => {
    await applied(at, configMap({ a: '1', b: '2' }));
    const taken = await applied(at, configMap({ a: '9' }), 'two&force=true');
    assert.deepEqual(taken['data'], { a: '9', b: '2' });
    assert.deepEqual(owners(taken), {
      'one/Apply': { 'f:data': { 'f:b': {} } },
      'two/Apply': { 'f:data': { 'f:a': {} } },
    });
  });

  test('a field that its manager no longer applies is removed, unless another manager owns it', async (at) => {
    const object = await applied(at, configMap({ mine: '1', shared: '1', edited: '1' }, { labels: { l: '1' } }));
    await applied(at, configMap({ shared: '1' }), 'two');
    await edit(at, object, { data: { edited: '2', added: '1' } });
    const less = await applied(at, configMap({}));
    assert.deepEqual(less['data'], { shared: '1', edited: '2', added: '1' });
    assert.equal(meta(less)['labels'], undefined);
    const { 'human/Update': human, 'two/Apply': two } = owners(less);
    assert.deepEqual(two, { 'f:data': { 'f:shared': {} } });
    assert.deepEqual(human, { 'f:data': { 'f:added': {}, 'f:edited': {} } });
  });

  test('an apply may require a resourceVersion and a uid; for a missing object only the uid matters', async (at) => {
    const absent = (metadata: object) => apply(at, configMap({ a: '1' }, { name: 'b', ...metadata }));
    const because = 'uid mismatch: the provided object specified uid x, and no existing object was found';
    const noUid = refused(await absent({ uid: 'x' }), 409, 'Conflict');
    assert.equal(noUid['message'], `Operation cannot be fulfilled on configmaps "b": ${because}`);
    refused(await absent({ uid: 'x', resourceVersion: '1' }), 409, 'Conflict');
    body(await absent({ resourceVersion: '1' }), 201);
    const object = await applied(at, configMap({ a: '1' }));
    const again = (metadata: object) => apply(at, configMap({ a: '2' }, { ...metadata }), 'one&force=true');
    refused(await again({ resourceVersion: '1' }), 409, 'Conflict');
    refused(await again({ uid: 'x' }), 422, 'Invalid');
    const { uid, resourceVersion } = meta(object);
    assert.deepEqual(body(await again({ uid, resourceVersion }), 200)['data'], { a: '2' });
  });

  test('an apply without a field manager, or with an incomplete or mismatched object, is refused', async (at) => {
    const path = at.path('configmaps', 'a');
    const send = (query: string, object: unknown) =>
      at.send('PATCH', `${path}?${query}`, { body: object, contentType: applyPatch });
    const unnamed = refused(await send('force=true', configMap({})), 422, 'Invalid');
    const required = 'fieldManager: Required value: is required for apply patch';
    assert.equal(unnamed['message'], `PatchOptions.meta.k8s.io "" is invalid: ${required}`);
    refused(await send(`fieldManager=${'x'.repeat(129)}`, configMap({})), 422, 'Invalid');
    const attempts = [
      [{ metadata: { name: 'a' } }, 'invalid object type: /, Kind='],
      [{ ...configMap({}), kind: 'Secret' }, 'invalid object type: /v1, Kind=Secret'],
      [configMap({}, { managedFields: [{ manager: 'x' }] }), 'metadata.managedFields must be nil'],
      [
        { ...configMap({}), metadata: {} },
        'the name of the object (a based on URL) was undeterminable: name must be provided',
      ],
      [configMap({}, { name: 'b' }), 'the name of the object (b) does not match the name on the URL (a)'],
    ] as const;
    for (const [object, message] of attempts) {
      assert.equal(refused(await send('fieldManager=one', object), 400, 'BadRequest')['message'], message);
    }
    refused(await send('fieldManager=one', [1]), 400, 'BadRequest');
    const options = { body: {}, contentType: 'application/merge-patch+json' };
    await applied(at, configMap({ a: '1' }));
    const forced = refused(await at.send('PATCH', `${path}?force=true`, options), 422, 'Invalid');
    assert.match(String(forced['message']), /force: Forbidden: may not be specified for non-apply patch$/);
  });

  test('a configuration may be YAML', async (at) => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  # a comment\n  a: "1"\n';
    const path = `${pathOf(at, configMap({}))}?fieldManager=one`;
    const object = body(await at.send('PATCH', path, { text, contentType: applyPatch }), 201);
    assert.deepEqual(object['data'], { a: '1' });
    refused(await at.send('PATCH', path, { text: '{a: b: c', contentType: applyPatch }), 400, 'BadRequest');
  });

  test('a dry run of an apply returns the result and stores nothing', async (at) => {
    const created = body(await apply(at, configMap({ a: '1' }), 'one&dryRun=All'), 201);
    assert.equal(meta(created)['resourceVersion'], undefined);
    refused(await at.send('GET', pathOf(at, created)), 404, 'NotFound');
    const object = await applied(at, configMap({ a: '1' }));
    const changed = body(await apply(at, configMap({ a: '2' }), 'two&force=true&dryRun=All'), 200);
    assert.deepEqual([changed['data'], owners(changed)], [{ a: '2' }, { 'two/Apply': { 'f:data': { 'f:a': {} } } }]);
    assert.deepEqual(await live(at, object), object);
    refused(await apply(at, configMap({ a: '3' }), 'two&dryRun=All'), 409, 'Conflict');
  });
}
