import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkloadEvent } from '../../machines/restart/workload.ts';
import {
  changed,
  decided,
  event,
  stateAndEffects,
  timers,
  toPatching,
  toRolling,
  toVerifying,
} from '../support/objects/workloadEvents.ts';

const toStalled = [...toRolling, event.stalled] as const;
const toSuspended = [...toRolling, event.suspended] as const;
const stillStalled: WorkloadEvent = { type: 'assessed.stalled' };

test('an accepted restart is reported, and its rollout followed until the deadline', () => {
  assert.deepEqual(stateAndEffects(toRolling), {
    state: 'restarting.active.rolling',
    effects: ['reportRestarted', 'wait 600000', 'spawn followRollout'],
  });
  assert.ok(decided(toRolling, { progressDeadline: 30_000 }).effects.includes('wait 30000'));
});

test('a complete rollout is recorded, and its slot released', () => {
  const { state, effects, context } = decided([...toRolling, event.complete]);
  assert.deepEqual([state, effects, context.outcome], ['writingState', ['spawn writeState'], 'rolledOut']);
  assert.ok(decided([...toRolling, event.complete, event.written, event.isCurrent]).state === 'assessed.current');
});

test('a rollout that began earlier is followed, and not started again', () => {
  const { state, effects, context } = decided([event.isRolling]);
  assert.equal(state, 'restarting.active.rolling');
  assert.ok(!effects.includes('spawn restart') && !effects.includes('reportRestarted'));
  assert.equal(context.beginsAt, 'rolling');
  assert.equal(decided(toRolling).context.beginsAt, 'waiting');
});

test('an update during a rollout waits for its end, and is assessed then', () => {
  assert.deepEqual(stateAndEffects([...toRolling, event.workloadChanged]), {
    state: 'restarting.active.rolling',
    effects: [],
  });
  const after = [event.complete, event.written] as const;
  assert.equal(decided([...toRolling, event.workloadChanged, ...after]).state, 'assessing');
  assert.equal(decided([...toRolling, ...after]).state, 'assessing');
});

test('a stalled rollout is reported once with its reason, and followed without a slot', () => {
  const { state, effects, context } = decided(toStalled);
  assert.deepEqual([state, effects], ['restarting.stopped.stalled', ['reportStalled', 'spawn followRollout']]);
  assert.deepEqual(context.stopped, { type: 'stalled', reason: 'no progress' });
  assert.deepEqual(stateAndEffects([...toStalled, event.stalled]), { state, effects: [] });
  const late = decided([...toRolling, timers.deadline]);
  assert.equal(late.state, 'restarting.stopped.stalled');
  assert.equal(late.context.reason, 'not complete after 600 s');
  assert.ok(!decided([...toStalled, event.workloadChanged, stillStalled]).effects.includes('reportStalled'));
});

test('a stalled rollout does not delay a newer change, which may fix it', () => {
  for (const events of [
    [...toPatching, event.workloadChanged, event.accepted, event.stalled],
    [...toRolling, event.workloadChanged, event.stalled],
    [...toStalled, event.workloadChanged],
    [{ type: 'assessed.rolling', hasNewerChange: true }, event.stalled],
  ] as const) {
    assert.equal(decided(events).state, 'assessing');
    const withFix = [...events, changed(90_000), timers.quiet, event.granted, event.needed, event.accepted];
    assert.equal(decided(withFix).state, 'restarting.active.rolling');
    assert.equal(decided(withFix).context.stopped, undefined);
    assert.equal(decided([...withFix, event.complete]).context.stopped, undefined);
  }
});

test('a stalled rollout is not followed as if it had just begun, so that there is no loop', () => {
  const again = [event.workloadChanged, event.isRolling] as const;
  assert.equal(decided([...toStalled, ...again]).state, 'restarting.stopped.stalled');
  assert.equal(decided([...toStalled, ...again, ...again]).state, 'restarting.stopped.stalled');
  assert.equal(
    decided([...toStalled, event.workloadChanged, event.isCurrent, ...again]).state,
    'restarting.active.rolling',
  );
});

test('a stalled rollout that completes after all is recorded', () => {
  const { state, context } = decided([...toStalled, event.complete]);
  assert.deepEqual([state, context.outcome, context.stopped], ['writingState', 'rolledOut', undefined]);
});

test('a rollout that waits for users is reported, has no deadline and no slot', () => {
  assert.deepEqual(stateAndEffects(toSuspended), {
    state: 'restarting.stopped.suspended',
    effects: ['reportPending', 'spawn followRollout'],
  });
  assert.equal(decided([...toSuspended, event.complete]).context.outcome, 'rolledOut');
  assert.equal(decided([...toSuspended, event.stalled]).state, 'restarting.stopped.stalled');
});

test('a suspended rollout is recorded when it completes', () => {
  const resumed = [...toSuspended, event.workloadChanged, stillStalled] as const;
  assert.equal(decided(resumed).state, 'restarting.stopped.suspended');
  assert.equal(decided([...resumed, event.complete]).context.outcome, 'rolledOut');
});

test('a suspended rollout that cannot continue afterwards is reported as stalled', () => {
  const stuck = decided([...toSuspended, event.workloadChanged, stillStalled, event.stalled]);
  assert.deepEqual([stuck.state, stuck.effects], ['restarting.stopped.stalled', ['reportStalled']]);
  assert.deepEqual(stuck.context.stopped, { type: 'stalled', reason: 'no progress' });
});

test('a stopped rollout has the same reason when it is assessed again', () => {
  assert.equal(decided([...toStalled, event.workloadChanged, stillStalled]).context.reason, 'no progress');
  assert.equal(decided([...toSuspended, event.workloadChanged, stillStalled]).context.reason, 'OnDelete');
});

