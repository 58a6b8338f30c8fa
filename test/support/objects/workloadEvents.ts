import type { RolloutEvent } from '../../../machines/restart/rollout.ts';
import type { WorkloadEvent, WorkloadInput } from '../../../machines/restart/workload.ts';
import { quietPeriodOf } from '../../../src/restart/pace/quietPeriod.ts';
import type { InternalEvent } from '../oracle/decisions.ts';
import { beginRestartMachines, stateOfRestartMachines, stepRestartMachines } from '../oracle/restartMachines.ts';
import { settings } from './restartSettings.ts';

/** An event of the `workload` machine, or of its `rollout` child. */
export type RestartMachineEvent = WorkloadEvent | RolloutEvent | InternalEvent;

/** The events that tests send by name. */
export const event = {
  workloadChanged: { type: 'workload.changed' },
  deleted: { type: 'workload.deleted' },
  isNew: { type: 'assessed.new' },
  isCurrent: { type: 'assessed.current' },
  isUnconfirmed: { type: 'assessed.unconfirmed' },
  isUnmanaged: { type: 'assessed.unmanaged' },
  isRolling: { type: 'assessed.rolling' },
  granted: { type: 'slot.granted' },
  needed: { type: 'verified.outdated' },
  notNeeded: { type: 'verified.current' },
  accepted: { type: 'restart.accepted' },
  conflicted: { type: 'effect.conflicted', jitter: 1 },
  complete: { type: 'rollout.complete' },
  stalled: { type: 'rollout.stalled', reason: 'no progress' },
  suspended: { type: 'rollout.suspended', reason: 'OnDelete' },
  reverted: { type: 'rollout.reverted' },
  written: { type: 'state.written' },
} as const satisfies Record<string, RestartMachineEvent>;

/** A change that was observed at `changedAt`, as it is assessed at `now`; the first of its row at `unquietSince`. */
export function changed(now = 0, changedAt = now, unquietSince = changedAt, limits = {}): WorkloadEvent {
  const quiet = quietPeriodOf({ changedAt, unquietSince }, { ...settings, ...limits }, now);
  return { type: 'assessed.changed', changedAt, ...quiet };
}

export const timers = {
  quiet: { type: 'xstate.after.quietTime.workload.assessed.stale' },
  blockEnd: { type: 'xstate.after.blockTime.workload.assessed.blocked' },
  retry: { type: 'xstate.after.retryDelay.workload.backingOff' },
  deadline: { type: 'xstate.after.progressDeadline.rollout.active.rolling' },
} as const satisfies Record<string, InternalEvent>;

/** The events that lead from the start to a followed rollout. */
export const toVerifying = [changed(), timers.quiet, event.granted] as const;
export const toPatching = [...toVerifying, event.needed] as const;
export const toRolling = [...toPatching, event.accepted] as const;

/**
 * Returns the state of both machines after these events, and the effects of the last one; without the actors that are
 * only stopped. While there is a rollout, its context covers that of the workload.
 */
export function decided(events: readonly RestartMachineEvent[], input: Partial<WorkloadInput> = {}) {
  const machines = events.reduce(stepRestartMachines, beginRestartMachines(input));
  const effects = machines.effects.filter((each) => !each.startsWith('stop '));
  const context = { ...machines.workload.context, ...machines.rollout?.context };
  return { state: stateOfRestartMachines(machines), effects, context };
}

/** The same without the context. */
export function stateAndEffects(events: readonly RestartMachineEvent[], input?: Partial<WorkloadInput>) {
  const { state, effects } = decided(events, input);
  return { state, effects };
}
