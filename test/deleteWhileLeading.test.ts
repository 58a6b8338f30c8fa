import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeletionAnswer, DeletionRequest } from '../src/weeder/deletePod.ts';
import { deleteWhileLeading } from '../src/weeder/deleteWhileLeading.ts';

const request: DeletionRequest = {
  uid: 'u',
  namespace: 'shoot-1',
  name: 'kapi-0',
  resourceVersion: '7',
  policy: { barePods: 'keep', deletion: 'delete', gracePeriodSeconds: undefined },
  isWanted: () => true,
};
const never = new AbortController().signal;
const refused: DeletionAnswer = { type: 'delete.refused', reason: 'no window wants it any more' };

/** What the API's client would do with it: ask whether it is wanted, and send it. */
async function attempt(isValid: boolean, given: Partial<DeletionRequest> = {}, lost = never) {
  const sent: string[] = [];
  const deletePod = deleteWhileLeading({ isValid: () => isValid, signal: lost }, async (each, signal) => {
    if (!each.isWanted() || signal.aborted) return refused;
    sent.push(each.name);
    return { type: 'delete.accepted' };
  });
  return { answer: await deletePod({ ...request, ...given }, never), sent };
}

test('a leader’s deletion is sent as it is', async () => {
  assert.deepEqual(await attempt(true), { answer: { type: 'delete.accepted' }, sent: ['kapi-0'] });
});

test('who may not act sends nothing, and says why', async () => {
  const answer = { type: 'delete.refused', reason: 'this replica does not lead any more', failure: 'cancelled' };
  assert.deepEqual(await attempt(false), { answer, sent: [] });
});

test('what no window wants is not sent either, and a loss drops what is on its way', async () => {
  assert.deepEqual(await attempt(true, { isWanted: () => false }), { answer: refused, sent: [] });
  assert.deepEqual(await attempt(true, {}, AbortSignal.abort()), { answer: refused, sent: [] });
});
