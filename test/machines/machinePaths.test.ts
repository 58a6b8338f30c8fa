import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnyStateMachine, transition } from 'xstate';
import { machineFiles } from '../support/docs/sketch.ts';
import { effectsOf } from '../support/oracle/decisions.ts';
import { activeStates, statesOf } from '../support/oracle/exploration.ts';
import { explorations, pathsOf } from '../support/oracle/machineExplorations.ts';

for (const { name, machines } of machineFiles()) {
  const exploration = explorations[name];

  test(`every state of ${name} is reached by a path`, () => {
    assert.ok(exploration !== undefined, `say here with which events ${name} is explored`);
    const machine = machines[0] ?? assert.fail(`${name} gives no machine`);
    const reached = new Set<string>();
    for (const path of pathsOf(machine, exploration)) {
      for (const { state } of [...path.steps, path]) for (const id of activeStates(state)) reached.add(id);
    }
    const missing = statesOf(machine).filter((node) => !reached.has(node.id) && !isTransient(node));
    assert.deepEqual(
      missing.map((node) => node.id),
      [],
    );
  });
}

/** The only events that lead to an effect, in any state. */
const causes: readonly { readonly machine: string; readonly effect: RegExp; readonly events: readonly string[] }[] = [
  { machine: 'podDeletion', effect: /^spawn deletePod$/, events: ['slot.granted'] },
  { machine: 'podDeletion', effect: /^reportDeleted$/, events: ['delete.accepted'] },
  { machine: 'podDeletion', effect: /^reportFailed$/, events: ['delete.failed'] },
  { machine: 'podCreation', effect: /^spawn retryOwner$/, events: ['slot.granted'] },
  { machine: 'podCreation', effect: /^reportRetried$/, events: ['retry.accepted'] },
  { machine: 'podCreation', effect: /^spawn awaitPod$/, events: ['retry.accepted'] },
  { machine: 'rollout', effect: /^spawn restart$/, events: ['verified.outdated'] },
  { machine: 'rollout', effect: /^spawn verifyPods$/, events: ['slot.granted'] },
  { machine: 'workload', effect: /^spawn adoptionSlot$/, events: ['assessed.new'] },
  { machine: 'rollout', effect: /^reportRestarted$/, events: ['restart.accepted'] },
  { machine: 'rollout', effect: /^spawn restore$/, events: ['rollout.emptied'] },
  { machine: 'recreation', effect: /^spawn createJob$/, events: ['xstate.after.nodeCleanup.recreation.coolingDown'] },
  { machine: 'latePods', effect: /^spawn evictionSlot$/, events: ['pods.due'] },
  { machine: 'latePods', effect: /^spawn evictPods$/, events: ['slot.granted'] },
  {
    machine: 'rollout',
    effect: /^reportStalled$/,
    events: ['rollout.stalled', 'xstate.after.progressDeadline.rollout.active.rolling'],
  },
  { machine: 'application', effect: /^spawn observer$/, events: ['apply.done'] },
  { machine: 'application', effect: /^spawn applyResources$/, events: ['spec.valid'] },
  {
    machine: 'application',
    effect: /^spawn deleteResources$/,
    events: [
      'application.changed',
      'deletion.pending',
      'deletion.failed',
      'spec.terminating',
      'xstate.after.retryDelay.application.deleting.waiting',
    ],
  },
  {
    machine: 'resource',
    effect: /^spawn correct$/,
    events: ['check.drifted', 'xstate.after.correctionBackoff.resource.drifted.waiting'],
  },
  {
    machine: 'resource',
    effect: /^spawn create$/,
    events: ['check.missing', 'xstate.after.correctionBackoff.resource.missing.waiting'],
  },
  {
    machine: 'endpoint',
    effect: /^spawn dependants-/,
    events: ['dependant.recovered', 'endpoint.ready', 'recovery.timeKnown', 'recovery.timeUnknown'],
  },
  { machine: 'endpoint', effect: / window\.hold$/, events: ['config.changed', 'endpoint.notReady'] },
  { machine: 'endpoint', effect: / window\.release$/, events: ['config.changed'] },
  { machine: 'endpoint', effect: / config\.changed$/, events: ['config.changed'] },
  { machine: 'endpoint', effect: / window\.close$/, events: ['service.removed', 'weeder.stopped'] },
  { machine: 'endpoint', effect: /^reportWindowClosed$/, events: ['xstate.done.actor.dependants-1-1'] },
  {
    machine: 'endpoint',
    effect: /^spawn readySince$/,
    events: ['endpoint.foundReady', 'window.expired', 'xstate.done.actor.dependants-1-1'],
  },
  {
    machine: 'dependants',
    effect: /^withdrawDeletions$/,
    events: [
      'config.changed',
      'window.close',
      'window.hold',
      'xstate.after.watchDuration.dependants.open.timer.running',
    ],
  },
  {
    machine: 'dependants',
    effect: /^spawn podWatch$/,
    events: ['window.release', 'xstate.after.restartDelay.dependants.open.pods.backingOff'],
  },
];

for (const { machine: name, effect, events } of causes) {
  test(`in every state of ${name}, only ${events.join(', ')} leads to ${effect.source}`, () => {
    const machine = machineNamed(name);
    const exploration = explorations[name];
    assert.ok(exploration !== undefined);
    const eventTypes = pathsOf(machine, exploration).flatMap(({ state }) =>
      exploration.events
        .filter(() => state.status === 'active')
        .filter((event) => exploration.isPossible?.(state, event) ?? state.can(event))
        .filter((event) => effectsOf(transition(machine, state, event)[1]).some((each) => effect.test(each)))
        .map((event) => event.type),
    );
    assert.deepEqual([...new Set(eventTypes)].sort(), [...events].sort());
  });
}

test('without its events a machine does not leave its first states', () => {
  const machine = machineNamed('podDeletion');
  const reached = pathsOf(machine, { events: [] }).flatMap((path) => activeStates(path.state));
  assert.ok(reached.includes('podDeletion.attempting.queued'));
  assert.ok(!reached.includes('podDeletion.deleted'));
});

function machineNamed(name: string): AnyStateMachine {
  const [machine] = machineFiles().find((file) => file.name === name)?.machines ?? [];
  return machine ?? assert.fail(`there is no machine ${name}`);
}

/** It is left before it can be observed: an `always` without a guard. */
function isTransient(node: ReturnType<typeof statesOf>[number]): boolean {
  return (node.always ?? []).some((each) => each.guard === undefined);
}
