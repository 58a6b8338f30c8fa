import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkloadEvent } from '../../machines/restart/workload.ts';
import {
  changed,
  decided,
  event,
  type RestartMachineEvent,
  stateAndEffects,
  timers,
  toPatching,
  toVerifying,
} from '../support/objects/workloadEvents.ts';

const failed = (retryAfter = 0): WorkloadEvent => ({
  type: 'effect.failed',
  jitter: 1,
  retryAfter,
});
const missing = { cause: 'sourceMissing', reason: 'configmap/shop/a is missing' };
const blocked: WorkloadEvent = { type: 'assessed.blocked', ...missing };

test('the machine starts with an assessment', () => {
  assert.deepEqual(stateAndEffects([]), { state: 'assessing', effects: ['spawn assess'] });
});

test('an unknown workload is adopted when it has a slot, and not restarted', () => {
  assert.deepEqual(stateAndEffects([event.isNew]), { state: 'assessed.adopting', effects: ['spawn adoptionSlot'] });
  const recording = decided([event.isNew, event.granted]);
  assert.deepEqual([recording.state, recording.effects], ['writingState', ['spawn writeState']]);
  assert.equal(recording.context.outcome, 'adopted');
  assert.deepEqual(stateAndEffects([event.isNew, event.granted, event.written]), {
    state: 'assessing',
    effects: ['reportWritten', 'spawn assess'],
  });
});

test('an unconfirmed content is recorded at once, and assessed again', () => {
  const recording = decided([event.isUnconfirmed]);
  assert.deepEqual([recording.state, recording.effects], ['writingState', ['spawn writeState']]);
  assert.equal(recording.context.outcome, 'unconfirmed');
  assert.deepEqual(stateAndEffects([event.isUnconfirmed, event.written]), {
    state: 'assessing',
    effects: ['reportWritten', 'spawn assess'],
  });
});

test('a current workload stays as it is, and is assessed again when something changes', () => {
  assert.deepEqual(stateAndEffects([event.isCurrent]), { state: 'assessed.current', effects: ['reportCurrent'] });
  assert.deepEqual(stateAndEffects([event.isCurrent, event.workloadChanged]), {
    state: 'assessing',
    effects: ['spawn assess'],
  });
});

test('a change is reported, and waits for the quiet period', () => {
  assert.deepEqual(stateAndEffects([changed(10_000, 8_000)]), {
    state: 'assessed.stale',
    effects: ['reportChanged', 'wait 3000'],
  });
  assert.deepEqual(stateAndEffects([changed(), timers.quiet]), {
    state: 'restarting.active.waiting',
    effects: ['spawn restartSlot'],
  });
});

test('a reported change is not reported again, a newer one is', () => {
  assert.deepEqual(decided([changed(0, 0), event.workloadChanged, changed(1_000, 0)]).effects, ['wait 4000']);
  assert.deepEqual(decided([changed(0, 0), event.workloadChanged, changed(1_000, 1_000)]).effects, [
    'reportChanged',
    'wait 5000',
  ]);
});

test('a change that is reverted restarts nothing', () => {
  for (const pending of [[changed()], [changed(), timers.quiet], toVerifying]) {
    const { state, effects } = stateAndEffects([...pending, event.workloadChanged, event.isCurrent]);
    assert.deepEqual({ state, effects }, { state: 'assessed.current', effects: ['reportCurrent'] });
  }
});

test('the cause of waiting is known and reported; with a slot, the pods are verified before anything is written', () => {
  const waits: RestartMachineEvent = { type: 'slot.pending', cause: 'interval', reason: 'its interval' };
  const waiting = decided([changed(), timers.quiet, waits]);
  assert.deepEqual([waiting.state, waiting.effects], ['restarting.active.waiting', ['reportPending']]);
  assert.deepEqual([waiting.context.cause, waiting.context.reason], ['interval', 'its interval']);
  const verifying = decided([changed(), timers.quiet, waits, event.granted]);
  assert.deepEqual(
    [verifying.state, verifying.effects, verifying.context.reason],
    ['restarting.active.verifying', ['spawn verifyPods'], ''],
  );
  assert.deepEqual(stateAndEffects(toPatching), { state: 'restarting.active.patching', effects: ['spawn restart'] });
});

test('if no container has old content that is recorded, and nothing is restarted', () => {
  const { state, effects, context } = decided([...toVerifying, event.notNeeded]);
  assert.deepEqual([state, effects, context.outcome], ['writingState', ['spawn writeState'], 'skipped']);
});

test('a workload that must not be restarted is blocked with the cause, wherever that is found', () => {
  for (const events of [
    [blocked],
    [changed(), timers.quiet, { type: 'slot.blocked', ...missing } as const],
    [...toVerifying, { type: 'verified.blocked', ...missing } as const],
  ]) {
    const { state, effects, context } = decided(events);
    assert.equal(state, 'assessed.blocked');
    assert.ok(effects.includes('reportBlocked'));
    assert.deepEqual({ cause: context.cause, reason: context.reason }, missing);
  }
});

