import assert from 'node:assert/strict';
import { arrayOf, objectOf } from '../../src/base/json.ts';
import { body, lease, meta, type NamespaceTest, pod, refused, type TestNamespace, versionOf } from '../target.ts';

const types = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

function send(at: TestNamespace, type: keyof typeof types, change: unknown, name = 'a', plural = 'leases') {
  return at.send('PATCH', at.path(plural, name), { body: change, contentType: types[type] });
}

/** PATCH, except for apply. */
export function testPatch(test: NamespaceTest): void {
  test('a merge patch merges objects, removes by null, and replaces lists', async (at) => {
    await at.create('leases', {
      ...lease('a', { keep: '1', drop: '2' }),
      spec: { holderIdentity: 'me', leaseDurationSeconds: 5 },
    });
    const changed = await at.patch('leases', 'a', {
      metadata: { labels: { drop: null, add: '3' }, finalizers: ['x.io/a', 'x.io/b'] },
      spec: { leaseDurationSeconds: null },
    });
    assert.deepEqual(meta(changed)['labels'], { keep: '1', add: '3' });
    assert.deepEqual(changed['spec'], { holderIdentity: 'me' });
    const fewer = await at.patch('leases', 'a', { metadata: { finalizers: ['x.io/b'] } });
    assert.deepEqual(meta(fewer)['finalizers'], ['x.io/b']);
    const none = await at.patch('leases', 'a', { metadata: { finalizers: null, labels: null } });
    assert.deepEqual([meta(none)['finalizers'], meta(none)['labels']], [undefined, undefined]);
  });

  test('a patch may require a resourceVersion but not change the identity', async (at) => {
    const object = await at.create('leases', lease('a'));
    const stale = { metadata: { resourceVersion: '1', labels: { x: '1' } } };
    refused(await send(at, 'merge', stale), 409, 'Conflict');
    body(await send(at, 'merge', { metadata: { resourceVersion: versionOf(object), labels: { x: '1' } } }), 200);
    refused(await send(at, 'merge', { metadata: { uid: 'other' } }), 422, 'Invalid');
    refused(await send(at, 'merge', { metadata: { name: 'other' } }), 400, 'BadRequest');
    refused(await send(at, 'merge', { metadata: { namespace: 'other' } }), 400, 'BadRequest');
    refused(await send(at, 'merge', {}, 'nothing'), 404, 'NotFound');
  });

  test('an invalid patch is a bad request', async (at) => {
    await at.create('leases', lease('a'));
    refused(await send(at, 'merge', []), 400, 'BadRequest');
    refused(await send(at, 'json', {}), 400, 'BadRequest');
    const broken = await at.send('PATCH', at.path('leases', 'a'), { text: '{', contentType: types.merge });
    refused(broken, 400, 'BadRequest');
  });

  test('a patch that makes an object invalid is refused', async (at) => {
    await at.create('leases', lease('a'));
    const status = refused(await send(at, 'merge', { metadata: { labels: { 'a b': 'x' } } }), 422, 'Invalid');
    assert.match(String(status['message']), /metadata\.labels: Invalid value: "a b"/);
    await at.create('pods', pod('a'));
    const fixed = refused(await send(at, 'merge', { spec: { restartPolicy: 'Never' } }, 'a', 'pods'), 422, 'Invalid');
    assert.match(String(fixed['message']), /^Pod "a" is invalid: spec: Forbidden: pod updates may not change fields/);
  });

  test('a JSON patch tests, adds, replaces, removes, copies and moves', async (at) => {
    await at.create('leases', lease('a', { x: '1' }));
    const changed = body(
      await send(at, 'json', [
        { op: 'test', path: '/metadata/labels/x', value: '1' },
        { op: 'add', path: '/metadata/labels/k.io~1y', value: '2' },
        { op: 'replace', path: '/spec/holderIdentity', value: 'other' },
        { op: 'copy', from: '/metadata/labels/x', path: '/metadata/labels/copied' },
        { op: 'move', from: '/metadata/labels/copied', path: '/metadata/labels/moved' },
        { op: 'remove', path: '/metadata/labels/x' },
        { op: 'add', path: '/metadata/finalizers', value: ['x.io/a'] },
        { op: 'add', path: '/metadata/finalizers/-', value: 'x.io/c' },
        { op: 'add', path: '/metadata/finalizers/1', value: 'x.io/b' },
        { op: 'remove', path: '/metadata/finalizers/0' },
      ]),
      200,
    );
    assert.deepEqual(meta(changed)['labels'], { 'k.io/y': '2', moved: '1' });
    assert.deepEqual(meta(changed)['finalizers'], ['x.io/b', 'x.io/c']);
    assert.equal(objectOf(changed['spec'])['holderIdentity'], 'other');
    await at.patch('leases', 'a', { metadata: { finalizers: null } });
  });

  test('a JSON patch with one failing operation changes nothing', async (at) => {
    const object = await at.create('leases', lease('a', { x: '1' }));
    const bad = [
      { op: 'test', path: '/metadata/labels/x', value: '2' },
      { op: 'remove', path: '/metadata/annotations' },
      { op: 'add', path: '/nothing/here', value: 1 },
      { op: 'invent', path: '/metadata/labels/x' },
    ];
    for (const step of bad) {
      const steps = [{ op: 'add', path: '/metadata/labels/z', value: '1' }, step];
      refused(await send(at, 'json', steps), 422, 'Invalid');
    }
    assert.equal(versionOf(await at.get('leases', 'a')), versionOf(object));
  });

  test('a strategic merge patch merges conditions by type and containers by name', async (at) => {
    await at.create('pods', pod('a'));
    const condition = (type: string, status: string) => ({ type, status });
    const two = { status: { conditions: [condition('Ready', 'False'), condition('PodScheduled', 'True')] } };
    body(await send(at, 'merge', two, 'a/status', 'pods'), 200);
    const ready = { status: { conditions: [condition('Ready', 'True')] } };
    const changed = body(await send(at, 'strategic', ready, 'a/status', 'pods'), 200);
    const conditions = arrayOf(objectOf(changed['status'])['conditions']).map(objectOf);
    assert.deepEqual(conditions.map(({ type, status }) => `${String(type)}=${String(status)}`).toSorted(), [
      'PodScheduled=True',
      'Ready=True',
    ]);
    const image = { spec: { containers: [{ name: 'main', image: 'registry.invalid/none:2' }] } };
    const moved = body(await send(at, 'strategic', image, 'a', 'pods'), 200);
    const [container] = arrayOf(objectOf(moved['spec'])['containers']).map(objectOf);
    assert.deepEqual([container?.['image'], container?.['name']], ['registry.invalid/none:2', 'main']);
  });

  test('other patch types are not supported', async (at) => {
    await at.create('leases', lease('a'));
    for (const contentType of ['application/json', 'text/plain']) {
      const answer = await at.send('PATCH', at.path('leases', 'a'), { body: {}, contentType });
      refused(answer, 415, 'UnsupportedMediaType');
    }
    const contentType = 'application/merge-patch+json; charset=utf-8';
    body(await at.send('PATCH', at.path('leases', 'a'), { body: {}, contentType }), 200);
  });

  test('a dry run of a patch returns the result and stores nothing', async (at) => {
    const object = await at.create('leases', lease('a'));
    const options = { body: { metadata: { labels: { x: '1' } } }, contentType: types.merge };
    const answer = body(await at.send('PATCH', `${at.path('leases', 'a')}?dryRun=All`, options), 200);
    assert.deepEqual(meta(answer)['labels'], { x: '1' });
    assert.equal(versionOf(await at.get('leases', 'a')), versionOf(object));
  });
}
