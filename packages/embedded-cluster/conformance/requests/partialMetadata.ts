import assert from 'node:assert/strict';
import { arrayOf, objectOf } from '../../src/base/json.ts';
import { body, lease, meta, type NamespaceTest, names, refused, type TestNamespace } from '../target.ts';
import { watch } from '../watch/watching.ts';

const one = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const list = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };

/** Partial metadata, by the Accept header. */
export function testPartialMetadata(test: NamespaceTest): void {
  test('an object is returned as its metadata by every method', async (at) => {
    const whole = await secret(at, 'a');
    const path = at.path('secrets', 'a');
    assert.deepEqual(body(await at.send('GET', path, { accept: one }), 200), { ...partial, metadata: meta(whole) });
    const options = { accept: one, contentType: 'application/merge-patch+json', body: { stringData: { k: 'other' } } };
    const patched = body(await at.send('PATCH', path, options), 200);
    assert.deepEqual(Object.keys(patched), ['kind', 'apiVersion', 'metadata']);
    const response = await at.send('POST', at.path('secrets'), { accept: one, body: { metadata: { name: 'b' } } });
    assert.equal(body(response, 201)['kind'], 'PartialObjectMetadata');
  });

  test('a list contains the metadata of its items, each with its kind, in pages', async (at) => {
    const first = await secret(at, 'a');
    await secret(at, 'b');
    const page = body(await at.send('GET', `${at.path('secrets')}?limit=1`, { accept: list }), 200);
    assert.deepEqual([page['kind'], page['apiVersion']], ['PartialObjectMetadataList', 'meta.k8s.io/v1']);
    assert.deepEqual(page['items'], [{ ...partial, metadata: meta(first) }]);
    const rest = `${at.path('secrets')}?limit=1&continue=${String(meta(page)['continue'])}`;
    assert.deepEqual(names(body(await at.send('GET', rest, { accept: list }), 200)), ['b']);
  });

  test('an empty list of metadata has items null, any other empty list an empty array', async (at) => {
    const itemsOf = async (query: string, accept?: string) =>
      body(await at.send('GET', `${at.path('secrets')}${query}`, accept === undefined ? {} : { accept }), 200)['items'];
    assert.equal(await itemsOf('?limit=25', list), null);
    assert.equal(await itemsOf('?labelSelector=none', list), null);
    assert.deepEqual(await itemsOf('?limit=25'), []);
  });

  test('one object cannot be requested as a list, nor a list as one object', async (at) => {
    await secret(at, 'a');
    const status = refused(await at.send('GET', at.path('secrets'), { accept: one }), 406, 'NotAcceptable');
    assert.equal(
      status['message'],
      'you requested PartialObjectMetadata, but the requested object is a list (*core.SecretList)',
    );
    const single = refused(await at.send('GET', at.path('secrets', 'a'), { accept: list }), 406, 'NotAcceptable');
    assert.equal(
      single['message'],
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.Secret)',
    );
    refused(await at.send('GET', at.path('secrets', 'none'), { accept: list }), 404, 'NotFound');
    refused(await at.send('GET', `${at.path('secrets')}?fieldSelector=x%3D1`, { accept: one }), 400, 'BadRequest');
    const posted = await at.send('POST', at.path('secrets'), { accept: list, body: { metadata: { name: 'b' } } });
    refused(posted, 406, 'NotAcceptable');
    await at.get('secrets', 'b');
  });

  test('the first supported media type is used, in the order of the q values', async (at) => {
    const kind = async (accept: string) => body(await at.send('GET', at.path('secrets'), { accept }), 200)['kind'];
    const metadata = 'PartialObjectMetadataList';
    assert.equal(await kind(`${list},application/json`), metadata);
    assert.equal(await kind(`application/json,${list}`), 'SecretList');
    assert.equal(await kind(`${list};q=0.5,application/json;q=1`), 'SecretList');
    assert.equal(await kind(list.replaceAll(';', '; ')), metadata);
    assert.equal(await kind(list.replace('application/json', '*/*')), metadata);
    assert.equal(await kind(`${list.replace('v=v1', 'v=v9')},application/json`), 'SecretList');
    const older = list.replace('v=v1', 'v=v1beta1');
    const answer = body(await at.send('GET', at.path('secrets'), { accept: older }), 200);
    assert.deepEqual([answer['kind'], answer['apiVersion']], [metadata, 'meta.k8s.io/v1beta1']);
    for (const accept of [
      list.replace('v=v1', 'v=v9'),
      list.replace(';v=v1', ''),
      list.replace(';g=meta.k8s.io', ''),
    ]) {
      refused(await at.send('GET', at.path('secrets'), { accept }), 406, 'NotAcceptable');
    }
  });

  test.withWatchList('a watch returns the metadata of changed objects, and bookmarks of that kind', async (at, t) => {
    await secret(at, 'a');
    const query = 'allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const seen = await watch(t, at.target, at.path('secrets'), query, { accept: one });
    const added = await seen.next();
    assert.deepEqual([added.type, Object.keys(added.object)], ['ADDED', ['kind', 'apiVersion', 'metadata']]);
    assert.partialDeepStrictEqual(added.object, partial);
    const { type, object } = await seen.next();
    assert.equal(type, 'BOOKMARK');
    assert.partialDeepStrictEqual(object, partial);
    assert.equal(objectOf(meta(object)['annotations'])['k8s.io/initial-events-end'], 'true');
    await at.patch('secrets', 'a', { stringData: { k: 'other' } });
    body(await at.send('DELETE', at.path('secrets', 'a')), 200);
    assert.deepEqual(await seen.take(2), ['MODIFIED a', 'DELETED a']);
  });

  test('a watch requested as a list sends nothing', async (at, t) => {
    await secret(at, 'a');
    const seen = await watch(t, at.target, at.path('secrets'), 'resourceVersion=0&timeoutSeconds=5', { accept: list });
    assert.deepEqual(await seen.rest(), []);
  });

  test("an object that no longer matches a watch's selector is also sent as its metadata", async (at, t) => {
    await at.create('leases', lease('a', { x: '1' }));
    const seen = await watch(t, at.target, at.path('leases'), 'resourceVersion=0&labelSelector=x', { accept: one });
    assert.equal((await seen.next()).type, 'ADDED');
    await at.patch('leases', 'a', { metadata: { labels: { x: null } } });
    const left = await seen.next();
    assert.deepEqual([left.type, Object.keys(left.object)], ['DELETED', ['kind', 'apiVersion', 'metadata']]);
  });
}

/** The metadata must not contain any of the content. */
async function secret(at: TestNamespace, name: string) {
  const object = await at.create('secrets', { metadata: { name }, stringData: { k: 'value' } });
  assert.equal(arrayOf(meta(object)['managedFields']).length, 1);
  return object;
}
