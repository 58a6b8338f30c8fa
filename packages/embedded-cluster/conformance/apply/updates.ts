import assert from 'node:assert/strict';
import { arrayOf, type JsonObject, objectOf, timeOf } from '../../src/base/json.ts';
import { body, meta, type NamespaceTest, type TestNamespace } from '../target.ts';

const contentType = 'application/merge-patch+json';
const presence = { '.': {} };

/** managedFields of ConfigMaps and Secrets after updates: the owner of each field, and its time. */
export function testUpdateManagers(test: NamespaceTest): void {
  test('the client that sets a key owns it, and its previous owner loses it', async (at) => {
    const metadata = { labels: { l: '1' }, annotations: { 'x.io/n': '1' } };
    assert.deepEqual(owners(await make(at, 'one', { ...content, metadata })), {
      one: {
        'f:binaryData': { ...presence, 'f:c': {} },
        'f:data': { ...presence, 'f:a': {}, 'f:b': {} },
        'f:metadata': { 'f:annotations': { ...presence, 'f:x.io/n': {} }, 'f:labels': { ...presence, 'f:l': {} } },
      },
    });
    const changed = owners(await change(at, 'two', { data: { a: '2' }, metadata: { labels: null } }));
    assert.deepEqual(changed['two'], { 'f:data': { 'f:a': {} } });
    assert.deepEqual(objectOf(changed['one'])['f:data'], { ...presence, 'f:b': {} });
    assert.deepEqual(objectOf(changed['one'])['f:metadata'], { 'f:annotations': { ...presence, 'f:x.io/n': {} } });
    const immutable = owners(await change(at, 'three', { immutable: true }));
    assert.deepEqual(immutable['three'], { 'f:immutable': {} });
  });

  test('a Secret written through stringData has its data owned', async (at) => {
    const post = { body: { metadata: { name: 'a' }, stringData: { s: 'x' } } };
    const object = body(await at.send('POST', `${at.path('secrets')}?fieldManager=one`, post), 201);
    assert.deepEqual(owners(object), { one: { 'f:data': { ...presence, 'f:s': {} }, 'f:type': {} } });
  });

  test('writing the stored value changes nothing', async (at) => {
    const object = await make(at, 'one', content);
    assert.deepEqual(meta(await change(at, 'two', { data: { a: '1' } })), meta(object));
  });

  test('setting a field updates the time of its manager, for metadata too; removing one updates none', async (at) => {
    const first = timeOfManager(await make(at, 'one', content), 'one');
    await nextSecond();
    assert.equal(timeOfManager(await change(at, 'one', { data: { a: null } }), 'one'), first);
    assert.equal(timeOfManager(await change(at, 'two', { metadata: { labels: { x: '1' } } }), 'one'), first);
    const moved = timeOfManager(await change(at, 'one', { metadata: { labels: { y: '1' } } }), 'one');
    assert((moved ?? 0) > (first ?? 0), `${moved} after ${first}`);
  });

  test('an object without any owned field is not tracked again', async (at) => {
    assert.deepEqual(owners(await make(at, 'one', { data: { a: '1' } })), {
      one: { 'f:data': { ...presence, 'f:a': {} } },
    });
    assert.equal(meta(await change(at, 'two', { data: { a: null } }))['managedFields'], undefined);
    assert.equal(meta(await change(at, 'two', { data: { b: '1' } }))['managedFields'], undefined);
  });
}

const content = { data: { a: '1', b: '2' }, binaryData: { c: 'AAEC' } };

async function make(at: TestNamespace, manager: string, { metadata, ...fields }: JsonObject): Promise<JsonObject> {
  const post = { body: { metadata: { name: 'a', ...objectOf(metadata) }, ...fields } };
  return body(await at.send('POST', `${at.path('configmaps')}?fieldManager=${manager}`, post), 201);
}

async function change(at: TestNamespace, manager: string, patch: JsonObject): Promise<JsonObject> {
  const path = `${at.path('configmaps', 'a')}?fieldManager=${manager}`;
  return body(await at.send('PATCH', path, { body: patch, contentType }), 200);
}

/** fieldsV1 by manager. */
function owners(object: JsonObject): JsonObject {
  const entries = arrayOf(meta(object)['managedFields']).map(objectOf);
  return Object.fromEntries(entries.map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
}

function timeOfManager(object: JsonObject, manager: string): number | undefined {
  const entries = arrayOf(meta(object)['managedFields']).map(objectOf);
  return timeOf(entries.find((entry) => entry['manager'] === manager)?.['time']);
}

/** The API's times have whole seconds. */
function nextSecond(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1_100 - (Date.now() % 1_000));
  });
}
