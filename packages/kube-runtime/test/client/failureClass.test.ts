import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiFailure, FailureType } from '../../src/client/failure.ts';
import {
  hasCause,
  hasOwnMessage,
  isAdmissionNotReady,
  isOtherUid,
  isUnservedPath,
} from '../../src/client/failureClass.ts';

const failure = (type: FailureType, more: Partial<ApiFailure> = {}): ApiFailure => ({
  type,
  message: '',
  ...more,
});

test('only the messages of failures without a response are weeder’s own, and may be shown for a Secret', () => {
  const own = ['network', 'timeout', 'credentials', 'cancelled'] as const;
  const received = [
    ...(['notFound', 'conflict', 'expired', 'throttled', 'unauthorized', 'forbidden', 'invalid'] as const),
    ...(['unavailable', 'rejected', 'badAnswer'] as const),
  ];
  for (const kind of own) assert.equal(hasOwnMessage(failure(kind)), true, kind);
  for (const kind of received) assert.equal(hasOwnMessage(failure(kind)), false, kind);
});

test('a 404 without a Status is about the path, and one with a Status about the object', () => {
  assert.equal(isUnservedPath(failure('badAnswer', { status: 404 })), true);
  assert.equal(isUnservedPath(failure('badAnswer', { status: 200 })), false);
  assert.equal(isUnservedPath(failure('notFound', { status: 404 })), false);
});

test('a 422 about metadata.uid means that another object has the name', () => {
  const about = (field: string) => ({ causes: [{ reason: 'FieldValueInvalid', field }] });
  assert.equal(isOtherUid(failure('invalid', about('metadata.uid'))), true);
  assert.equal(isOtherUid(failure('invalid', about('spec.replicas'))), false);
  assert.equal(isOtherUid(failure('conflict', about('metadata.uid'))), false);
});

test('a cause is found by its reason', () => {
  const refused = failure('forbidden', { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] });
  assert.equal(hasCause(refused, 'NamespaceTerminating'), true);
  assert.equal(hasCause(refused, 'DisruptionBudget'), false);
  assert.equal(hasCause(failure('forbidden'), 'NamespaceTerminating'), false);
});

test('admission that waits for the control plane is known by its own words, and not by a message that contains them', () => {
  const account = (name: string) => `error looking up service account shop/${name}: serviceaccount "${name}" not found`;
  for (const [message, isExpected] of [
    ['pods "a" is forbidden: not yet ready to handle request', true],
    ['pods is forbidden: not yet ready to handle request', true],
    ['forbidden: not yet ready to handle request', true],
    ['jobs.batch "a" is forbidden: status unknown for quota: few, resources: count/jobs.batch', true],
    [`pods "a" is forbidden: ${account('default')}`, true],
    [`pods "a" is forbidden: ${account('deployer')}`, false],
    ['pods "a" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1', false],
    ['pods "a" is forbidden: User "not yet ready to handle request" cannot create resource "pods"', false],
    ['admission webhook "w" denied the request: pods "a" is forbidden: not yet ready to handle request', false],
  ] as const)
    assert.equal(isAdmissionNotReady(failure('forbidden', { message })), isExpected, message);
  const message = 'pods "a" is forbidden: not yet ready to handle request';
  assert.equal(isAdmissionNotReady(failure('invalid', { message })), false);
});