test('a newer change while a rollout is suspended restarts without a loop', () => {
  const again = [...toSuspended, event.workloadChanged] as const;
  assert.equal(decided(again).context.stopped?.type, 'suspended');
  const rolling: WorkloadEvent = { type: 'assessed.rolling', hasNewerChange: true };
  assert.equal(decided([...again, rolling, event.suspended]).state, 'restarting.stopped.suspended');
  assert.equal(decided([...again, changed(90_000), timers.quiet]).state, 'restarting.active.waiting');
});

test('an update while a rollout is suspended is assessed at once', () => {
  assert.equal(decided([...toSuspended, event.workloadChanged]).state, 'assessing');
  assert.equal(decided([...toRolling, event.workloadChanged, event.suspended]).state, 'assessing');
});

test('a reverted restart is reported after it was recorded, each time, and assessed again', () => {
  for (const rollout of [toRolling, toStalled, toSuspended]) {
    const { state, effects, context } = decided([...rollout, event.reverted]);
    assert.deepEqual([state, effects, context.outcome], ['writingState', ['spawn writeState'], 'reverted']);
    assert.deepEqual(decided([...rollout, event.reverted, event.conflicted]).effects, ['spawn assess']);
  }
  const taken = [...toRolling, event.reverted, event.written];
  for (const events of [taken, [...taken, ...taken]]) {
    assert.deepEqual(stateAndEffects(events), { state: 'assessing', effects: ['reportReverted', 'spawn assess'] });
  }
  assert.ok(!decided([...toRolling, event.complete, event.written]).effects.includes('reportReverted'));
});

test('an update during verification makes one restart of both, unless quietMax is over', () => {
  assert.equal(decided([...toVerifying, event.workloadChanged]).state, 'assessing');
  const changes = [0, 4_000, 8_000].map((now) => changed(now, now, 0, { quietMax: 8_000 }));
  const verifying = [...changes.flatMap((change) => [event.workloadChanged, change]).slice(1), event.granted];
  assert.equal(decided(verifying).state, 'restarting.active.verifying');
  const needed = decided([...verifying, event.workloadChanged, event.needed]);
  assert.equal(needed.state, 'restarting.active.patching');
  assert.equal(needed.context.isDirty, true);
  const blocked = { type: 'verified.blocked' } as const;
  assert.equal(decided([...verifying, blocked]).state, 'assessed.blocked');
  assert.equal(decided([...verifying, event.workloadChanged, blocked]).state, 'assessing');
});

test('an update while the restart is in flight does not stop it, and is assessed afterwards', () => {
  const patching = [...toPatching, event.workloadChanged];
  assert.deepEqual(stateAndEffects(patching), { state: 'restarting.active.patching', effects: [] });
  assert.equal(decided([...patching, event.conflicted]).state, 'assessing');
  assert.equal(decided([...patching, event.accepted, event.stalled]).state, 'assessing');
});

test('an update during an assessment does not stop it: another one follows', () => {
  const { effects } = decided([event.workloadChanged]);
  assert.deepEqual(effects, []);
  for (const answer of [event.isCurrent, changed(), event.isNew, { type: 'assessed.blocked' }, stillStalled] as const) {
    assert.equal(decided([event.workloadChanged, answer]).state, 'assessing', answer.type);
    assert.notEqual(decided([answer]).state, 'assessing', answer.type);
  }
  assert.equal(decided([event.workloadChanged, event.isRolling, event.stalled]).state, 'assessing');
});

test('a workload that changes constantly is restarted once quietMax is over', () => {
  const events = Array.from({ length: 15 }, (_, second) => [
    changed((second + 1) * 4_000, second * 4_000, 0),
    event.workloadChanged,
  ]);
  assert.equal(decided(events.flat().slice(0, -2)).state, 'assessing');
  assert.equal(decided([...events.flat(), changed(60_000, 60_000, 0)]).state, 'restarting.active.waiting');
});

test('a change after a quiet time has its own quiet period, however long the previous one waited', () => {
  const before = [changed(0), timers.quiet, event.workloadChanged] as const;
  assert.deepEqual(decided([...before, changed(600_000, 600_000)]).effects, ['reportChanged', 'wait 5000']);
  assert.equal(decided([...before, changed(600_000, 600_000)]).context.changedSince, 0);
  assert.deepEqual(decided([...before, changed(600_000, 0)]).effects, ['wait 0']);
});

test('another deadline applies to a restart that has not begun, and a late rollout is reported with it', () => {
  const config: WorkloadEvent = { type: 'config.changed', progressDeadline: 30_000 };
  const rolling = [changed(), timers.quiet, config, event.granted, event.needed, event.accepted] as const;
  assert.ok(decided(rolling).effects.includes('wait 30000'));
  assert.equal(decided([...rolling, timers.deadline]).context.reason, 'not complete after 30 s');
  assert.deepEqual(decided([...toRolling, config]).effects, []);
});

test('a deletion that a request of the restart finds removes the record', () => {
  for (const events of [toVerifying, toPatching, [...toRolling, { type: 'rollout.emptied' } as const]])
    assert.equal(decided([...events, event.deleted]).state, 'ended');
});

test('another deadline alone does not lead to an assessment', () => {
  const config: WorkloadEvent = { type: 'config.changed', progressDeadline: 30_000 };
  assert.equal(decided([event.isCurrent, config]).state, 'assessed.current');
  assert.equal(decided([config]).context.progressDeadline, 30_000);
  assert.equal(decided([{ type: 'config.changed' }]).context.progressDeadline, 600_000);
});
