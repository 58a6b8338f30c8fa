import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type WindowEvent, window } from '../../machines/weeder/window.ts';
import { decide, type InternalEvent } from '../support/oracle/decisions.ts';

const open = 'running.watching.open';
const held = 'running.watching.held';

const crashLooping: WindowEvent = { type: 'pod.crashLooping', uid: 'a' };
const hold: WindowEvent = { type: 'window.hold' };
const outcomesKnown: WindowEvent = { type: 'outcomes.known' };
const configChanged = (remaining: number, whileNotReady: 'hold' | 'delete' = 'hold'): WindowEvent => ({
  type: 'config.changed',
  remaining,
  whileNotReady,
});
const timeIsOver: InternalEvent = { type: 'xstate.after.watchDuration.window.running' };
const podWatchBroke: InternalEvent = { type: 'xstate.error.actor.podWatch' };
const restart: InternalEvent = { type: 'xstate.after.restartDelay.window.running.backingOff' };

function decided(watchDuration: number, events: readonly (WindowEvent | InternalEvent)[]) {
  const { state, effects } = decide(window, { watchDuration }, events);
  return { state, effects };
}

test('the machine starts with the timer of the window and the watch of the pods', () => {
  assert.deepEqual(decided(120_000, []), { state: open, effects: ['wait 120000', 'spawn podWatch 120000'] });
});

test('a window longer than the maximum of a timer lasts for that maximum', () => {
  assert.equal(decided(2 ** 40, []).effects[0], `wait ${2 ** 31 - 1}`);
  assert.equal(decided(-5, []).effects[0], 'wait 0');
});

test('the deletion of each crash-looping pod is requested, and again for each newer version of the pod', () => {
  assert.deepEqual(decided(1000, [crashLooping]), { state: open, effects: ['requestDeletion'] });
  assert.deepEqual(decided(1000, [crashLooping, crashLooping]), { state: open, effects: ['requestDeletion'] });
});

test('while the window is held, requested deletions are withdrawn and no further ones are requested', () => {
  assert.deepEqual(decided(1000, [crashLooping, hold]), { state: held, effects: ['withdrawDeletions'] });
  assert.deepEqual(decided(1000, [hold, crashLooping]), { state: held, effects: [] });
  assert.deepEqual(decided(1000, [hold, hold]), { state: held, effects: [] });
});

test('the window closes when its time is over, it is replaced, or its service is removed, held or not', () => {
  for (const before of [[], [crashLooping], [hold]]) {
    for (const end of [timeIsOver, { type: 'window.close' }, { type: 'service.removed' }] as const) {
      assert.deepEqual(decided(1000, [...before, end]), {
        state: 'closing',
        effects: ['stop podWatch', 'withdrawDeletions', 'reportClosing'],
      });
    }
  }
});

test('a window that closes requests nothing, and is closed when the outcomes of its deletions are known', () => {
  for (const event of [crashLooping, hold, configChanged(500)])
    assert.deepEqual(decided(1000, [timeIsOver, event]), { state: 'closing', effects: [] });
  assert.deepEqual(decided(1000, [timeIsOver, outcomesKnown]), { state: 'closed', effects: ['reportClosed'] });
  assert.deepEqual(decided(1000, [outcomesKnown]), { state: open, effects: [] });
});

test('a new config restarts the timer and the watch of the pods, for the rest of the window', () => {
  assert.deepEqual(decided(1000, [configChanged(400)]), {
    state: open,
    effects: ['stop podWatch', 'withdrawDeletions', 'wait 400', 'spawn podWatch 400'],
  });
  assert.equal(decided(1000, [configChanged(0)]).state, 'closing');
});

test('a held window stays held when the config changes, unless the config says delete', () => {
  assert.equal(decided(1000, [hold, configChanged(400)]).state, held);
  assert.equal(decided(1000, [hold, configChanged(400, 'delete')]).state, open);
});

test('a failed pod watch is restarted after a second, and the window neither ends nor starts over', () => {
  const broken = decided(1000, [podWatchBroke]);
  assert.equal(broken.state, 'running.backingOff');
  assert.deepEqual(broken.effects, ['stop podWatch', 'reportPodWatchFailed', 'wait 1000']);
  assert.deepEqual(decided(1000, [podWatchBroke, restart]), { state: open, effects: ['spawn podWatch 1000'] });
  assert.equal(decided(1000, [podWatchBroke, timeIsOver]).state, 'closing');
});

test('a pod watch that is restarted while the window is held stays held', () => {
  assert.equal(decided(1000, [hold, podWatchBroke, restart]).state, held);
  assert.equal(decided(1000, [podWatchBroke, hold, restart]).state, held);
});
