import assert from 'node:assert/strict';
import { arrayOf, objectOf } from '../../src/base/json.ts';
import { body, lease, meta, type NamespaceTest, pod, refused, versionOf } from '../target.ts';

/** Unix ms, rounded down to the second like the API's times. */
const wholeSecond = (time: number): number => Math.floor(time / 1000) * 1000;

/** POST. */
export function testCreate(test: NamespaceTest): void {
  test('a new object gets uid, resourceVersion and creationTimestamp, in the order that clients read', async (at) => {
    const sentAt = wholeSecond(Date.now());
    const object = await at.create(
      'pods',
      pod('web', { metadata: { labels: { app: 'web' }, annotations: { note: 'x' } } }),
    );
    const receivedAt = Date.now();
    assert.deepEqual(Object.keys(object).slice(0, 3), ['kind', 'apiVersion', 'metadata']);
    assert.deepEqual([object['kind'], object['apiVersion']], ['Pod', 'v1']);
    const order = [
      'name',
      'namespace',
      'uid',
      'resourceVersion',
      'generation',
      'creationTimestamp',
      'labels',
      'annotations',
    ];
    assert.deepEqual(Object.keys(meta(object)), [...order, 'managedFields']);
    assert.match(String(meta(object)['uid']), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.match(versionOf(object), /^[1-9]\d*$/);
    assert.match(String(meta(object)['creationTimestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const [field] = arrayOf(meta(object)['managedFields']).map(objectOf);
    // The two times are taken independently, so that a second may begin between them.
    for (const stamp of [meta(object)['creationTimestamp'], field?.['time']]) {
      const time = Date.parse(String(stamp));
      assert.ok(time >= sentAt && time <= receivedAt, `${String(stamp)} is outside the time of the request`);
    }
    const live = await at.get('pods', 'web');
    assert.deepEqual(meta(live)['uid'], meta(object)['uid']);
  });

  test('resourceVersions increase across all resources', async (at) => {
    const first = await at.create('leases', lease('a'));
    const second = await at.create('pods', pod('a'));
    const third = await at.create('leases', lease('b'));
    const versions = [first, second, third].map((each) => Number(versionOf(each)));
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(versions).size, 3);
  });

  test('generateName is completed with five characters', async (at) => {
    const object = { metadata: { generateName: 'web-' }, spec: objectOf(pod('x')['spec']) };
    const [first, second] = [await at.create('pods', object), await at.create('pods', object)];
    assert.match(String(meta(first)['name']), /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    assert.equal(meta(first)['generateName'], 'web-');
    assert.notEqual(meta(first)['name'], meta(second)['name']);
    assert.deepEqual(Object.keys(meta(first)).slice(0, 5), [
      'name',
      'generateName',
      'namespace',
      'uid',
      'resourceVersion',
    ]);
  });

  test('an existing object is not created again', async (at) => {
    await at.create('leases', lease('a'));
    const status = refused(await at.post('leases', lease('a')), 409, 'AlreadyExists');
    assert.equal(status['message'], 'leases.coordination.k8s.io "a" already exists');
    assert.deepEqual(status['details'], { name: 'a', group: 'coordination.k8s.io', kind: 'leases' });
  });

  test('nothing can be created in a namespace that does not exist', async ({ target }) => {
    const path = '/api/v1/namespaces/no-such-namespace/pods';
    const status = refused(await target.send('POST', path, { body: pod('web') }), 404, 'NotFound');
    assert.equal(status['message'], 'namespaces "no-such-namespace" not found');
    assert.deepEqual(status['details'], { name: 'no-such-namespace', kind: 'namespaces' });
  });

  test('invalid names are refused with every cause', async (at) => {
    const status = refused(await at.post('pods', pod('Bad_Name')), 422, 'Invalid');
    assert.match(
      String(status['message']),
      /^Pod "Bad_Name" is invalid: metadata\.name: Invalid value: "Bad_Name": a low/,
    );
    const details = objectOf(status['details']);
    assert.deepEqual([details['name'], details['kind']], ['Bad_Name', 'Pod']);
    const [cause] = arrayOf(details['causes']).map(objectOf);
    assert.deepEqual([cause?.['reason'], cause?.['field']], ['FieldValueInvalid', 'metadata.name']);
    for (const name of ['a'.repeat(254), '-a', 'a.', 'a..b', 'ä']) {
      refused(await at.post('leases', lease(name)), 422, 'Invalid');
    }
    for (const name of ['a.b', 'Ä', 'a'.repeat(64)]) {
      const namespace = { metadata: { name } };
      refused(await at.send('POST', '/api/v1/namespaces', { body: namespace }), 422, 'Invalid');
    }
  });

  test('an object without a name is refused', async (at) => {
    const status = refused(await at.post('leases', { metadata: {} }), 422, 'Invalid');
    const message = 'metadata.name: Required value: name or generateName is required';
    assert.equal(status['message'], `Lease.coordination.k8s.io "" is invalid: ${message}`);
  });

  test('invalid labels and annotations are refused, with one cause for each', async (at) => {
    const labels = { 'a b': 'c d', ok: 'x', '/x': '', 'a/b/c': '', [`p/${'x'.repeat(64)}`]: '' };
    const metadata = { name: 'web', labels, annotations: { 'a b': 'free text' } };
    const status = refused(await at.post('leases', { metadata }), 422, 'Invalid');
    const causes = arrayOf(objectOf(status['details'])['causes']).map((each) => String(objectOf(each)['field']));
    assert.deepEqual(new Set(causes), new Set(['metadata.labels', 'metadata.annotations']));
    assert(causes.filter((field) => field === 'metadata.labels').length >= 5);
  });

  test('an object that does not match the request is a bad request', async (at) => {
    const elsewhere = refused(
      await at.post('leases', { metadata: { name: 'a', namespace: 'other' } }),
      400,
      'BadRequest',
    );
    assert.match(
      String(elsewhere['message']),
      /^the namespace of the provided object does not match the namespace sent/,
    );
    refused(await at.post('leases', { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }), 400, 'BadRequest');
    refused(await at.post('leases', { kind: 'Lease', apiVersion: 'v9', metadata: { name: 'a' } }), 400, 'BadRequest');
    refused(await at.post('leases', { metadata: { name: 'a', labels: ['x'] } }), 400, 'BadRequest');
    refused(await at.post('leases', { metadata: { name: 'a', labels: { x: 1 } } }), 400, 'BadRequest');
    refused(await at.post('leases', []), 400, 'BadRequest');
    refused(await at.send('POST', at.path('leases'), { text: 'no json' }), 400, 'BadRequest');
    const early = refused(await at.post('leases', { metadata: { name: 'a', resourceVersion: '5' } }), 500, undefined);
    assert.equal(early['message'], 'resourceVersion should not be set on objects to be created');
  });

  test('a dry run of a create returns the object and stores nothing', async (at) => {
    const object = body(await at.send('POST', `${at.path('leases')}?dryRun=All`, { body: lease('a') }), 201);
    assert.equal(meta(object)['resourceVersion'], undefined);
    assert.equal(typeof meta(object)['uid'], 'string');
    refused(await at.send('GET', at.path('leases', 'a')), 404, 'NotFound');
    const status = refused(
      await at.send('POST', `${at.path('leases')}?dryRun=Some`, { body: lease('a') }),
      422,
      'Invalid',
    );
    assert.match(String(status['message']), /^CreateOptions\.meta\.k8s\.io "" is invalid: dryRun: Unsupported value/);
  });

  test('the status of a new object is ignored', async (at) => {
    const object = await at.create('pods', { ...pod('web'), status: { phase: 'Running', podIP: '10.0.0.1' } });
    assert.equal(objectOf(object['status'])['phase'], 'Pending');
    assert.equal(objectOf(object['status'])['podIP'], undefined);
  });
}