test('a block ends after a time only if it has one, and always when something changes', () => {
  const blockedForASecond: WorkloadEvent = { type: 'assessed.blocked', reason: 'paused', blockedFor: 1_000 };
  assert.deepEqual(decided([blockedForASecond]).effects, ['reportBlocked', 'wait 1000']);
  assert.equal(decided([blockedForASecond, timers.blockEnd]).state, 'assessing');
  assert.equal(decided([blocked, timers.blockEnd]).state, 'assessed.blocked');
  assert.equal(decided([blocked, event.workloadChanged]).state, 'assessing');
  assert.deepEqual(decided([{ ...blockedForASecond, blockedFor: 0 }]).effects, ['reportBlocked', 'wait 200']);
});

test('a block that may pass soon is reported only when it has lasted for this time', () => {
  const blockedWithReport: WorkloadEvent = { ...blocked, reportIn: 1_000 };
  const { state, effects } = decided([blockedWithReport]);
  assert.deepEqual([state, effects], ['assessed.missing', ['wait 1000']]);
  const later = decided([blockedWithReport, { type: 'xstate.after.patience.workload.assessed.missing' }]);
  assert.equal(later.state, 'assessed.blocked');
  assert.ok(later.effects.includes('reportBlocked'));
  assert.equal(decided([blockedWithReport, event.workloadChanged]).state, 'assessing');
});

test('a workload that is no longer managed loses its state, and its record is removed', () => {
  const releasing = decided([event.isUnmanaged]);
  assert.deepEqual(
    [releasing.state, releasing.effects, releasing.context.outcome],
    ['releasing', ['spawn writeState'], 'released'],
  );
  assert.deepEqual(stateAndEffects([event.isUnmanaged, event.written]), { state: 'ended', effects: ['reportWritten'] });
});

test('a workload that is managed again while it is released is assessed, whatever the response', () => {
  for (const answer of [event.written, event.conflicted]) {
    assert.equal(decided([event.isUnmanaged, event.workloadChanged, answer]).state, 'assessing');
  }
  assert.equal(decided([event.isUnmanaged, event.workloadChanged]).state, 'releasing');
});

test('the record of a deleted workload is removed from every state', () => {
  for (const events of [
    [],
    [event.isNew],
    [event.isCurrent],
    toVerifying,
    toPatching,
    [blocked],
    [event.isUnmanaged],
  ]) {
    assert.equal(decided([...events, event.deleted]).state, 'ended');
  }
});

test('a failure is reported, and followed by a pause that doubles from 200 ms to a minute', () => {
  const pauses = Array.from({ length: 11 }, (_, times) => {
    const before = Array.from({ length: times }, () => [failed(), timers.retry]).flat();
    const { state, effects } = decided([...before, failed()]);
    assert.equal(state, 'backingOff');
    assert.equal(effects[0], 'reportFailed');
    return effects[1];
  });
  const expected = [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000];
  assert.deepEqual(
    pauses,
    expected.map((ms) => `wait ${ms}`),
  );
});

test('the pause is at least Retry-After, and a success resets it', () => {
  assert.deepEqual(decided([failed(7_000)]).effects, ['reportFailed', 'wait 7000']);
  const row = [failed(), timers.retry, failed(), timers.retry];
  assert.equal(decided([...row, failed()]).effects[1], 'wait 800');
  for (const good of [
    [event.isCurrent, event.workloadChanged],
    [blocked, event.workloadChanged],
    [event.isNew, event.granted, event.written],
  ]) {
    assert.equal(decided([...row, ...good, failed()]).effects[1], 'wait 200');
  }
});

test('after a failure and its pause the workload is assessed again', () => {
  for (const events of [
    [...toVerifying, failed()],
    [...toPatching, failed()],
    [event.isNew, event.granted, failed()],
    [event.isUnmanaged, failed()],
  ]) {
    assert.equal(decided(events).state, 'backingOff');
    assert.deepEqual(stateAndEffects([...events, timers.retry]), { state: 'assessing', effects: ['spawn assess'] });
  }
});

test('an effect that throws counts as a failure', () => {
  const broken = [
    ['assess', []],
    ['adoptionSlot', [event.isNew]],
    ['restartSlot', [changed(), timers.quiet]],
    ['verifyPods', toVerifying],
    ['restart', toPatching],
    ['writeState', [event.isUnmanaged]],
  ] as const;
  for (const [actor, events] of broken) {
    const { state, effects } = stateAndEffects([...events, { type: `xstate.error.actor.${actor}`, actorId: actor }]);
    assert.deepEqual([state, effects], ['backingOff', ['reportFailed', 'wait 200']], actor);
  }
});

test('after a conflict the workload is assessed again at once, after the third in a row with a pause', () => {
  const again = [event.conflicted, ...toPatching];
  assert.deepEqual(stateAndEffects([...toPatching, event.conflicted]), {
    state: 'assessing',
    effects: ['spawn assess'],
  });
  assert.equal(decided([...toPatching, ...again, event.conflicted]).state, 'assessing');
  const third = stateAndEffects([...toPatching, ...again, ...again, event.conflicted]);
  assert.deepEqual(third, { state: 'backingOff', effects: ['wait 200'] });
  const between = [event.conflicted, event.isCurrent, event.workloadChanged, ...toPatching];
  assert.equal(decided([...toPatching, ...again, ...between, event.conflicted]).state, 'assessing');
});
