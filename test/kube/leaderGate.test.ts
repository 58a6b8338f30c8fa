import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiFailure, ApiRequest, ApiResult } from '@weeder/kube-runtime/client';
import { leaderGate } from '@weeder/kube-runtime/client';
import { clientOf } from '@weeder/kube-runtime/testing';
import { type DeletionAnswer, type DeletionAttempt, deleteThrough } from '../../src/weeder/deletions/deletePod.ts';

const never = new AbortController().signal;
const cancelled: ApiFailure = { type: 'cancelled', message: 'the request was cancelled' };

/** A client as the API's: checks whether a request is needed, and sends it. */
function checking(answer: () => ApiResult) {
  const sent: ApiRequest[] = [];
  const client = clientOf(async (request) => {
    if (request.isNeeded?.() === false || request.signal?.aborted) return { ok: false, failure: cancelled };
    sent.push(request);
    return answer();
  });
  return { client, sent };
}

const accepted: ApiResult = { ok: true, status: 200, body: undefined };
const failing = (type: ApiFailure['type']): ApiResult => ({ ok: false, failure: { type, message: 'so it is' } });
const write: ApiRequest = { method: 'PATCH', path: '/a' };

async function attempt(isValid: boolean, request: ApiRequest, { lost = never, answer = accepted } = {}) {
  const { client, sent } = checking(() => answer);
  const guarded = leaderGate({ isValid: () => isValid, signal: lost }, client);
  return { answer: await guarded.call(request), sent: sent.length };
}

test('a leader’s request is sent unchanged, and so is the response', async () => {
  assert.deepEqual(await attempt(true, write), { answer: accepted, sent: 1 });
  const answer = failing('unavailable');
  assert.deepEqual(await attempt(true, write, { answer }), { answer, sent: 1 });
});

test('without leadership writes are refused with the reason, and reads are sent', async () => {
  const failure = { type: 'cancelled', message: 'this replica lost leadership' };
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    assert.deepEqual(await attempt(false, { ...write, method }), { answer: { ok: false, failure }, sent: 0 });
  }
  assert.deepEqual(await attempt(false, { ...write, method: 'GET' }), { answer: accepted, sent: 1 });
});

test('an unneeded request is not sent either, and lost leadership cancels requests in flight', async () => {
  const dropped = { answer: { ok: false, failure: cancelled }, sent: 0 };
  assert.deepEqual(await attempt(true, { ...write, isNeeded: () => false }), dropped);
  assert.deepEqual(await attempt(true, { ...write, signal: AbortSignal.abort() }), dropped);
  assert.deepEqual(await attempt(true, write, { lost: AbortSignal.abort() }), dropped);
});

test('if leadership is lost in flight, a response of the server is passed on, and a failure is not retried', async () => {
  for (const kind of ['conflict', 'notFound', 'unavailable', 'network'] as const) {
    let isValid = true;
    const { client } = checking(() => {
      isValid = false;
      return failing(kind);
    });
    const result = await leaderGate({ isValid: () => isValid, signal: never }, client).call(write);
    const isAnswer = kind === 'conflict' || kind === 'notFound';
    assert.equal(!result.ok && result.failure.type, isAnswer ? kind : 'cancelled');
  }
});

test('a cancelled deletion says whether leadership or its window was lost', async () => {
  const request: DeletionAttempt = {
    uid: 'u',
    namespace: 'shoot-1',
    name: 'kapi-0',
    resourceVersion: '7',
    policy: { barePods: 'keep', deletion: 'delete', gracePeriodSeconds: undefined },
    isRequested: () => true,
  };
  const refused = (reason: string): DeletionAnswer => ({ type: 'delete.failed', reason, failure: 'cancelled' });
  const deletionBy = (isValid: boolean) =>
    deleteThrough(leaderGate({ isValid: () => isValid, signal: never }, checking(() => accepted).client));
  assert.deepEqual(await deletionBy(true)(request, never), { type: 'delete.accepted' });
  assert.deepEqual(await deletionBy(false)(request, never), refused('this replica lost leadership'));
  const isRequested = () => false;
  assert.deepEqual(
    await deletionBy(true)({ ...request, isRequested }, never),
    refused('no window requests the deletion any longer'),
  );
});
