import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ResourceEvent, resource } from '../../machines/observer/resource.ts';
import { decide } from '../support/oracle/decisions.ts';

const observed: ResourceEvent = { type: 'observation.started' };

const running: readonly (readonly [effect: string, before: readonly ResourceEvent[]])[] = [
  ['check', [observed]],
  ['correct', [observed, { type: 'check.drifted' }]],
  ['create', [observed, { type: 'check.missing' }]],
];

const results: readonly (readonly [result: ResourceEvent['type'], state: string, report: string])[] = [
  ['effect.terminating', 'terminating', 'reportTerminating'],
  ['effect.claimed', 'claimed', 'reportClaimed'],
  ['effect.typeMissing', 'typeMissing', 'reportTypeMissing'],
  ['effect.rejected', 'refused', 'reportRejected'],
  ['effect.unverified', 'unverified', 'reportUnverified'],
  ['effect.failed', 'backingOff', 'reportFailed'],
];

for (const [type, state, report] of results) {
  test(`${type} ends every effect in the state ${state}, and is reported once`, () => {
    for (const [effect, before] of running) {
      const decided = decide(resource, {}, [...before, { type }]);
      assert.equal(decided.state, state, effect);
      assert.ok(decided.effects.includes(`stop ${effect}`), effect);
      assert.deepEqual(
        decided.effects.filter((each) => each.startsWith('report')),
        [report],
      );
    }
  });
}

test('the last lasting state is remembered with its reason, until another one is known', () => {
  const after = (...events: readonly ResourceEvent[]) => {
    const { state, reason } = decide(resource, { memory: { state: 'missing' } }, events).snapshot.context.memory;
    return `${state} ${reason}`;
  };
  const failed: ResourceEvent = { type: 'effect.failed', reason: 'No route.' };
  assert.equal(after(observed, failed, { type: 'observation.stopped' }, observed), 'backingOff No route.');
  assert.equal(after(observed, failed, { type: 'stream.resumed' }, { type: 'check.inSync' }), 'inSync ');
  assert.equal(after(observed, { type: 'check.drifted', paths: ['.a'] }), 'drifted ');
  const tried: ResourceEvent = { type: 'apply.tried', result: { type: 'effect.typeMissing', reason: 'No Crab.' } };
  assert.equal(after(tried), 'typeMissing No Crab.');
  assert.equal(after(observed, { ...failed, failure: 'cancelled' }), 'missing ');
  assert.equal(after({ type: 'check.inSync' }), 'missing ');
});

test('a manifest that is not applied yet is neither drifted nor missing', () => {
  for (const event of [{ type: 'check.drifted' }, { type: 'check.missing', paths: [] }] as const)
    assert.equal(decide(resource, {}, [observed, event]).snapshot.context.memory.state, 'pending');
});

test('a refused write is checked again, and not refused, if the last known good manifest is in force', () => {
  const decided = decide(resource, {}, [observed, { type: 'check.drifted' }, { type: 'write.fellBack' }]);
  assert.equal(decided.state, 'checking');
  assert.deepEqual(decided.snapshot.context.failures, 1);
  assert.ok(decided.effects.includes('reportRejected'));
});

test('an effect that throws counts as a failure, with the message of its error', () => {
  const type = 'xstate.error.actor.check';
  const decided = decide(resource, {}, [observed, { type, actorId: 'check', error: new Error('broken') }]);
  assert.equal(decided.state, 'backingOff');
  assert.deepEqual([decided.snapshot.context.reason, decided.snapshot.context.failure], ['broken', 'other']);
});

test('conflicts in a row are counted, also before the observation, until a write succeeds or nothing is to be done', () => {
  const conflict: ResourceEvent = { type: 'write.ended', hasConflicted: true };
  const count = (...events: readonly ResourceEvent[]) => decide(resource, {}, events).snapshot.context.conflicts;
  const twice: readonly ResourceEvent[] = [conflict, observed, { type: 'check.drifted' }, conflict];
  assert.equal(count(...twice), 2);
  assert.equal(count(...twice, { type: 'write.conflicted' }, { type: 'check.drifted' }, conflict), 3);
  assert.equal(count(...twice, { type: 'write.ended' }), 0);
  assert.equal(count(...twice, { type: 'write.conflicted' }, { type: 'check.inSync' }), 0);
  assert.equal(count(...twice, { type: 'effect.usingLastApplied' }), 0);
});

test('a correction outlives the observation, and its back-off is never longer than the event allows', () => {
  const corrected: readonly ResourceEvent[] = [
    observed,
    { type: 'write.ended', paths: ['.spec'], now: 1_000 },
    { type: 'observation.stopped' },
    observed,
  ];
  const drifted: ResourceEvent = { type: 'check.drifted', paths: ['.spec'], now: 1_500 };
  assert.deepEqual(decide(resource, {}, [...corrected, drifted]).effects.slice(-1), ['wait 1500']);
  assert.deepEqual(decide(resource, {}, [...corrected, { ...drifted, longestWait: 700 }]).effects.slice(-1), [
    'wait 700',
  ]);
  assert.equal(decide(resource, {}, [...corrected, { ...drifted, paths: [] }]).state, 'correcting');
});

test('what was applied outlives the observation, and a correction of the same manifest adds what admission mutates', () => {
  const memory = { appliedHash: 'before', appliedUid: 'uid-1' };
  const written = (event: object): ResourceEvent => ({ type: 'write.ended', ...event });
  const after = (...events: readonly ResourceEvent[]) =>
    decide(resource, { memory }, [observed, ...events, { type: 'observation.stopped' }]).snapshot.context.memory;
  assert.deepEqual([after().appliedHash, after().appliedUid], ['before', 'uid-1']);
  const applied = written({ hash: 'after', uid: 'uid-2' });
  const mutated = ['.b', '.a'].map((path) => written({ mutated: [path, '.a'] }));
  assert.deepEqual([after(applied).appliedHash, after(applied).appliedUid], ['after', 'uid-2']);
  assert.deepEqual(after(...mutated).mutatedByAdmission, ['.b', '.a']);
  assert.deepEqual([after(...mutated).appliedHash, after(...mutated).appliedUid], ['before', 'uid-1']);
  assert.deepEqual(after(...mutated, applied).mutatedByAdmission, []);
});
