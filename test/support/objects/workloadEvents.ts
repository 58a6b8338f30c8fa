import { type WorkloadEvent, type WorkloadInput, workload } from '../../../machines/restart/workload.ts';
import { decide, type InternalEvent } from '../oracle/decisions.ts';

/** The events of the `workload` machine that tests send by name. */
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
  conflicted: { type: 'restart.conflicted', jitter: 1 },
  complete: { type: 'rollout.complete' },
  stalled: { type: 'rollout.stalled', reason: 'no progress' },
  suspended: { type: 'rollout.suspended', reason: 'OnDelete' },
  reverted: { type: 'rollout.reverted' },
  written: { type: 'state.written' },
  notWritten: { type: 'state.conflicted', jitter: 1 },
} as const satisfies Record<string, WorkloadEvent>;

/** A change that was observed at `changedAt`, as it is assessed at `now`. */
export function changed(now = 0, changedAt = now): WorkloadEvent {
  return { type: 'assessed.changed', now, changedAt };
}

export const timers = {
  quiet: { type: 'xstate.after.quietTime.workload.assessed.stale' },
  blockEnd: { type: 'xstate.after.blockTime.workload.assessed.blocked' },
  retry: { type: 'xstate.after.retryDelay.workload.backingOff' },
  deadline: { type: 'xstate.after.progressDeadline.workload.restarting.rolling' },
} as const satisfies Record<string, InternalEvent>;

/** The events that lead from the start to a followed rollout. */
export const toVerifying = [changed(), timers.quiet, event.granted] as const;
export const toPatching = [...toVerifying, event.needed] as const;
export const toRolling = [...toPatching, event.accepted] as const;

/** Returns the state after these events, and the effects of the last one; without the actors that are only stopped. */
export function decided(events: readonly (WorkloadEvent | InternalEvent)[], input: Partial<WorkloadInput> = {}) {
  const { state, effects, snapshot } = decide(workload, input, events);
  return { state, effects: effects.filter((each) => !each.startsWith('stop ')), context: snapshot.context };
}

/** The same without the context. */
export function stateAndEffects(events: readonly (WorkloadEvent | InternalEvent)[], input?: Partial<WorkloadInput>) {
  const { state, effects } = decided(events, input);
  return { state, effects };
}
