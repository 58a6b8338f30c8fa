import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialTransition, transition } from 'xstate';
import { type ApplicationEvent, application } from '../../machines/observer/application.ts';
import { configMap, observerWorld, refusal } from '../support/world/observerWorld.ts';

/** The pauses after a number of attempts that end with this failure. */
function pauses(before: readonly ApplicationEvent[], failed: ApplicationEvent, count: number): readonly number[] {
  let [state] = initialTransition(application);
  return Array.from({ length: count }, () => {
    for (const event of [...before, failed]) [state] = transition(application, state, event);
    assert.equal(state.value, 'backingOff');
    const { retryIn } = state.context;
    [state] = transition(application, state, { type: 'application.changed' });
    [state] = transition(application, state, { type: 'requests.drained' });
    assert.equal(state.value, 'validating');
    return retryIn;
  });
}

test('an application that fails repeatedly is retried after growing pauses, whatever the failure', () => {
  const growing = [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 60_000];
  assert.deepEqual(pauses([], { type: 'spec.failed', jitter: 1 }, 10), growing);
  // A status that cannot be written: the spec is valid each time.
  assert.deepEqual(pauses([{ type: 'spec.valid' }], { type: 'apply.failed', jitter: 1 }, 10), growing);
});

test('the pauses start over after an application was applied', () => {
  let [state] = initialTransition(application);
  const failed = { type: 'apply.failed', jitter: 1 } as const;
  const again = [{ type: 'application.changed' }, { type: 'requests.drained' }, { type: 'spec.valid' }] as const;
  const events: readonly ApplicationEvent[] = [{ type: 'spec.valid' }, failed, ...again, failed, ...again];
  for (const event of events) [state] = transition(application, state, event);
  assert.equal(state.context.failures, 2);
  [state] = transition(application, state, { type: 'apply.done' });
  assert.deepEqual([state.value, state.context.failures], ['observing', 0]);
});

for (const [what, isTaken, longest] of [
  ['whose address another object still has is retried every ten seconds', true, 10_000],
  ['that is refused for another reason is retried after growing pauses', undefined, 300_000],
] as const)
  test(`a resource ${what}`, async () => {
    const world = await observerWorld();
    const causes = [{ reason: 'FieldValueInvalid', field: 'spec', message: 'provided IP is already allocated' }];
    const taken = { status: 422, details: { causes } };
    world.refusals.set('create ConfigMap/a', isTaken ? taken : refusal('transient'));
    world.apply('web', { manifests: [configMap('a')] });
    await world.pass(30 * 60_000);
    const tries = world.requests.filter(({ what }) => what === 'create').map(({ at }) => at);
    const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
    assert.ok(Math.max(...pauses) <= longest + 1_000, `${Math.max(...pauses)} ms`);
    assert.ok(Math.max(...pauses) > longest / 2, `${Math.max(...pauses)} ms`);
    world.refusals.clear();
    await world.pass(longest + 1_000);
    assert.notEqual(world.object('ConfigMap/a'), undefined);
    world.stop();
  });
