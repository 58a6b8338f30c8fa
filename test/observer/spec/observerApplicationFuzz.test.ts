import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, objectOf } from '@weeder/kube-runtime/base';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { identityKey } from '../../../src/observer/objects/identity.ts';
import { readInventory, writeEntry } from '../../../src/observer/spec/inventory.ts';
import { readApplication } from '../../../src/observer/spec/readApplication.ts';
import { resolveNamespace } from '../../../src/observer/spec/resolveNamespace.ts';
import { edited, oddValue, valueEdit } from '../../support/fuzz.ts';

const value = 'hunter2-hunter2';
const good = {
  apiVersion: 'weeder.dev/v1alpha1',
  kind: 'Application',
  metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1', generation: 1, finalizers: ['x'] },
  spec: {
    manifests: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'stock' } },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', labels: { app: 'web' } },
        spec: { replicas: 2, template: { spec: { containers: [{ name: 'a', image: 'nginx:1' }] } } },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'password', namespace: 'shop' },
        stringData: { a: value },
        data: { b: Buffer.from(value).toString('base64') },
      },
    ],
    observerSchema: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password' }, data: { a: null } }],
    mode: 'correct',
    pausedUntil: '2026-11-21T18:00:00Z',
    resyncPeriod: '30s',
    recreate: ['Deployment/web'],
  },
  status: {
    observedGeneration: 1,
    conditions: [{ type: 'Applied', status: 'True', reason: 'AllApplied', message: '' }],
    resources: [
      {
        group: 'apps',
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'shop',
        name: 'web',
        uid: 'u',
        hash: 'h',
        state: 'Drifted',
        drifts: [{ path: '.spec.replicas', type: 'Changed', desired: '2', found: '3' }],
        initialised: { '.spec.paused': 'false' },
      },
    ],
  },
};

function assertSane(object: unknown): void {
  const application = readApplication(object);
  if (application === undefined) return;
  const { spec, errors, warnings, inventory } = application;
  const items = objectOf(objectOf(object)['spec'])['manifests'];
  const faulty = new Set(errors.flatMap(({ manifest }) => (manifest === undefined ? [] : [manifest])));
  for (const manifest of spec.manifests) {
    assert.ok(!faulty.has(manifest.index), 'a manifest is read or has errors, never both');
    const { identity, object: body } = resolveNamespace(manifest, application.namespace, true);
    for (const part of [identity.kind, identity.name, identity.namespace, manifest.apiVersion]) assert.ok(part !== '');
    assert.ok(!identity.name.includes('/') && !identity.namespace.includes('/'));
    assert.equal(objectOf(body['metadata'])['name'], identity.name);
    assert.ok(!('status' in body) && (identity.kind !== 'Secret' || identity.group !== '' || !('stringData' in body)));
  }
  if (Array.isArray(items) && !errors.some(({ manifest, code }) => manifest === undefined && /too|manif/.test(code))) {
    assert.equal(spec.manifests.length + faulty.size, items.length, 'no manifest is dropped silently');
  }
  const isDuplicate = errors.some(({ code }) => code === 'duplicate');
  const keys = spec.manifests.map((each) => identityKey(resolveNamespace(each, application.namespace, true).identity));
  assert.equal(new Set(keys).size < keys.length, isDuplicate);
  for (const { path, message } of [...errors, ...warnings]) {
    assert.equal(path[0], 'spec');
    assert.match(message, /^[^\n]{5,}$/);
    assert.ok(!message.includes('undefined') && !message.includes('[object'), message);
  }
  assert.ok(inventory.every(({ identity }) => identity.kind !== '' && identity.name !== ''));
  const written = inventory.map(writeEntry);
  assert.deepEqual(readInventory(written).map(writeEntry), written);
}

test('any Application is read or refused with messages, and no manifest is dropped silently', () => {
  fc.assert(
    fc.property(fc.array(valueEdit, { minLength: 1, maxLength: 6 }), (edits) => assertSane(edited(good, edits))),
    propertyRuns(3_000),
  );
});

test('any value in place of a manifest does not affect the manifests next to it', () => {
  const [first, second] = good.spec.manifests;
  fc.assert(
    fc.property(fc.oneof(oddValue, fc.anything({ maxDepth: 4 })), (odd) => {
      const application = readApplication({ ...good, spec: { manifests: [first, odd, second] } });
      assert(application !== undefined);
      const names = application.spec.manifests.filter(({ index }) => index !== 1).map(({ name }) => name);
      // What is too deep or too large as a whole is an error of the whole.
      if (application.errors.some(({ code }) => code === 'tooDeep' || code === 'tooLarge')) return;
      assert.deepEqual(names, ['stock', 'web']);
      assert.ok(isObject(odd) || application.errors.some(({ manifest }) => manifest === 1));
    }),
    propertyRuns(2_000),
  );
});

test('no error and no warning contains the content of a Secret, whatever else is wrong', () => {
  const inSecret = fc.record({ what: valueEdit, more: fc.array(valueEdit, { maxLength: 3 }) });
  fc.assert(
    fc.property(inSecret, ({ what, more }) => {
      const secret = edited(good.spec.manifests[2], [what, ...more]);
      const read = readApplication({ ...good, spec: { ...good.spec, manifests: [secret] } });
      assert.ok(!JSON.stringify([read?.errors, read?.warnings]).includes(value));
    }),
    propertyRuns(2_000),
  );
});
