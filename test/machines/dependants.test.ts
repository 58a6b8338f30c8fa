import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DependantsEvent, dependants } from '../../machines/weeder/dependants.ts';
import { decide, type InternalEvent } from '../support/oracle/decisions.ts';

const released = 'watching.timer.running + watching.pods.watching + watching.deletions.released';
const held = 'watching.timer.running + watching.pods.watching + watching.deletions.held';

const crashLooping: DependantsEvent = { type: 'pod.crashLooping', uid: 'a' };
const hold: DependantsEvent = { type: 'window.hold' };
const timeIsOver: InternalEvent = { type: 'xstate.after.watchDuration.dependants.watching.timer.running' };
const podWatchBroke: InternalEvent = { type: 'xstate.error.actor.podWatch' };
const restart: InternalEvent = { type: 'xstate.after.restartDelay.dependants.watching.pods.backingOff' };

function decided(watchDuration: number, events: readonly (DependantsEvent | InternalEvent)[]) {
  const { state, effects } = decide(dependants, { watchDuration }, events);
  return { state, effects };
}

test('the machine starts with the timer of the window and the watch of the pods', () => {
  assert.deepEqual(decided(120_000, []), { state: released, effects: ['wait 120000', 'spawn podWatch 120000'] });
});

test('a window longer than the maximum of a timer lasts for that maximum', () => {
  assert.equal(decided(2 ** 40, []).effects[0], `wait ${2 ** 31 - 1}`);
  assert.equal(decided(-5, []).effects[0], 'wait 0');
});

test('the deletion of each crash-looping pod is requested, and again for each newer version of the pod', () => {
  assert.deepEqual(decided(1000, [crashLooping]), { state: released, effects: ['requestDeletion'] });
  assert.deepEqual(decided(1000, [crashLooping, crashLooping]), { state: released, effects: ['requestDeletion'] });
});

test('while the window is held, requested deletions are withdrawn and no further ones are requested', () => {
  assert.deepEqual(decided(1000, [crashLooping, hold]), { state: held, effects: ['withdrawDeletions'] });
  assert.deepEqual(decided(1000, [hold, crashLooping]), { state: held, effects: [] });
  assert.deepEqual(decided(1000, [hold, hold]), { state: held, effects: [] });
});

test('the machine ends when the time is over, whether the window is held or not', () => {
  for (const events of [[], [crashLooping], [hold]]) {
    const { state, effects } = decided(1000, [...events, timeIsOver]);
    assert.equal(state, 'expired');
    assert.deepEqual(effects, ['stop podWatch']);
  }
});

test('a failed pod watch is restarted after a second, and the window neither ends nor starts over', () => {
  const broken = decided(1000, [podWatchBroke]);
  assert.equal(broken.state, released.replace('pods.watching', 'pods.backingOff'));
  assert.deepEqual(broken.effects, ['stop podWatch', 'reportPodWatchFailed', 'wait 1000']);
  assert.deepEqual(decided(1000, [podWatchBroke, restart]), { state: released, effects: ['spawn podWatch 1000'] });
  assert.equal(decided(1000, [podWatchBroke, timeIsOver]).state, 'expired');
});

test('a pod watch that is restarted while the window is held stays held', () => {
  assert.equal(decided(1000, [hold, podWatchBroke, restart]).state, held);
});
