import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DependantsEvent, dependants, withdrawalReasonOf } from '../../machines/weeder/dependants.ts';
import { decide, type InternalEvent } from '../support/oracle/decisions.ts';

/** The time of every decision, by the clock of the input. */
const now = 60_000;
const watching = 'open.timer.running + open.pods.watching';
const held = 'open.timer.running + open.pods.held';
const backingOff = 'open.timer.running + open.pods.backingOff';

const hold: DependantsEvent = { type: 'window.hold' };
const release: DependantsEvent = { type: 'window.release' };
const close: DependantsEvent = { type: 'window.close' };
const outcomesKnown: DependantsEvent = { type: 'outcomes.known' };
const configChanged = (remaining: number): DependantsEvent => ({ type: 'config.changed', closesAt: now + remaining });
const timeIsOver: InternalEvent = { type: 'xstate.after.watchDuration.dependants.open.timer.running' };
const podWatchBroke: InternalEvent = { type: 'xstate.error.actor.podWatch' };
const restart: InternalEvent = { type: 'xstate.after.restartDelay.dependants.open.pods.backingOff' };

function decided(remaining: number, events: readonly (DependantsEvent | InternalEvent)[]) {
  const { state, effects } = decide(dependants, { closesAt: now + remaining, now: () => now }, events);
  return { state, effects };
}

test('the machine starts with the timer of the window and the watch of the pods', () => {
  assert.deepEqual(decided(120_000, []), { state: watching, effects: ['wait 120000', 'spawn podWatch'] });
});

test('a window longer than the maximum of a timer lasts for that maximum', () => {
  assert.equal(decided(2 ** 40, []).effects[0], `wait ${2 ** 31 - 1}`);
  assert.equal(decided(-5, []).effects[0], 'wait 0');
});

test('while the service is down no pod is watched, and requested deletions are withdrawn', () => {
  assert.deepEqual(decided(1000, [hold]), { state: held, effects: ['stop podWatch', 'withdrawDeletions'] });
  assert.deepEqual(decided(1000, [hold, hold]), { state: held, effects: [] });
  assert.deepEqual(decided(1000, [hold, release]), { state: watching, effects: ['spawn podWatch'] });
  assert.deepEqual(decided(1000, [release]), { state: watching, effects: [] });
});

test('the child closes when its time is over or its parent says so, held or not', () => {
  for (const before of [[], [hold]]) {
    const stopped = before.length === 0 ? ['stop podWatch'] : [];
    assert.deepEqual(decided(1000, [...before, close]), {
      state: 'closing',
      effects: [...stopped, 'withdrawDeletions', 'spawn pendingOutcomes'],
    });
    assert.deepEqual(decided(1000, [...before, timeIsOver]), {
      state: 'closing',
      effects: [...stopped, 'send undefined window.expired', 'withdrawDeletions', 'spawn pendingOutcomes'],
    });
  }
});

test('the reason for which deletions are withdrawn', () => {
  assert.equal(withdrawalReasonOf(hold), 'held');
  assert.equal(withdrawalReasonOf(configChanged(0)), 'reconfigured');
  assert.equal(withdrawalReasonOf({ type: 'window.close', because: 'reconfigured' }), 'reconfigured');
  assert.equal(withdrawalReasonOf(close), 'over');
  assert.equal(withdrawalReasonOf(timeIsOver), 'over');
});

test('a child that closes requests nothing, and ends when the outcomes of its deletions are known', () => {
  for (const event of [hold, release, close, configChanged(500)])
    assert.deepEqual(decided(1000, [timeIsOver, event]), { state: 'closing', effects: [] });
  assert.equal(decided(1000, [timeIsOver, outcomesKnown]).state, 'closed');
  assert.deepEqual(decided(1000, [outcomesKnown]), { state: watching, effects: [] });
});

test('its output has the outcomes, each pod once, also those that become known after the end', () => {
  const deleted = (uid: string): DependantsEvent => ({ type: 'pod.deleted', uid });
  const skipped: DependantsEvent = { type: 'pod.protected', uid: 'c', protection: 'barePod' };
  const failed: DependantsEvent = { type: 'deletion.failed', pod: 'shop/d' };
  const retried: DependantsEvent = { type: 'creation.retried', uid: 'e' };
  const early = [deleted('a'), deleted('a'), skipped, skipped, retried, retried];
  const events = [...early, timeIsOver, deleted('b'), failed, outcomesKnown];
  const { output } = decide(dependants, { closesAt: now, now: () => now }, events).snapshot;
  assert.deepEqual(output, { deleted: ['a', 'b'], retried: ['e'], skipped: ['c'], failed: ['shop/d'] });
});

test('a pod that is never deleted is announced to the parent once', () => {
  const skipped: DependantsEvent = { type: 'pod.protected', uid: 'c', protection: 'barePod' };
  assert.deepEqual(decided(1000, [skipped]).effects, ['send undefined pod.skipped']);
  assert.deepEqual(decided(1000, [skipped, skipped]).effects, []);
});

test('a new config restarts the timer for the rest of the window, and the watch of the pods continues', () => {
  assert.deepEqual(decided(1000, [configChanged(400)]), {
    state: watching,
    effects: ['reconfigurePodWatch', 'wait 400'],
  });
  assert.deepEqual(decided(1000, [hold, configChanged(400)]), { state: held, effects: ['wait 400'] });
  assert.equal(decided(1000, [configChanged(0)]).state, 'closing');
});

test('a failed pod watch is restarted after a second, and the window neither ends nor starts over', () => {
  const broken = decided(1000, [podWatchBroke]);
  assert.equal(broken.state, backingOff);
  assert.deepEqual(broken.effects, ['stop podWatch', 'reportPodWatchFailed', 'wait 1000']);
  assert.deepEqual(decided(1000, [podWatchBroke, restart]), { state: watching, effects: ['spawn podWatch'] });
  assert.equal(decided(1000, [podWatchBroke, timeIsOver]).state, 'closing');
  assert.equal(decided(1000, [podWatchBroke, hold]).state, held);
});
