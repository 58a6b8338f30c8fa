import assert from 'node:assert/strict';
import { objectOf } from '../../src/base/json.ts';
import type { Features } from '../features.ts';
import {
  body,
  boundNode,
  lease,
  meta,
  type NamespaceTest,
  names,
  pod,
  refused,
  type TestNamespace,
  versionOf,
} from '../target.ts';
import { summary, watch } from '../watch/watching.ts';

const onNode = { nodeName: boundNode, terminationGracePeriodSeconds: 7 };

function remove(at: TestNamespace, plural: string, name: string, options?: unknown, query = '') {
  return at.send('DELETE', `${at.path(plural, name)}${query}`, options === undefined ? {} : { body: options });
}

/** DELETE: preconditions, grace periods, finalizers. */
export function testDelete(test: NamespaceTest, { refusesOtherOptions }: Features): void {
  test('a deletion returns a Status, or the object if it may still exist', async (at) => {
    const { uid } = meta(await at.create('leases', lease('a')));
    const status = body(await remove(at, 'leases', 'a'), 200);
    const details = { name: 'a', group: 'coordination.k8s.io', kind: 'leases', uid };
    assert.deepEqual(status, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
    const again = refused(await remove(at, 'leases', 'a'), 404, 'NotFound');
    assert.equal(again['message'], 'leases.coordination.k8s.io "a" not found');
    await at.create('pods', pod('a'));
    assert.equal(body(await remove(at, 'pods', 'a'), 200)['kind'], 'Pod');
    refused(await at.send('GET', at.path('pods', 'a')), 404, 'NotFound');
  });

  test("an unmet precondition is a conflict, with the API's message", async (at) => {
    const object = await at.create('pods', pod('web'));
    const uid = String(meta(object)['uid']);
    const start = 'Operation cannot be fulfilled on Pod "web": ';
    const attempts = [
      [
        { uid: 'other' },
        `the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      ],
      [
        { resourceVersion: '1' },
        `the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${versionOf(object)}). The object might have been modified`,
      ],
      [
        { uid: 'other', resourceVersion: '1' },
        `the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      ],
    ] as const;
    for (const [preconditions, message] of attempts) {
      const status = refused(await remove(at, 'pods', 'web', { preconditions }), 409, 'Conflict');
      assert.equal(status['message'], start + message);
      assert.deepEqual(status['details'], { name: 'web', kind: 'Pod' });
    }
    const holds = { uid, resourceVersion: versionOf(object) };
    body(await remove(at, 'pods', 'web', { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: holds }), 200);
    refused(await remove(at, 'pods', 'web', { preconditions: holds }), 404, 'NotFound');
  });

  test('the unmet precondition of a Lease names its kind and group', async (at) => {
    await at.create('leases', lease('a'));
    const status = refused(await remove(at, 'leases', 'a', { preconditions: { uid: 'x' } }), 409, 'Conflict');
    assert.match(
      String(status['message']),
      /^Operation cannot be fulfilled on Lease\.coordination\.k8s\.io "a": the UID/,
    );
  });

  test('a pod without a node is deleted at once, after a watch shows it terminating', async (at, t) => {
    await at.create('pods', pod('web'));
    const seen = await watch(t, at.target, at.path('pods'), 'resourceVersion=0');
    assert.equal(summary(await seen.next()), 'ADDED web');
    const answer = body(await remove(at, 'pods', 'web'), 200);
    const [terminating, deleted] = [await seen.next(), await seen.next()];
    assert.deepEqual([terminating, deleted].map(summary), ['MODIFIED web', 'DELETED web']);
    assert.equal(meta(terminating.object)['deletionGracePeriodSeconds'], 0);
    assert.equal(meta(deleted.object)['generation'], 2);
    assert.equal(typeof meta(deleted.object)['deletionTimestamp'], 'string');
    assert(Number(versionOf(deleted.object)) > Number(versionOf(terminating.object)));
    assert.equal(versionOf(answer), versionOf(deleted.object));
  });

  test('a pod on a node is deleted after its grace period, which can only be shortened', async (at) => {
    // Long, because after its end the API server replaces a shorter grace period with one second.
    const spec = { ...onNode, terminationGracePeriodSeconds: 700 };
    await at.create('pods', pod('web', { spec }));
    const first = body(await remove(at, 'pods', 'web'), 200);
    assert.deepEqual([meta(first)['deletionGracePeriodSeconds'], meta(first)['generation']], [700, 2]);
    const created = Date.parse(String(meta(first)['creationTimestamp']));
    const until = Date.parse(String(meta(first)['deletionTimestamp']));
    assert(until >= created + 700_000 && until <= created + 900_000);
    assert.equal(versionOf(body(await remove(at, 'pods', 'web'), 200)), versionOf(first));
    const longer = body(await remove(at, 'pods', 'web', { gracePeriodSeconds: 2000 }), 200);
    assert.equal(versionOf(longer), versionOf(first));
    const shorter = body(await remove(at, 'pods', 'web', { gracePeriodSeconds: 500 }), 200);
    assert.equal(meta(shorter)['deletionGracePeriodSeconds'], 500);
    assert.equal((await at.get('pods', 'web'))['kind'], 'Pod');
    const now = body(await remove(at, 'pods', 'web', { gracePeriodSeconds: 0 }), 200);
    assert.equal(meta(now)['deletionGracePeriodSeconds'], 0);
    refused(await at.send('GET', at.path('pods', 'web')), 404, 'NotFound');
  });

  test('the grace period may be a query parameter', async (at) => {
    await at.create('pods', pod('web', { spec: onNode }));
    const terminating = body(await remove(at, 'pods', 'web', undefined, '?gracePeriodSeconds=2'), 200);
    assert.equal(meta(terminating)['deletionGracePeriodSeconds'], 2);
    body(await remove(at, 'pods', 'web', undefined, '?gracePeriodSeconds=0'), 200);
    refused(await at.send('GET', at.path('pods', 'web')), 404, 'NotFound');
  });

  test('a finished pod is deleted without a grace period', async (at) => {
    await at.create('pods', pod('web', { spec: onNode }));
    await at.patch('pods', 'web/status', { status: { phase: 'Failed' } });
    body(await remove(at, 'pods', 'web'), 200);
    refused(await at.send('GET', at.path('pods', 'web')), 404, 'NotFound');
  });

  test('an object is deleted when its last finalizer is removed, and none can be added meanwhile', async (at) => {
    await at.create('leases', { metadata: { name: 'a', finalizers: ['x.io/a', 'x.io/b'] } });
    const terminating = body(await remove(at, 'leases', 'a'), 200);
    assert.equal(terminating['kind'], 'Lease');
    assert.equal(typeof meta(terminating)['deletionTimestamp'], 'string');
    assert.equal(meta(terminating)['deletionGracePeriodSeconds'], 0);
    assert.equal(versionOf(body(await remove(at, 'leases', 'a'), 200)), versionOf(terminating));
    const contentType = 'application/merge-patch+json';
    const more = { body: { metadata: { finalizers: ['x.io/a', 'x.io/new'] } }, contentType };
    const status = refused(await at.send('PATCH', at.path('leases', 'a'), more), 422, 'Invalid');
    assert.match(String(status['message']), /no new finalizers can be added if the object is being deleted/);
    await at.patch('leases', 'a', { metadata: { finalizers: ['x.io/b'] } });
    await at.get('leases', 'a');
    await at.patch('leases', 'a', { metadata: { finalizers: null } });
    refused(await at.send('GET', at.path('leases', 'a')), 404, 'NotFound');
  });

  test('a pod without its finalizers still waits for its kubelet', async (at) => {
    await at.create('pods', pod('web', { metadata: { finalizers: ['x.io/a'] }, spec: onNode }));
    body(await remove(at, 'pods', 'web'), 200);
    await at.patch('pods', 'web', { metadata: { finalizers: null } });
    await at.get('pods', 'web');
    body(await remove(at, 'pods', 'web', { gracePeriodSeconds: 0 }), 200);
    refused(await at.send('GET', at.path('pods', 'web')), 404, 'NotFound');
  });

  test('a recreated object of the same name has another uid', async (at) => {
    const first = await at.create('pods', pod('web'));
    body(await remove(at, 'pods', 'web'), 200);
    const second = await at.create('pods', pod('web'));
    assert.notEqual(meta(second)['uid'], meta(first)['uid']);
    refused(await remove(at, 'pods', 'web', { preconditions: { uid: meta(first)['uid'] } }), 409, 'Conflict');
  });

  test('a Foreground or Orphan deletion sets a finalizer', async (at, t) => {
    const seen = await watch(t, at.target, at.path('leases'), 'resourceVersion=0');
    const finalizers = { Foreground: 'foregroundDeletion', Orphan: 'orphan' };
    for (const [propagationPolicy, finalizer] of Object.entries(finalizers)) {
      const name = propagationPolicy.toLowerCase();
      await at.create('leases', lease(name));
      const terminating = body(await remove(at, 'leases', name, { propagationPolicy }), 200);
      assert.deepEqual(meta(terminating)['finalizers'], [finalizer]);
      assert.deepEqual(await seen.take(3), [`ADDED ${name}`, `MODIFIED ${name}`, `DELETED ${name}`]);
    }
    await at.create('leases', lease('a'));
    refused(await remove(at, 'leases', 'a', { propagationPolicy: 'Other' }), 422, 'Invalid');
    body(await remove(at, 'leases', 'a', { propagationPolicy: 'Background' }), 200);
  });

  test('a dry run of a deletion deletes nothing, and options of another kind are refused', async (at) => {
    await at.create('leases', lease('a'));
    body(await remove(at, 'leases', 'a', { dryRun: ['All'] }), 200);
    body(await remove(at, 'leases', 'a', undefined, '?dryRun=All'), 200);
    refused(await remove(at, 'leases', 'a', { dryRun: ['Some'] }), 422, 'Invalid');
    for (const other of [
      await remove(at, 'leases', 'a', { kind: 'Pod', apiVersion: 'v1' }),
      await at.send('DELETE', at.path('leases', 'a'), { text: 'no json' }),
    ]) {
      if (refusesOtherOptions) refused(other, 400, 'BadRequest');
      else refused(other, 500, undefined);
    }
    await at.get('leases', 'a');
  });

  test('a collection is deleted by a label selector, and the deleted objects are returned', async (at) => {
    await at.create('leases', lease('a', { x: '1' }));
    await at.create('leases', lease('b', { x: '1' }));
    await at.create('leases', lease('c'));
    const deleted = body(await at.send('DELETE', `${at.path('leases')}?labelSelector=x`), 200);
    assert.equal(deleted['kind'], 'LeaseList');
    assert.deepEqual(names(deleted), ['a', 'b']);
    assert.deepEqual(names(await at.get('leases')), ['c']);
    refused(await at.send('DELETE', '/api/v1/namespaces'), 405, 'MethodNotAllowed');
    assert.deepEqual(objectOf(body(await at.send('DELETE', at.path('leases')), 200))['kind'], 'LeaseList');
  });
}
