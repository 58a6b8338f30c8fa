import assert from 'node:assert/strict';
import { objectOf } from '../../src/base/json.ts';
import { body, lease, meta, type NamespaceTest, pod, versionOf } from '../target.ts';
import { summary, watch } from './watching.ts';

/** The events of a watch. */
export function testWatchChanges(test: NamespaceTest): void {
  test('a watch sends each change after its resourceVersion, in order', async (at, t) => {
    const first = await at.create('leases', lease('a'));
    await at.create('leases', lease('b'));
    await at.patch('leases', 'a', { spec: { holderIdentity: 'other' } });
    const seen = await watch(t, at.target, at.path('leases'), `resourceVersion=${versionOf(first)}`);
    const changed = await at.get('leases', 'a');
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

  test('the first bytes of each line identify the object, as clients rely on', async (at, t) => {
    const seen = await watch(t, at.target, at.path('pods'), 'resourceVersion=0');
    const named = await at.create('pods', pod('web', { metadata: { labels: { a: 'b' } } }));
    const generated = await at.create('pods', { ...pod('x'), metadata: { generateName: 'web-' } });
    for (const object of [named, generated]) {
      const event = await seen.next();
      const { name, generateName, uid, resourceVersion } = meta(object);
      const metadata = { name, generateName, namespace: at.name, uid, resourceVersion };
      const beginning = JSON.stringify({ type: 'ADDED', object: { kind: 'Pod', apiVersion: 'v1', metadata } });
      assert.ok(event.line.startsWith(beginning.slice(0, -'}}}'.length)), event.line);
    }
  });

  test('with a label selector objects are added and deleted as their labels change', async (at, t) => {
    const seen = await watch(t, at.target, at.path('leases'), 'resourceVersion=0&labelSelector=x%3D1');
    await at.create('leases', lease('other', { x: '2' }));
    await at.create('leases', lease('a', { x: '1' }));
    await at.patch('leases', 'a', { spec: { holderIdentity: 'b' } });
    const left = await at.patch('leases', 'a', { metadata: { labels: { x: '2' } } });
    await at.patch('leases', 'a', { spec: { holderIdentity: 'c' } });
    await at.patch('leases', 'a', { metadata: { labels: { x: '1' } } });
    body(await at.send('DELETE', at.path('leases', 'a')), 200);
    const events = [];
    for (let i = 0; i < 5; i += 1) events.push(await seen.next());
    assert.deepEqual(events.map(summary), ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a']);
    // An object that is no longer selected is sent in its last selected state, with the version of the change.
    assert.deepEqual(meta(events[2]?.object)['labels'], { x: '1' });
    assert.equal(versionOf(events[2]?.object), versionOf(left));
  });

  test('a field selector watches one object', async (at, t) => {
    const seen = await watch(t, at.target, at.path('leases'), 'resourceVersion=0&fieldSelector=metadata.name%3Da');
    for (const name of ['b', 'a', 'c']) await at.create('leases', lease(name));
    await at.patch('leases', 'b', { spec: { holderIdentity: 'x' } });
    body(await at.send('DELETE', at.path('leases', 'a')), 200);
    assert.deepEqual(await seen.take(2), ['ADDED a', 'DELETED a']);
  });

  test('a watch of one namespace gets no events of another, and one of all namespaces gets both', async (one, t) => {
    const two = await one.another();
    // A server ends a watch that is slower than all changes of its namespaces; from a version it repeats them in order.
    const since = versionOf(await one.create('leases', lease('before')));
    const query = `resourceVersion=${since}&labelSelector=${encodeURIComponent(`all=${one.name}`)}`;
    const narrow = await watch(t, one.target, one.path('leases'), query);
    const wide = await watch(t, one.target, '/apis/coordination.k8s.io/v1/leases', query);
    await two.create('leases', lease('elsewhere', { all: one.name }));
    await one.create('leases', lease('here', { all: one.name }));
    assert.deepEqual(await narrow.take(1), ['ADDED here']);
    assert.deepEqual(await wide.take(2), ['ADDED elsewhere', 'ADDED here']);
  });

  test('a watch delivers more than a socket buffers, to a slow reader', async (at, t) => {
    const seen = await watch(t, at.target, at.path('leases'), 'resourceVersion=0');
    const filler = 'x'.repeat(200_000);
    for (let i = 0; i < 30; i += 1) {
      await at.create('leases', { metadata: { name: `l-${i}`, annotations: { filler } } });
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.deepEqual(
      await seen.take(30),
      Array.from({ length: 30 }, (_, i) => `ADDED l-${i}`),
    );
  });
}
