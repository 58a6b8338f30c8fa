import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiFailure, classify } from '@weeder/kube-runtime/client';
import { type ApplyFailureType, applyFailure } from '../../../src/observer/objects/applyFailure.ts';
import { labelPath } from '../../../src/observer/objects/fieldManagers.ts';
import type { Identity } from '../../../src/observer/objects/identity.ts';
import { canBeRecreated, isImmutable } from '../../../src/observer/objects/immutable.ts';

const server = 'https://api';
const settings: Identity = { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'a' };
const secret: Identity = { ...settings, kind: 'Secret' };
const itself = { name: 'a', kind: 'configmaps' };

/** A response of the API server. */
function answer(code: number, message: string, more: { readonly details?: object; readonly reason?: string } = {}) {
  return classify(code, {}, JSON.stringify({ kind: 'Status', code, message, ...more }), 0);
}

function outcome(failure: ApiFailure, identity = settings) {
  return applyFailure(failure, { verb: 'patch', identity, plural: 'configmaps' }, server).failure;
}

const cause = (reason: string, field: string, message = '') => ({ causes: [{ reason, field, message }] });
const immutable = cause('FieldValueInvalid', 'spec.selector', 'Invalid value: {"a":"b: c"}: field is immutable');
const forbidden = (what: string) => cause('FieldValueForbidden', 'spec', `Forbidden: ${what} are forbidden.`);
const allocated = 'Invalid value: 31136: provided port is already allocated';
const taken = cause('FieldValueInvalid', 'spec.ports[0].nodePort', allocated);

for (const [what, failure, is] of [
  ['a missing object', answer(404, 'configmaps "a" not found', { details: itself }), 'missing'],
  ['a missing namespace', answer(404, 'no', { details: { name: 'a', kind: 'namespaces' } }), 'transient'],
  ['another missing object', answer(404, 'no', { details: { name: 'b', kind: 'roles' } }), 'transient'],
  ['a kind that is not served', answer(404, 'the server could not find it', { details: {} }), 'typeMissing'],
  ['a group that is not served', classify(404, {}, '404 page not found\n', 0), 'typeMissing'],
  ['a stale version', answer(409, 'the object has been modified', { details: itself }), 'conflict'],
  [
    'an object that is deleted, by its uid',
    answer(409, 'no existing object was found', { details: itself }),
    'missing',
  ],
  ['a deletion of another uid', answer(409, 'x does not match the UID in record', { details: itself }), 'otherUid'],
  ['an apply to another uid', answer(422, 'no', { details: cause('FieldValueInvalid', 'metadata.uid') }), 'otherUid'],
  ['a quota in use', answer(409, 'no', { details: { name: 'full', kind: 'resourcequotas' } }), 'transient'],
  ['fields of others', answer(409, 'no', { details: cause('FieldManagerConflict', '.data.a') }), 'conflict'],
  ['the label of others', answer(409, 'no', { details: cause('FieldManagerConflict', labelPath) }), 'claimed'],
  ['an invalid value', answer(422, 'no', { details: cause('FieldValueRequired', 'spec') }), 'permanent'],
  ['an address that will be released soon', answer(422, 'no', { details: taken }), 'transient'],
  ['an immutable field', answer(422, 'no', { details: immutable }), 'immutable'],
  [
    'an immutable field of a StorageClass before 1.36',
    answer(422, 'no', { details: forbidden('updates to provisioner') }),
    'immutable',
  ],
  ['something that is forbidden', answer(422, 'no', { details: forbidden('host ports') }), 'permanent'],
  ['an undeclared field', answer(500, 'failed to create typed patch object (/a): .x: no'), 'permanent'],
  ['an object that cannot be decoded', answer(500, 'failed to convert new object (/a)'), 'permanent'],
  ['an object that etcd rejects', answer(500, 'etcdserver: request is too large'), 'permanent'],
  ['another error of the server', answer(500, 'etcdserver: leader changed'), 'transient'],
  ['a bad request', answer(400, 'no'), 'permanent'],
  ['a body that is too large', answer(413, 'no'), 'permanent'],
  ['a missing permission', answer(403, 'no'), 'forbidden'],
  ['an ending namespace', answer(403, 'no', { details: cause('NamespaceTerminating', '') }), 'namespaceTerminating'],
  ['too many requests', answer(429, 'no', { details: { retryAfterSeconds: 7 } }), 'transient'],
  ['no credentials', answer(401, 'no'), 'transient'],
  ['a connection that broke', { type: 'network', message: 'no' }, 'transient'],
  ['no answer', { type: 'timeout', message: 'no' }, 'transient'],
  ['a cancelled request', { type: 'cancelled', message: 'no' }, 'cancelled'],
] as const satisfies readonly (readonly [string, ApiFailure, ApplyFailureType])[]) {
  test(`an apply that fails because of ${what} is ${is}`, () => {
    const { type, reason } = outcome(failure);
    assert.equal(type, is);
    assert.notEqual(reason, '');
  });
}

