import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkloadEvent } from '../../machines/restart/workload.ts';
import {
  changed,
  decided,
  stateAndEffects,
  timers,
  told,
  toPatching,
  toRolling,
  toVerifying,
} from '../support/objects/workloadEvents.ts';

const toStalled = [...toRolling, told.stalled] as const;
const toSuspended = [...toRolling, told.suspended] as const;
const stillStalled: WorkloadEvent = { type: 'assessed.stalled' };

test('an accepted restart is told, and its rollout followed until its deadline', () => {
  assert.deepEqual(stateAndEffects(toRolling), {
    state: 'restarting.rolling',
    effects: ['reportRestarted', 'wait 600000', 'spawn followRollout'],
  });
  assert.ok(decided(toRolling, { progressDeadline: 30_000 }).effects.includes('wait 30000'));
});

test('a complete rollout is written down, and its place given back', () => {
  const { state, effects, context } = decided([...toRolling, told.complete]);
  assert.deepEqual([state, effects, context.outcome], ['writingState', ['spawn writeState'], 'rolledOut']);
  assert.ok(decided([...toRolling, told.complete, told.written, told.isCurrent]).state === 'assessed.current');
});

test('a rollout that was begun before is followed, and not begun again', () => {
  const { state, effects, context } = decided([told.isRolling]);
  assert.equal(state, 'restarting.rolling');
  assert.ok(!effects.includes('spawn restart') && !effects.includes('reportRestarted'));
  assert.equal(context.isUnderWay, true);
  assert.equal(decided(toRolling).context.isUnderWay, false);
});

test('news during a rollout wait for its end, and are looked at then', () => {
  assert.deepEqual(stateAndEffects([...toRolling, told.facts]), { state: 'restarting.rolling', effects: [] });
  const after = [told.complete, told.written] as const;
  assert.equal(decided([...toRolling, told.facts, ...after]).state, 'assessing');
  assert.equal(decided([...toRolling, ...after]).state, 'assessing');
});

test('a rollout that stands still is told once, with its reason, and followed on without a place', () => {
  const { state, effects, context } = decided(toStalled);
  assert.deepEqual([state, effects], ['assessed.stopped.stalled', ['reportStalled', 'spawn followRollout']]);
  assert.deepEqual(context.standing, { is: 'stalled', reason: 'no progress' });
  const late = decided([...toRolling, timers.deadline]);
  assert.equal(late.state, 'assessed.stopped.stalled');
  assert.equal(late.context.reason, 'not complete after 600 s');
  assert.ok(!decided([...toStalled, told.facts, stillStalled]).effects.includes('reportStalled'));
});

test('a newer change is not kept waiting by a rollout that stands still: it may be the cure', () => {
  for (const news of [
    [...toPatching, told.facts, told.accepted, told.stalled],
    [...toRolling, told.facts, told.stalled],
    [...toStalled, told.facts],
    [{ type: 'assessed.rolling', hasNewerChange: true }, told.stalled],
  ] as const) {
    assert.equal(decided(news).state, 'assessing');
    const cure = [...news, changed(90_000), timers.quiet, told.granted, told.needed, told.accepted];
    assert.equal(decided(cure).state, 'restarting.rolling');
    assert.equal(decided(cure).context.standing, undefined);
  }
});

test('what has stalled is not followed anew as if it had just begun, so that nothing goes round in circles', () => {
  const again = [told.facts, told.isRolling] as const;
  assert.equal(decided([...toStalled, ...again]).state, 'assessed.stopped.stalled');
  assert.equal(decided([...toStalled, ...again, ...again]).state, 'assessed.stopped.stalled');
  assert.equal(decided([...toStalled, told.facts, told.isCurrent, ...again]).state, 'restarting.rolling');
});

test('a stalled rollout that comes to its end after all is written down', () => {
  const { state, context } = decided([...toStalled, told.complete]);
  assert.deepEqual([state, context.outcome, context.standing], ['writingState', 'rolledOut', undefined]);
});

test('a rollout that waits for people is told, has no deadline and holds no place', () => {
  assert.deepEqual(stateAndEffects(toSuspended), {
    state: 'assessed.stopped.suspended',
    effects: ['reportPending', 'spawn followRollout'],
  });
  assert.equal(decided([...toSuspended, told.complete]).context.outcome, 'rolledOut');
  assert.equal(decided([...toSuspended, told.stalled]).state, 'assessed.stopped.stalled');
});

test('one that waited for people is written down when they have done it', () => {
  const resumed = [...toSuspended, told.facts, stillStalled] as const;
  assert.equal(decided(resumed).state, 'assessed.stopped.suspended');
  assert.equal(decided([...resumed, told.complete]).context.outcome, 'rolledOut');
});

