import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnyEventObject, createActor, fromCallback } from 'xstate';
import { type DependantsRef, dependants } from '../../machines/weeder/dependants.ts';
import { endpoint } from '../../machines/weeder/endpoint.ts';

const ignore = () => {};

/** One window of a service with two podSelectors. A child fails at a hold if its podSelector is `broken`. */
function openWindow(podSelectors: readonly string[]) {
  const closed: unknown[] = [];
  const failed: string[] = [];
  const child = dependants.provide({
    actors: {
      podWatch: fromCallback<AnyEventObject, DependantsRef>(ignore),
      pendingOutcomes: fromCallback<AnyEventObject, DependantsRef>(({ sendBack }) =>
        sendBack({ type: 'outcomes.known' }),
      ),
    },
    actions: {
      withdrawDeletions({ context: { podSelector } }) {
        if (podSelector === 'broken') throw new Error('a bug');
      },
    },
  });
  const logic = endpoint.provide({
    actors: { dependants: child },
    actions: {
      reportWindowOpened: ignore,
      reportNotReady: ignore,
      reportSkipped: ignore,
      reportDependantsFailed: ({ event }) => void failed.push('actorId' in event ? event.actorId : ''),
      reportWindowClosed: ({ context: { windows } }) =>
        void closed.push(...windows.map(({ deleted, skipped, failed }) => ({ deleted, skipped, failed }))),
    },
  });
  const actor = createActor(logic, { input: { podSelectors } }).start();
  actor.send({ type: 'endpoint.ready' });
  const [first, second] = Object.values(actor.getSnapshot().children);
  first?.send({ type: 'pod.deleted', uid: 'a' });
  first?.send({ type: 'deletion.failed', pod: 'shop/b' });
  second?.send({ type: 'pod.deleted', uid: 'a' });
  second?.send({ type: 'pod.deleted', uid: 'c' });
  second?.send({ type: 'pod.protected', uid: 'd', protection: 'ignored' });
  return { actor, closed, failed };
}

const outcomes = { deleted: ['a', 'c'], skipped: ['d'], failed: ['shop/b'] };

test('the outcomes of a child that fails count for its window, as those of the others do', () => {
  const { actor, closed, failed } = openWindow(['whole', 'broken']);
  actor.send({ type: 'endpoint.notReady' });
  assert.deepEqual([failed, closed], [['dependants-1-2'], []]);
  actor.send({ type: 'weeder.stopped' });
  assert.deepEqual(closed, [outcomes]);
  assert.equal(actor.getSnapshot().status, 'done');
});

test('a window whose only child fails closes with its outcomes', () => {
  const { actor, closed } = openWindow(['broken']);
  actor.send({ type: 'endpoint.notReady' });
  assert.deepEqual(closed, [{ deleted: ['a'], skipped: [], failed: ['shop/b'] }]);
  assert.ok(actor.getSnapshot().matches({ notReady: 'idle' }));
});

test('without a failure the window closes with the same outcomes', () => {
  const { actor, closed, failed } = openWindow(['one', 'other']);
  actor.send({ type: 'weeder.stopped' });
  assert.deepEqual([failed, closed], [[], [outcomes]]);
});
