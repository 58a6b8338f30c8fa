import assert from 'node:assert/strict';
import { body, type NamespaceTest, names, refused, type TestNamespace } from '../target.ts';

const contentType = 'application/merge-patch+json';

/** ConfigMaps and Secrets. */
export function testConfigMaps(test: NamespaceTest): void {
  test('a ConfigMap stores data and binaryData, and omits empty ones', async (at) => {
    const content = { data: { a: '1' }, binaryData: { b: 'AAEC' } };
    const object = await at.create('configmaps', { metadata: { name: 'a' }, ...content });
    assert.deepEqual(Object.keys(object), ['kind', 'apiVersion', 'metadata', 'data', 'binaryData']);
    assert.deepEqual([object['data'], object['binaryData']], [content.data, content.binaryData]);
    const empty = await at.create('configmaps', { metadata: { name: 'b' }, data: {} });
    assert.deepEqual(Object.keys(empty), ['kind', 'apiVersion', 'metadata']);
    const emptied = await at.patch('configmaps', 'a', { data: { a: null } });
    assert.deepEqual(Object.keys(emptied), ['kind', 'apiVersion', 'metadata', 'binaryData']);
  });

  test("a Secret's stringData is written into data, and overrides it", async (at) => {
    const content = { data: { a: 'MQ==', b: 'Mg==' }, stringData: { a: 'zz', s: 'text' } };
    const secret = await at.create('secrets', { metadata: { name: 'a' }, ...content });
    assert.deepEqual(secret['data'], { a: 'eno=', b: 'Mg==', s: 'dGV4dA==' });
    assert.deepEqual([secret['stringData'], secret['type']], [undefined, 'Opaque']);
    const changed = await at.patch('secrets', 'a', { stringData: { s: 'new' } });
    assert.deepEqual(changed['data'], { a: 'eno=', b: 'Mg==', s: 'bmV3' });
  });

  test('invalid keys and values are refused', async (at) => {
    const post = (plural: string, content: object) => at.post(plural, { metadata: { name: 'a' }, ...content });
    const key = refused(await post('configmaps', { data: { 'a b': '1' } }), 422, 'Invalid');
    assert.match(
      String(key['message']),
      /^ConfigMap "a" is invalid: data\[a b\]: Invalid value: "a b": a valid config/,
    );
    refused(await post('configmaps', { data: { '..': '1' } }), 422, 'Invalid');
    const both = refused(await post('configmaps', { data: { a: '1' }, binaryData: { a: 'AAEC' } }), 422, 'Invalid');
    assert.match(String(both['message']), /data\[a\]: Invalid value: "a": duplicate of key present in binaryData/);
    const number = refused(await post('configmaps', { data: { a: 1 } }), 400, 'BadRequest');
    assert.match(
      String(number['message']),
      /cannot unmarshal number into Go struct field ConfigMap.data of type string/,
    );
    const bytes = refused(await post('secrets', { data: { a: 'not base64' } }), 400, 'BadRequest');
    assert.match(
      String(bytes['message']),
      /^Secret in version "v1" cannot be handled as a Secret: illegal base64 data/,
    );
    refused(await post('configmaps', { binaryData: { a: '??' } }), 400, 'BadRequest');
    refused(await post('secrets', { type: 'kubernetes.io/tls', data: { 'tls.crt': 'MQ==' } }), 422, 'Invalid');
  });

  for (const plural of ['configmaps', 'secrets']) {
    test(`neither the content nor the immutability of immutable ${plural} can be changed`, async (at) => {
      await at.create(plural, { metadata: { name: 'a' }, data: { a: 'MQ==' } });
      assert.deepEqual((await at.patch(plural, 'a', { data: { a: 'Mg==' } }))['data'], { a: 'Mg==' });
      await at.patch(plural, 'a', { immutable: true });
      assert.deepEqual(await invalidFields(at, plural, { data: { a: 'MQ==' } }), ['data']);
      assert.deepEqual(await invalidFields(at, plural, { data: { b: 'MQ==' } }), ['data']);
      assert.deepEqual(await invalidFields(at, plural, { immutable: false }), ['immutable']);
      assert.deepEqual(await invalidFields(at, plural, { immutable: null, data: null }), ['immutable', 'data']);
      const labelled = await at.patch(plural, 'a', { metadata: { labels: { x: '1' } } });
      assert.deepEqual([labelled['immutable'], labelled['data']], [true, { a: 'Mg==' }]);
    });
  }

  test('the type of a Secret is immutable and usable in a field selector', async (at) => {
    await at.create('secrets', { metadata: { name: 'plain' } });
    await at.create('secrets', { metadata: { name: 'release' }, type: 'helm.sh/release.v1' });
    assert.deepEqual(await invalidFields(at, 'secrets', { type: 'x/y' }, 'plain'), ['type']);
    const list = async (selector: string, plural = 'secrets') =>
      at.send('GET', `${at.path(plural)}?fieldSelector=${encodeURIComponent(selector)}`);
    assert.deepEqual(names(body(await list('type!=helm.sh/release.v1'), 200)), ['plain']);
    assert.deepEqual(names(body(await list('type=helm.sh/release.v1'), 200)), ['release']);
    assert.deepEqual(names(body(await list('type!=helm.sh/release.v1,type!=Opaque'), 200)), []);
    refused(await list('data=x'), 400, 'BadRequest');
    refused(await list('type=x', 'configmaps'), 400, 'BadRequest');
  });

  test('annotations are limited to 256 KiB in total', async (at) => {
    const limit = 256 * 1024;
    const make = (name: string, size: number) => {
      const metadata = { name, annotations: { a: 'x'.repeat(size) } };
      return at.post('configmaps', { metadata });
    };
    body(await make('fits', limit - 1), 201);
    const status = refused(await make('large', limit), 422, 'Invalid');
    assert.equal(
      status['message'],
      `ConfigMap "large" is invalid: metadata.annotations: Too long: may not be more than ${limit} bytes`,
    );
  });
}

/** The fields for which a merge patch is refused. */
async function invalidFields(
  at: TestNamespace,
  plural: string,
  change: object,
  name = 'a',
): Promise<readonly unknown[]> {
  const status = refused(await at.send('PATCH', at.path(plural, name), { body: change, contentType }), 422, 'Invalid');
  const details = status['details'];
  assert(typeof details === 'object' && details !== null && 'causes' in details && Array.isArray(details.causes));
  return details.causes.map(({ field }) => field);
}
