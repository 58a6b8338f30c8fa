import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { objectOf } from '../../src/base/json.ts';
import { body, lease, meta, type NamespaceTest, names, pod, refused, type TestNamespace } from '../target.ts';

/**
 * Waits up to two minutes, because a real server deletes a namespace with a pod in rounds of 16 s, or longer on a busy
 * machine.
 */
async function untilDeleted(at: TestNamespace, path: string): Promise<void> {
  for (let tries = 0; tries < 2400; tries += 1) {
    if ((await at.send('GET', path)).status === 404) return;
    await pause(50);
  }
  assert.fail(`${path} still exists`);
}

function ownedBy(owner: object, more: object = {}) {
  const { name, uid } = meta(owner);
  return { ownerReferences: [{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name, uid, ...more }] };
}

/** Namespaces and their content, owners and their dependants. */
export function testLifecycle(test: NamespaceTest): void {
  test('a namespace has a phase and a name label, and cannot be created twice', async (at) => {
    const namespace = body(await at.send('GET', `/api/v1/namespaces/${at.name}`), 200);
    assert.deepEqual(objectOf(namespace['status']), { phase: 'Active' });
    assert.deepEqual(meta(namespace)['labels'], { 'kubernetes.io/metadata.name': at.name });
    assert.equal(meta(namespace)['namespace'], undefined);
    const again = { body: { metadata: { name: at.name } } };
    refused(await at.send('POST', '/api/v1/namespaces', again), 409, 'AlreadyExists');
    const list = body(await at.send('GET', `/api/v1/namespaces?fieldSelector=metadata.name%3D${at.name}`), 200);
    assert.deepEqual(names(list), [at.name]);
    body(await at.send('GET', '/api/v1/namespaces/default'), 200);
    body(await at.send('GET', '/api/v1/namespaces/kube-system'), 200);
  });

  test('deleting a namespace deletes its content, and nothing new can be created in it meanwhile', async (at) => {
    await at.create('leases', { metadata: { name: 'blocked', finalizers: ['x.io/a'] } });
    await at.create('leases', lease('a'));
    await at.create('pods', pod('web'));
    const path = `/api/v1/namespaces/${at.name}`;
    const namespace = body(await at.send('DELETE', path), 200);
    assert.equal(namespace['kind'], 'Namespace');
    assert.equal(objectOf(namespace['status'])['phase'], 'Terminating');
    assert.equal(typeof meta(namespace)['deletionTimestamp'], 'string');
    const status = refused(await at.post('leases', lease('late')), 403, 'Forbidden');
    const message = `unable to create new content in namespace ${at.name} because it is being terminated`;
    assert.equal(status['message'], `leases.coordination.k8s.io "late" is forbidden: ${message}`);
    await untilDeleted(at, at.path('leases', 'a'));
    await untilDeleted(at, at.path('pods', 'web'));
    body(await at.send('GET', path), 200);
    await at.patch('leases', 'blocked', { metadata: { finalizers: null } });
    await untilDeleted(at, path);
  });

  test('a dependant is deleted after its owner', async (at) => {
    const owner = await at.create('leases', lease('owner'));
    await at.create('leases', { metadata: { name: 'owned', ...ownedBy(owner) } });
    body(await at.send('DELETE', at.path('leases', 'owner')), 200);
    await untilDeleted(at, at.path('leases', 'owned'));
  });

  test('in the foreground, dependants are deleted before the owner', async (at) => {
    const owner = await at.create('leases', lease('owner'));
    const finalizers = ['x.io/a'];
    await at.create('leases', {
      metadata: { name: 'owned', finalizers, ...ownedBy(owner, { blockOwnerDeletion: true }) },
    });
    const options = { body: { propagationPolicy: 'Foreground' } };
    body(await at.send('DELETE', at.path('leases', 'owner'), options), 200);
    let owned = await at.get('leases', 'owned');
    for (let tries = 0; tries < 200 && meta(owned)['deletionTimestamp'] === undefined; tries += 1) {
      await pause(50);
      owned = await at.get('leases', 'owned');
    }
    assert.notEqual(meta(owned)['deletionTimestamp'], undefined);
    await at.get('leases', 'owner');
    await at.patch('leases', 'owned', { metadata: { finalizers: null } });
    await untilDeleted(at, at.path('leases', 'owner'));
  });

  test('deleting an owner with Orphan does not delete its dependants, but removes the owner reference', async (at) => {
    const owner = await at.create('leases', lease('owner'));
    await at.create('leases', { metadata: { name: 'owned', ...ownedBy(owner) } });
    // The garbage collector must have observed the dependant, or it does not remove the owner reference.
    await pause(500);
    body(await at.send('DELETE', at.path('leases', 'owner'), { body: { propagationPolicy: 'Orphan' } }), 200);
    await untilDeleted(at, at.path('leases', 'owner'));
    const owned = await at.get('leases', 'owned');
    assert.equal(meta(owned)['ownerReferences'], undefined);
  });

  test('an object with another owner remains', async (at) => {
    const [one, two] = [await at.create('leases', lease('one')), await at.create('leases', lease('two'))];
    const ownerReferences = [...ownedBy(one).ownerReferences, ...ownedBy(two).ownerReferences];
    await at.create('leases', { metadata: { name: 'owned', ownerReferences } });
    await at.create('leases', { metadata: { name: 'other', ...ownedBy(one) } });
    body(await at.send('DELETE', at.path('leases', 'one')), 200);
    await untilDeleted(at, at.path('leases', 'other'));
    await at.get('leases', 'owned');
  });
}
