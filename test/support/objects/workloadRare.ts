import type { AnyStateMachine } from 'xstate';
import { type RolloutEnd, type RolloutEvent, rollout } from '../../../machines/restart/rollout.ts';
import { type WorkloadEvent, workload } from '../../../machines/restart/workload.ts';
import type { InternalEvent } from '../oracle/decisions.ts';
import { changed, event, timers } from './workloadEvents.ts';

/** A transition of the `workload` or `rollout` machine that no replay covers. */
export interface RareTransition {
  readonly name: string;
  readonly why: string;
  readonly machine: AnyStateMachine;
  /** The last of these events triggers the transition. */
  readonly events: readonly (WorkloadEvent | RolloutEvent | InternalEvent)[];
  /** The state that it leads to. */
  readonly state: string;
  /** How the rollout ends, if it does. */
  readonly end?: RolloutEnd['type'];
}

const throwsOnlyOnBug = 'this effect turns failures into events, and throws only because of a bug in weeder';
const noNewConfig = 'in a replay the config does not change while a restart is under way';
const newDeadline = { type: 'config.changed', progressDeadline: 30_000 } as const;
const toPatching = [event.granted, event.needed] as const;
const toRolling = [...toPatching, event.accepted] as const;

/** Each transition with the events that lead to it; test/machines/workloadMachineRare.test.ts executes them. */
export const rareTransitions: readonly RareTransition[] = [
  broken('assessing', 'assess', []),
  broken('assessed.adopting', 'adoptionSlot', [event.isNew]),
  broken('restarting', 'rollout', [changed(), timers.quiet]),
  broken('writingState', 'writeState', [event.isNew, event.granted]),
  broken('releasing', 'writeState', [event.isUnmanaged]),
  {
    name: 'workload.restarting -- config.changed -> (stays)',
    why: noNewConfig,
    machine: workload,
    events: [changed(), timers.quiet, newDeadline],
    state: 'restarting',
  },
  {
    name: 'rollout -- config.changed -> (stays)',
    why: noNewConfig,
    machine: rollout,
    events: [newDeadline],
    state: 'active.waiting',
  },
  {
    name: 'rollout -- workload.deleted -> rollout.ended',
    why: 'in a replay the stream delivers a deletion before the response to a request does',
    machine: rollout,
    events: [...toPatching, event.deleted],
    state: 'ended',
    end: 'workload.deleted',
  },
  brokenInRollout('rollout.active', 'restartSlot', []),
  brokenInRollout('rollout.active.verifying', 'verifyPods', [event.granted]),
  brokenInRollout('rollout.active.patching', 'restart', toPatching),
  brokenInRollout('rollout.active.rolling', 'followRollout', toRolling),
  brokenInRollout('rollout.stopped', 'followRollout', [...toRolling, event.stalled]),
  brokenInRollout('rollout.active.restoring', 'restore', [...toRolling, { type: 'rollout.emptied' }]),
];

function broken(state: string, actor: string, events: RareTransition['events']): RareTransition {
  const failed = failureOf(actor);
  const name = `workload.${state} -- ${failed.type} -> (stays)`;
  return { name, why: throwsOnlyOnBug, machine: workload, events: [...events, failed], state: 'backingOff' };
}

function brokenInRollout(state: string, actor: string, events: RareTransition['events']): RareTransition {
  const failed = failureOf(actor);
  const name = `${state} -- ${failed.type} -> (stays)`;
  const ends = { state: 'ended', end: 'effect.failed' } as const;
  return { name, why: throwsOnlyOnBug, machine: rollout, events: [...events, failed], ...ends };
}

function failureOf(actor: string): InternalEvent {
  return { type: `xstate.error.actor.${actor}`, actorId: actor };
}
