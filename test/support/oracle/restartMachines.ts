import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, initialTransition, transition } from 'xstate';
import { rollout } from '../../../machines/restart/rollout.ts';
import { type WorkloadInput, workload } from '../../../machines/restart/workload.ts';
import { effectsOf, leavesOf } from './decisions.ts';

/** The `workload` machine with its `rollout` child, if it has one. Nothing is executed. */
export interface RestartMachines {
  readonly workload: AnyMachineSnapshot;
  readonly rollout: AnyMachineSnapshot | undefined;
  /** The effects that both decided in the latest step. */
  readonly effects: readonly string[];
}

const parent: AnyStateMachine = workload;
const child: AnyStateMachine = rollout;

export function beginRestartMachines(input: Partial<WorkloadInput> = {}): RestartMachines {
  const [snapshot, actions] = initialTransition(parent, input);
  return { workload: snapshot, rollout: undefined, effects: effectsOf(actions) };
}

/** The effects of the child send their events to it; all other events reach the parent. */
function isForChild({ rollout: within }: RestartMachines, event: EventObject): boolean {
  return within !== undefined && !/^(workload|config)\./.test(event.type) && within.can(event);
}

/** Takes one event. The events between the two machines are delivered before the next one. */
export function stepRestartMachines(before: RestartMachines, event: EventObject): RestartMachines {
  if (!isForChild(before, event)) return stepParent(before, event);
  const [within, actions] = transition(child, startedChild(before), event);
  return withEnded({ ...before, rollout: within, effects: effectsOf(actions) });
}

/** Whether an effect that is running can send this event, or the event comes from elsewhere. */
export function isPossible({ workload: snapshot, rollout: within }: RestartMachines, event: EventObject): boolean {
  if (/^(workload|config)\./.test(event.type)) return snapshot.can(event);
  return within === undefined ? isSent(snapshot, event) : isSent(within, event);
}

/** The root of each machine answers some events in every state; only a running effect sends them. */
export function isSent(snapshot: AnyMachineSnapshot, event: EventObject): boolean {
  const running = Object.keys(snapshot.children);
  const isRunning = (...ids: readonly string[]) => ids.some((id) => running.includes(id));
  if (event.type.startsWith('rollout.') && !isRunning('followRollout')) return false;
  if (event.type.startsWith('effect.') && !isRunning('assess', 'writeState', 'verifyPods', 'restart', 'restore'))
    return false;
  return snapshot.can(event);
}

/** The path of the innermost state over both machines, such as `restarting.active.rolling`. */
export function stateOfRestartMachines({ workload: snapshot, rollout: within }: RestartMachines): string {
  const state = leavesOf(snapshot);
  return within === undefined ? state : `${state}.${leavesOf(within)}`;
}

function stepParent(before: RestartMachines, event: EventObject): RestartMachines {
  const [snapshot, actions] = transition(parent, before.workload, event);
  const texts = effectsOf(actions);
  const effects = texts.filter((each) => !/^(spawn|send|stop) rollout\b/.test(each));
  const hasEnded = texts.includes('stop rollout');
  const after: RestartMachines = { workload: snapshot, rollout: hasEnded ? undefined : before.rollout, effects };
  const spawned = actions.find(({ type, params }) => type === 'xstate.spawnChild' && idOf(params) === 'rollout');
  if (spawned !== undefined) {
    const [within, started] = initialTransition(child, inputOf(spawned.params));
    return withEnded({ ...after, rollout: within, effects: [...effects, ...effectsOf(started)] });
  }
  if (after.rollout === undefined || !texts.includes(`send rollout ${event.type}`)) return after;
  const [within, childActions] = transition(child, after.rollout, event);
  return withEnded({ ...after, rollout: within, effects: [...effects, ...effectsOf(childActions)] });
}

/** The parent receives the output of a child that has ended. */
function withEnded(machines: RestartMachines): RestartMachines {
  const { rollout: within, effects } = machines;
  if (within === undefined || within.status === 'active') return machines;
  if (within.status === 'error') throw within.error;
  const event = { type: 'xstate.done.actor.rollout', actorId: 'rollout', output: within.output };
  const after = stepParent({ ...machines, rollout: undefined }, event);
  return { ...after, effects: [...effects, ...after.effects] };
}

function startedChild({ rollout: within }: RestartMachines): AnyMachineSnapshot {
  if (within === undefined) throw new Error('there is no rollout');
  return within;
}

function idOf(params: unknown): unknown {
  return typeof params === 'object' && params !== null && 'id' in params ? params.id : undefined;
}

function inputOf(params: unknown): unknown {
  return typeof params === 'object' && params !== null && 'input' in params ? params.input : undefined;
}
