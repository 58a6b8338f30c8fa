import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { type AnyStateMachine, type EventObject, initialTransition, transition } from 'xstate';
import { machineFiles } from '../support/docs/sketch.ts';
import { effectsOf } from '../support/oracle/decisions.ts';

const { numRuns, seed } = propertyRuns(50);

/** A failure of the first request of a machine, and the timer after which the machine repeats the request. */
interface Retries {
  /** The events from the start of an attempt to the failure. */
  readonly toFailure: readonly string[];
  readonly timer: string;
  /** The longest delay, apart from one that the server requests. Milliseconds. */
  readonly longest: number;
}

/** The machines that repeat the retry arithmetic, because each machine file has to be whole. */
const retries: Readonly<Record<string, Retries>> = {
  podDeletion: {
    toFailure: ['slot.granted', 'delete.failed'],
    timer: 'xstate.after.retryDelay.podDeletion.backingOff',
    longest: 10_000,
  },
  podCreation: {
    toFailure: ['slot.granted', 'retry.failed'],
    timer: 'xstate.after.retryDelay.podCreation.backingOff',
    longest: 10_000,
  },
  workload: {
    toFailure: ['effect.failed'],
    timer: 'xstate.after.retryDelay.workload.backingOff',
    longest: 60_000,
  },
  recreation: {
    toFailure: ['job.failed'],
    timer: 'xstate.after.retryDelay.recreation.backingOff',
    longest: 60_000,
  },
  latePods: {
    toFailure: ['xstate.after.checkTime.latePods.waiting', 'effect.failed'],
    timer: 'xstate.after.retryDelay.latePods.backingOff',
    longest: 10_000,
  },
  application: {
    toFailure: ['requests.drained', 'spec.failed'],
    timer: 'xstate.after.retryDelay.application.backingOff',
    longest: 60_000,
  },
  resource: {
    toFailure: ['observation.started', 'effect.failed'],
    timer: 'xstate.after.retryDelay.resource.backingOff',
    longest: 300_000,
  },
};

/** The delays that a machine decides on after consecutive failures with these fields. */
function delaysOf(machine: AnyStateMachine, { toFailure, timer }: Retries, failures: readonly object[]): number[] {
  let [snapshot] = initialTransition(machine);
  return failures.map((failure) => {
    let effects: string[] = [];
    for (const type of toFailure) {
      const event: EventObject = { type, ...failure };
      const [next, actions] = transition(machine, snapshot, event);
      [snapshot, effects] = [next, effectsOf(actions)];
    }
    const [delay] = effects.flatMap((each) => /^wait (.+)$/.exec(each)?.[1] ?? []);
    [snapshot] = transition(machine, snapshot, { type: timer });
    return Number(delay);
  });
}

/** The delay doubles from 200 ms, minus a random half, and is never shorter than the server requested. */
function expectedDelay(before: number, { jitter = 1, retryAfter = 0 }: Fields, longest: number): number {
  return Math.max(retryAfter, Math.min(longest, 200 * 2 ** before) * (0.5 + 0.5 * jitter));
}

interface Fields {
  readonly jitter?: number;
  readonly retryAfter?: number;
}

const fields = fc.record(
  { jitter: fc.double({ min: 0, max: 1, noNaN: true }), retryAfter: fc.integer({ min: 0, max: 600_000 }) },
  { requiredKeys: [] },
);

for (const [name, entry] of Object.entries(retries)) {
  test(`${name} retries after the delay that all machines agree on, up to ${entry.longest / 1000} s`, () => {
    const machine = machineNamed(name);
    fc.assert(
      fc.property(fc.array(fields, { minLength: 1, maxLength: 20 }), (failures) => {
        const expected = failures.map((each, before) => expectedDelay(before, each, entry.longest));
        assert.deepEqual(delaysOf(machine, entry, failures), expected);
      }),
      { numRuns, seed },
    );
  });
}

test('every machine with a function of that name is compared', () => {
  const compared = machineFiles().filter(({ source }) => /^function retryDelay\b/m.test(source));
  assert.deepEqual(compared.map(({ name }) => name).toSorted(), Object.keys(retries).toSorted());
});

test('the timers of all machines are within what a timer can wait', () => {
  const limits = machineFiles().flatMap(({ source }) => /^const longestDelay = (.*);$/m.exec(source)?.[1] ?? []);
  assert.ok(limits.length > 3);
  assert.deepEqual([...new Set(limits)], ['2 ** 31 - 1']);
});

function machineNamed(name: string): AnyStateMachine {
  const [machine] = machineFiles().find((file) => file.name === name)?.machines ?? [];
  return machine ?? assert.fail(`there is no machine ${name}`);
}