test('Retry-After is passed on, and fields are named once', () => {
  assert.equal(outcome(answer(429, 'no', { details: { retryAfterSeconds: 7 } })).retryAfter, 7_000);
  const twice = { causes: [...immutable.causes, ...immutable.causes, { reason: 'x', field: '' }] };
  assert.deepEqual(outcome(answer(422, 'no', { details: twice })).fields, ['spec.selector']);
});

test('a conflict names the other manager as the API server does, until its name is known', () => {
  const words = cause('FieldManagerConflict', labelPath, 'conflict with "weeder:1a2b" using v1');
  assert.equal(outcome(answer(409, 'no', { details: words })).by, 'weeder:1a2b');
});

test('the message contains the field and the text, but not the value or a diff', () => {
  assert.equal(
    outcome(answer(422, 'no', { details: immutable })).reason,
    'The API server refused ConfigMap shop/a (422): spec.selector: field is immutable.',
  );
  const diff = cause('FieldValueForbidden', 'spec', 'Forbidden: spec is immutable after creation\n@@ -1 @@\n-  "x"');
  const { reason } = outcome(answer(422, 'no', { details: diff }));
  assert.equal(
    reason,
    'The API server refused ConfigMap shop/a (422): spec: Forbidden: spec is immutable after creation.',
  );
  assert(outcome(answer(422, 'x'.repeat(9_000))).reason.length < 400);
  const typed = 'failed to create typed patch object (shop/a; v1): .data.a: expected string, got &{hunter2}';
  assert.equal(
    outcome(answer(500, typed)).reason,
    'The API server refused ConfigMap shop/a (500): failed to create typed patch object (shop/a; v1): .data.a: expected string.',
  );
});

test('the message for a Secret contains code, reason and fields, whatever the response contains', () => {
  for (const failure of [
    answer(500, 'failed to create typed patch object: .stringData.a: expected string, got hunter2'),
    answer(422, 'hunter2', { reason: 'Invalid', details: cause('FieldValueInvalid', 'data[a]', 'hunter2') }),
    answer(400, 'hunter2', { reason: 'BadRequest' }),
    answer(403, 'hunter2', { reason: 'Forbidden' }),
    answer(409, 'hunter2', { reason: 'Conflict' }),
    answer(429, 'hunter2'),
    { type: 'badAnswer', message: 'hunter2' } as const,
  ])
    assert(!outcome(failure, secret).reason.includes('hunter2'), outcome(failure, secret).reason);
  const invalid = answer(422, 'hunter2', {
    reason: 'Invalid',
    details: cause('FieldValueInvalid', 'data[a]', 'hunter2'),
  });
  assert.equal(outcome(invalid, secret).reason, 'The API server refused Secret shop/a (422 Invalid): data[a].');
  const network = outcome({ type: 'network', message: 'connect ECONNREFUSED' }, secret);
  assert(network.reason.includes('ECONNREFUSED'), network.reason);
});

test('a refusal counts as immutable only if every cause says so', () => {
  const [one] = immutable.causes;
  assert(one);
  assert.equal(isImmutable([one]), true);
  assert.equal(isImmutable([one, { reason: 'FieldValueRequired', field: 'x', message: 'Required value' }]), false);
  assert.equal(isImmutable([{ ...one, reason: 'FieldValueDuplicate' }]), false);
  assert.equal(isImmutable([{ reason: one.reason, field: one.field }]), false);
  assert.equal(isImmutable([]), false);
});

test('a kind whose deletion takes other objects along is never recreated', () => {
  const of = (group: string, kind: string) => canBeRecreated({ ...settings, group, kind });
  assert.deepEqual(
    [of('', 'Namespace'), of('', 'PersistentVolumeClaim'), of('apiextensions.k8s.io', 'CustomResourceDefinition')],
    [false, false, false],
  );
  assert.deepEqual([of('apps', 'Deployment'), of('', 'Service'), of('example.org', 'Namespace')], [true, true, true]);
});

test('the message of a refusal is kept up to 1 KB', () => {
  for (const failure of [
    answer(403, 'x'.repeat(900_000)),
    answer(422, 'no', { details: cause('a', 'x'.repeat(900_000)) }),
  ])
    for (const identity of [settings, secret])
      assert.ok(Buffer.byteLength(outcome(failure, identity).reason) <= 1024, `${failure.status}`);
});
