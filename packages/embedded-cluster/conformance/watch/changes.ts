import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '../../src/base/json.ts';
import { body, create, createTestNamespace, type GetTarget, lease, meta, patch, pod, versionOf } from '../target.ts';
import { summary, watch } from './watching.ts';

/** The events of a watch. */
export function testWatchChanges(getTarget: GetTarget): void {
  test('a watch sends each change after its resourceVersion, in order', async (t) => {
    const at = await createTestNamespace(getTarget);
    const first = await create(at, 'leases', lease('a'));
    await create(at, 'leases', lease('b'));
    await patch(at, 'leases', 'a', { spec: { holderIdentity: 'other' } });
    const seen = await watch(t, at.target, at.path('leases'), `resourceVersion=${versionOf(first)}`);
    const changed = body(await at.send('GET', at.path('leases', 'a')), 200);
    assert.equal(summary(await seen.next()), 'ADDED b');
    const modified = await seen.next();
    assert.deepEqual([summary(modified), versionOf(modified.object)], ['MODIFIED a', versionOf(changed)]);
    assert.deepEqual(modified.object, changed);
    body(await at.send('DELETE', at.path('leases', 'a')), 200);
    const deleted = await seen.next();
    assert.equal(summary(deleted), 'DELETED a');
    assert(Number(versionOf(deleted.object)) > Number(versionOf(changed)));
    assert.equal(objectOf(deleted.object['spec'])['holderIdentity'], 'other');
  });

  test('the first bytes of each line identify the object, as clients rely on', async (t) => {
    const at = await createTestNamespace(getTarget);
    const seen = await watch(t, at.target, at.path('pods'), 'resourceVersion=0');
    const named = await create(at, 'pods', pod('web', { metadata: { labels: { a: 'b' } } }));
    const generated = await create(at, 'pods', { ...pod('x'), metadata: { generateName: 'web-' } });
    for (const object of [named, generated]) {
      const event = await seen.next();
      const { name, generateName, uid, resourceVersion } = meta(object);
      const metadata = { name, generateName, namespace: at.name, uid, resourceVersion };
      const beginning = JSON.stringify({ type: 'ADDED', object: { kind: 'Pod', apiVersion: 'v1', metadata } });
      assert.ok(event.line.startsWith(beginning.slice(0, -'}}}'.length)), event.line);
    }
  });

  test('with a label selector objects are added and deleted as their labels change', async (t) => {
    const at = await createTestNamespace(getTarget);
    const seen = await watch(t, at.target, at.path('leases'), 'resourceVersion=0&labelSelector=x%3D1');
    await create(at, 'leases', lease('other', { x: '2' }));
    await create(at, 'leases', lease('a', { x: '1' }));
    await patch(at, 'leases', 'a', { spec: { holderIdentity: 'b' } });
    const left = await patch(at, 'leases', 'a', { metadata: { labels: { x: '2' } } });
    await patch(at, 'leases', 'a', { spec: { holderIdentity: 'c' } });
    await patch(at, 'leases', 'a', { metadata: { labels: { x: '1' } } });
    body(await at.send('DELETE', at.path('leases', 'a')), 200);
    const events = [];
    for (let i = 0; i < 5; i += 1) events.push(await seen.next());
    assert.deepEqual(events.map(summary), ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a']);
    // An object that is no longer selected is sent in its last selected state, with the version of the change.
    assert.deepEqual(meta(events[2]?.object)['labels'], { x: '1' });
    assert.equal(versionOf(events[2]?.object), versionOf(left));
  });

  test('a field selector watches one object', async (t) => {
    const at = await createTestNamespace(getTarget);
    const seen = await watch(t, at.target, at.path('leases'), 'resourceVersion=0&fieldSelector=metadata.name%3Da');
    for (const name of ['b', 'a', 'c']) await create(at, 'leases', lease(name));
    await patch(at, 'leases', 'b', { spec: { holderIdentity: 'x' } });
    body(await at.send('DELETE', at.path('leases', 'a')), 200);
    assert.deepEqual(await seen.take(2), ['ADDED a', 'DELETED a']);
  });

  test('a watch of one namespace gets no events of another, and one of all namespaces gets both', async (t) => {
    const [one, two] = [await createTestNamespace(getTarget), await createTestNamespace(getTarget)];
    const query = `resourceVersion=0&labelSelector=${encodeURIComponent(`all=${one.name}`)}`;
    const narrow = await watch(t, one.target, one.path('leases'), query);
    const wide = await watch(t, one.target, '/apis/coordination.k8s.io/v1/leases', query);
    await create(two, 'leases', lease('elsewhere', { all: one.name }));
    await create(one, 'leases', lease('here', { all: one.name }));
    assert.deepEqual(await narrow.take(1), ['ADDED here']);
    assert.deepEqual(await wide.take(2), ['ADDED elsewhere', 'ADDED here']);
  });

  test('a watch delivers more than a socket buffers, to a slow reader', async (t) => {
    const at = await createTestNamespace(getTarget);
    const seen = await watch(t, at.target, at.path('leases'), 'resourceVersion=0');
    const filler = 'x'.repeat(200_000);
    for (let i = 0; i < 30; i += 1) {
      await create(at, 'leases', { metadata: { name: `l-${i}`, annotations: { filler } } });
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.deepEqual(
      await seen.take(30),
      Array.from({ length: 30 }, (_, i) => `ADDED l-${i}`),
    );
  });
}
