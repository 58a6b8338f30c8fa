import assert from 'node:assert/strict';
import { arrayOf, objectOf } from '../../src/base/json.ts';
import type { Features } from '../features.ts';
import { body, lease, meta, type NamespaceTest, pod, refused, versionOf } from '../target.ts';

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

/** PUT, and the rules of every update: versions, generation, the status subresource. */
export function testUpdate(test: NamespaceTest, { hasPlainFieldErrors }: Features): void {
  test('an update of an older resourceVersion is a conflict', async (at) => {
    const object = await at.create('leases', lease('a'));
    const path = at.path('leases', 'a');
    const next = { ...object, spec: { holderIdentity: 'other' } };
    const updated = body(await at.send('PUT', path, { body: next }), 200);
    assert(Number(versionOf(updated)) > Number(versionOf(object)));
    assert.deepEqual(objectOf(updated['spec'])['holderIdentity'], 'other');
    const status = refused(await at.send('PUT', path, { body: { ...object, spec: {} } }), 409, 'Conflict');
    assert.equal(status['message'], `Operation cannot be fulfilled on leases.coordination.k8s.io "a": ${modified}`);
    assert.deepEqual(status['details'], { name: 'a', group: 'coordination.k8s.io', kind: 'leases' });
  });

  test('of concurrent updates of the same resourceVersion exactly one succeeds', async (at) => {
    const object = await at.create('leases', lease('a'));
    const updates = ['x', 'y', 'z'].map((holderIdentity) =>
      at.put('leases', 'a', { ...object, spec: { holderIdentity } }),
    );
    const codes = (await Promise.all(updates)).map(({ status }) => status);
    assert.deepEqual(codes.toSorted(), [200, 409, 409]);
  });

  test('an update without a resourceVersion is refused for Leases and accepted for pods', async (at) => {
    await at.create('leases', lease('a'));
    const status = refused(await at.put('leases', 'a', lease('a')), 422, 'Invalid');
    const zero = hasPlainFieldErrors ? '0' : '0x0';
    const message = `metadata.resourceVersion: Invalid value: ${zero}: must be specified for an update`;
    assert.equal(status['message'], `leases.coordination.k8s.io "a" is invalid: ${message}`);
    await at.create('pods', pod('a'));
    const updated = body(await at.put('pods', 'a', pod('a', { metadata: { labels: { x: '1' } } })), 200);
    assert.deepEqual(meta(updated)['labels'], { x: '1' });
  });

  test('an update of a missing object creates a Lease, and is refused for a pod', async (at) => {
    body(await at.put('leases', 'a', lease('a')), 201);
    const status = refused(await at.put('pods', 'a', pod('a')), 404, 'NotFound');
    assert.equal(status['message'], 'pods "a" not found');
  });

  test('an update must name its own object', async (at) => {
    const original = await at.create('leases', lease('a'));
    const put = (object: unknown) => at.put('leases', 'a', object);
    const other = refused(await put({ ...lease('b') }), 400, 'BadRequest');
    assert.equal(other['message'], 'the name of the object (b) does not match the name on the URL (a)');
    refused(await put({ spec: {} }), 400, 'BadRequest');
    refused(
      await put({ metadata: { name: 'a', namespace: 'other', resourceVersion: versionOf(original) } }),
      400,
      'BadRequest',
    );
    const otherUid = refused(await put({ metadata: { name: 'a', uid: 'other' } }), 409, 'Conflict');
    assert.match(String(otherUid['message']), /Precondition failed: UID in precondition: other, UID in object meta: /);
    refused(await put({ metadata: { name: 'a', resourceVersion: 'abc' } }), 500, undefined);
  });

  test('an update without changes does not change the resourceVersion', async (at) => {
    const object = await at.create('leases', lease('a', { x: '1' }));
    const again = body(await at.put('leases', 'a', object), 200);
    assert.equal(versionOf(again), versionOf(object));
    assert.equal(versionOf(await at.patch('leases', 'a', { metadata: { labels: { x: '1' } } })), versionOf(object));
  });

  test('the status is changed only through the status subresource', async (at) => {
    await at.create('pods', pod('web'));
    const main = await at.patch('pods', 'web', { status: { phase: 'Running' } });
    assert.equal(objectOf(main['status'])['phase'], 'Pending');
    const change = { status: { phase: 'Running' }, spec: { restartPolicy: 'Never' }, metadata: { labels: { x: '1' } } };
    const status = await at.patch('pods', 'web/status', change);
    assert.equal(objectOf(status['status'])['phase'], 'Running');
    assert.equal(objectOf(status['spec'])['restartPolicy'], 'Always');
    assert.deepEqual(meta(status)['labels'], { x: '1' });
    const read = await at.get('pods', 'web/status');
    assert.equal(versionOf(read), versionOf(status));
    const replaced = body(await at.put('pods', 'web', { ...read, status: { phase: 'Failed' } }), 200);
    assert.equal(objectOf(replaced['status'])['phase'], 'Running');
    refused(await at.put('leases', 'a/status', {}), 404, 'NotFound');
  });

  test('fields owned by the server do not change', async (at) => {
    const object = await at.create('leases', lease('a'));
    const metadata = { creationTimestamp: '2020-01-01T00:00:00Z', deletionTimestamp: null };
    const changed = await at.patch('leases', 'a', { metadata: { ...metadata, labels: { x: '1' } } });
    assert.deepEqual(
      [meta(changed)['creationTimestamp'], meta(changed)['deletionTimestamp'], meta(changed)['uid']],
      [meta(object)['creationTimestamp'], undefined, meta(object)['uid']],
    );
    const options = { contentType: 'application/merge-patch+json' };
    for (const change of [{ deletionTimestamp: '2020-01-01T00:00:00Z' }, { deletionGracePeriodSeconds: 5 }]) {
      const answer = await at.send('PATCH', at.path('leases', 'a'), { ...options, body: { metadata: change } });
      assert.match(String(refused(answer, 422, 'Invalid')['message']), /field is immutable/);
    }
  });

  test('the generation counts changes of the spec, for kinds that have one', async (at) => {
    const slice = { metadata: { name: 'a' }, addressType: 'IPv4', endpoints: [], ports: [] };
    assert.equal(meta(await at.create('endpointslices', slice))['generation'], 1);
    const annotated = await at.patch('endpointslices', 'a', { metadata: { annotations: { x: '1' } } });
    assert.equal(meta(annotated)['generation'], 1);
    const filled = await at.patch('endpointslices', 'a', { endpoints: [{ addresses: ['10.0.0.1'] }] });
    assert.equal(meta(filled)['generation'], 2);
    const labelled = await at.patch('endpointslices', 'a', { metadata: { labels: { x: '1' } } });
    assert.equal(meta(labelled)['generation'], 3);
    await at.create('pods', pod('a'));
    const running = await at.patch('pods', 'a/status', { status: { phase: 'Running' } });
    assert.equal(meta(running)['generation'], 1);
    assert.equal(meta(await at.create('leases', lease('a')))['generation'], undefined);
  });

  test('managedFields record when each part of an object was last written', async (at) => {
    await at.create('pods', pod('web'));
    const written = await at.patch('pods', 'web/status', { status: { phase: 'Running' } });
    const parts = arrayOf(meta(written)['managedFields']).map((each) => objectOf(each)['subresource'] ?? 'main');
    assert.deepEqual(parts, ['main', 'status']);
    const times = arrayOf(meta(written)['managedFields']).map((each) => String(objectOf(each)['time']));
    for (const time of times) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  test('a dry run of an update returns the result and stores nothing', async (at) => {
    const object = await at.create('leases', lease('a'));
    const next = { ...object, spec: { holderIdentity: 'other' } };
    const answer = body(await at.send('PUT', `${at.path('leases', 'a')}?dryRun=All`, { body: next }), 200);
    assert.equal(objectOf(answer['spec'])['holderIdentity'], 'other');
    const now = await at.get('leases', 'a');
    assert.equal(versionOf(now), versionOf(object));
  });
}
