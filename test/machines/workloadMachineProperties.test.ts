import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMeets, propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import type { EventObject } from 'xstate';
import { explorations } from '../support/oracle/machineExplorations.ts';
import {
  beginRestartMachines,
  isPossible,
  type RestartMachines,
  stepRestartMachines,
} from '../support/oracle/restartMachines.ts';
import { workloadWorld } from '../support/world/workloadWorld.ts';

const own: readonly EventObject[] = explorations['workload']?.events ?? [];
const ofRollout: readonly EventObject[] = explorations['rollout']?.events ?? [];
const events = [
  ...own.filter(({ type }) => type !== 'xstate.done.actor.rollout'),
  ...ofRollout.filter(({ type }) => !own.some((each) => each.type === type)),
];

/** Successful responses of effects, each of which leads to the next assessment. */
const goodAnswers: readonly EventObject[] = [
  { type: 'verified.current' },
  { type: 'restart.accepted' },
  { type: 'restore.done' },
  { type: 'rollout.complete' },
  { type: 'state.written' },
  { type: 'xstate.after.retryDelay.workload.backingOff' },
  { type: 'assessed.current' },
];

/** The result of a sequence of events so far. */
interface Walk {
  machines: RestartMachines;
  event: string;
  effects: readonly string[];
  /** Restarts since the last slot was granted. */
  inTurn: number;
  /** Something has changed, and no assessment has begun since. */
  isDirty: boolean;
  /** Whether a change was found since the last adoption. */
  hasChanged: boolean;
}

function begin(): Walk {
  const machines = beginRestartMachines();
  return { machines, event: 'start', effects: machines.effects, inTurn: 0, isDirty: false, hasChanged: false };
}

function step(walk: Walk, event: EventObject): void {
  walk.machines = stepRestartMachines(walk.machines, event);
  const { workload: snapshot, rollout, effects } = walk.machines;
  walk.event = event.type;
  walk.effects = effects;
  if (event.type === 'slot.granted' && rollout?.matches({ active: 'verifying' }) === true) walk.inTurn = 0;
  if (event.type === 'assessed.changed') walk.hasChanged = true;
  if (event.type === 'assessed.new') walk.hasChanged = false;
  if (event.type === 'workload.changed') walk.isDirty = true;
  if (effects.includes('spawn assess') || snapshot.status === 'done') walk.isDirty = false;
  if (effects.includes('spawn restart')) walk.inTurn += 1;
}

const rare = /^(workload\.deleted|assessed\.unmanaged|slot\.pending|(slot|verified)\.blocked|effect\..*)$/;

/** The events on the way to a restart. */
const towardsRestart = /^(assessed\.changed|xstate\.after\.quietTime\..*|slot\.granted|verified\.outdated)$/;

/** One of the possible events: often one that leads to a restart, and rarely one that prevents it in many states. */
function nextOf({ machines }: Walk, choice: number): EventObject | undefined {
  const leading = events.find((event) => towardsRestart.test(event.type) && isPossible(machines, event));
  if (leading !== undefined && choice % 4 === 0) return leading;
  const isRare = choice > 900;
  const possible = events.filter((event) => isPossible(machines, event) && (isRare || !rare.test(event.type)));
  return possible[choice % Math.max(1, possible.length)];
}

/** Whether an assessment eventually begins if the effects respond successfully. */
function isAssessed(walk: Walk): boolean {
  for (const answer of [...goodAnswers, ...goodAnswers])
    if (walk.isDirty && isPossible(walk.machines, answer)) step(walk, answer);
  return !walk.isDirty;
}

/** The violated rule after this step; undefined if there is none. */
function violationIn({ machines, event, effects, inTurn, isDirty, hasChanged }: Walk): string | undefined {
  const { workload: snapshot, rollout } = machines;
  if (snapshot.status === 'error') return `it failed: ${String(snapshot.error)}`;
  if (effects.includes('spawn restart') && event !== 'verified.outdated') return 'restarted without verification';
  if (effects.includes('spawn restart') && !hasChanged) return 'an adoption led to a restart';
  if (inTurn > 1) return 'two restarts with one slot';
  const isIdle = [{ active: 'waiting' }, 'stopped'].some((state) => rollout?.matches(state) === true);
  if (isDirty && (snapshot.matches('assessed') || isIdle)) return 'it is idle, and something has changed';
  return undefined;
}

test('any events in any order: no restart without verification and its own slot, and no change is lost', async () => {
  const choices = fc.array(fc.nat({ max: 1_000 }), { minLength: 60, maxLength: 60 });
  await assertMeets({ restarts: 30 }, 600, (met) =>
    fc.property(choices, (chosen) => {
      const walk = begin();
      const sequence: string[] = [];
      for (const choice of chosen) {
        const event = nextOf(walk, choice);
        if (event === undefined) break;
        step(walk, event);
        sequence.push(event.type);
        assert.equal(violationIn(walk), undefined, sequence.join(', '));
        if (walk.effects.includes('spawn restart')) met.restarts += 1;
      }
      assert.ok(isAssessed(walk), `never assessed: ${sequence.join(', ')}`);
    }),
  );
});

const acts = ['change', 'touch', 'replacePods', 'failOver', 'revert', 'missing', 'back', 'broken', 'whole'] as const;
const sequences = fc.array(
  fc.record({ act: fc.constantFrom(...acts), wait: fc.constantFrom(10, 90, 700, 4_000, 11_000, 40_000, 130_000) }),
  { maxLength: 25 },
);

test('whatever happens: the pods eventually have the content of the source, without an unnecessary restart', () => {
  fc.assert(
    fc.property(sequences, fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1 }), (sequence, times) => {
      let answers = 0;
      const world = workloadWorld({}, () => times[answers++ % times.length] ?? 0);
      world.clock.advance(60_000);
      let restartable = 0;
      for (const { act, wait } of sequence) {
        if (act === 'missing' || act === 'back') world.setMissing(act === 'missing');
        else if (act === 'broken' || act === 'whole') world.setBroken(act === 'broken');
        else world[act]();
        if (['change', 'revert'].includes(act)) restartable += 1;
        world.clock.advance(wait);
      }
      world.setBroken(false);
      world.setMissing(false);
      world.change();
      world.clock.advance(20 * 60_000);
      const { content, pods, written, state } = world.now();
      assert.deepEqual({ pods, written }, { pods: content, written: { rolledOut: content } });
      assert.ok(state.matches({ assessed: 'current' }), JSON.stringify(state.value));
      assert.ok(world.of('restarted').length <= restartable + 1, `${world.of('restarted').length} restarts`);
      const length = world.entries.length;
      world.clock.advance(24 * 3_600_000);
      assert.equal(world.entries.length, length, 'events continue without an end');
    }),
    propertyRuns(300),
  );
});