test('one that waited for people and cannot go on when they have done it is told as one that stands still', () => {
  const stuck = decided([...toSuspended, told.facts, stillStalled, told.stalled]);
  assert.deepEqual([stuck.state, stuck.effects], ['assessed.stopped.stalled', ['reportStalled']]);
  assert.deepEqual(stuck.context.standing, { is: 'stalled', reason: 'no progress' });
});

test('what stands still keeps its reason when it is looked at again', () => {
  assert.equal(decided([...toStalled, told.facts, stillStalled]).context.reason, 'no progress');
  assert.equal(decided([...toSuspended, told.facts, stillStalled]).context.reason, 'OnDelete');
});

test('a newer change while a rollout waits for people is asked for by what stands still, and does not go in circles', () => {
  const again = [...toSuspended, told.facts] as const;
  assert.equal(decided(again).context.standing?.is, 'suspended');
  const rolling: WorkloadEvent = { type: 'assessed.rolling', hasNewerChange: true };
  assert.equal(decided([...again, rolling, told.suspended]).state, 'assessed.stopped.suspended');
  assert.equal(decided([...again, changed(90_000), timers.quiet]).state, 'restarting.waiting');
});

test('news while a rollout waits for people are looked at at once', () => {
  assert.equal(decided([...toSuspended, told.facts]).state, 'assessing');
  assert.equal(decided([...toRolling, told.facts, told.suspended]).state, 'assessing');
});

test('a restart that somebody took back is told once it is written down, each time, and decided anew', () => {
  for (const rollout of [toRolling, toStalled, toSuspended]) {
    const { state, effects, context } = decided([...rollout, told.reverted]);
    assert.deepEqual([state, effects, context.outcome], ['writingState', ['spawn writeState'], 'reverted']);
    assert.deepEqual(decided([...rollout, told.reverted, told.notWritten]).effects, ['spawn assess']);
  }
  const taken = [...toRolling, told.reverted, told.written];
  for (const events of [taken, [...taken, ...taken]]) {
    assert.deepEqual(stateAndEffects(events), { state: 'assessing', effects: ['reportReverted', 'spawn assess'] });
  }
  assert.ok(!decided([...toRolling, told.complete, told.written]).effects.includes('reportReverted'));
});

test('news while the pods are looked at make one restart of both, unless it has been changing for too long', () => {
  assert.equal(decided([...toVerifying, told.facts]).state, 'assessing');
  const overdue = [changed(0), told.facts, changed(4_000), told.facts, changed(8_000)];
  const proving = [...overdue, told.granted];
  assert.equal(decided(proving, { quietMax: 8_000 }).state, 'restarting.verifying');
  const needed = decided([...proving, told.facts, told.needed], { quietMax: 8_000 });
  assert.equal(needed.state, 'restarting.patching');
  assert.equal(needed.context.isDirty, true);
});

test('news while the restart is on its way do not stop it, and are looked at in the end', () => {
  const patching = [...toPatching, told.facts];
  assert.deepEqual(stateAndEffects(patching), { state: 'restarting.patching', effects: [] });
  assert.equal(decided([...patching, told.conflicted]).state, 'assessing');
  assert.equal(decided([...patching, told.accepted, told.stalled]).state, 'assessing');
});

test('news during an assessment do not stop it: what it found is followed by another', () => {
  const { effects } = decided([told.facts]);
  assert.deepEqual(effects, []);
  for (const answer of [told.isCurrent, changed(), told.isNew, { type: 'assessed.blocked' }, stillStalled] as const) {
    assert.equal(decided([told.facts, answer]).state, 'assessing', answer.type);
    assert.notEqual(decided([answer]).state, 'assessing', answer.type);
  }
  assert.equal(decided([told.facts, told.isRolling, told.stalled]).state, 'assessing');
});

test('what changes all the time is restarted all the same once quietMax is over', () => {
  const events = Array.from({ length: 15 }, (_, second) => [changed((second + 1) * 4_000, second * 4_000), told.facts]);
  assert.equal(decided(events.flat().slice(0, -2)).state, 'assessing');
  assert.equal(decided([...events.flat(), changed(60_000, 60_000)]).state, 'restarting.waiting');
});

test('a change after a quiet time has its own quiet time, however long the one before has waited', () => {
  const before = [changed(0), timers.quiet, told.facts] as const;
  assert.deepEqual(decided([...before, changed(600_000, 600_000)]).effects, ['reportChanged', 'wait 5000']);
  assert.equal(decided([...before, changed(600_000, 600_000)]).context.changedSince, 0);
  assert.deepEqual(decided([...before, changed(600_000, 0)]).effects, ['wait 0']);
});

test('other settings count from the next assessment on', () => {
  const config: WorkloadEvent = { type: 'config.changed', quietPeriod: 1_000 };
  assert.deepEqual(decided([told.isCurrent, config]).state, 'assessed.current');
  assert.deepEqual(decided([config, changed()]).effects, ['reportChanged', 'wait 1000']);
  assert.equal(decided([config]).context.quietMax, 60_000);
});
