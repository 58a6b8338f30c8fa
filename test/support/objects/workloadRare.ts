import type { WorkloadEvent } from '../../../machines/restart/workload.ts';
import type { InternalEvent } from '../oracle/decisions.ts';
import { changed, event, toPatching, toRolling, toVerifying } from './workloadEvents.ts';

/** A transition of the `workload` machine that no replay covers. */
export interface RareTransition {
  readonly name: string;
  readonly why: string;
  /** The last of these events triggers the transition. */
  readonly events: readonly (WorkloadEvent | InternalEvent)[];
}

const throwsOnlyOnBug = 'this effect turns failures into refusals, and throws only because of a bug in weeder';

/** Each transition with the events that lead to it; test/machines/workloadMachineRare.test.ts executes them. */
export const rareTransitions: readonly RareTransition[] = [
  broken('assessing', 'assess', []),
  broken('assessed.adopting', 'adoptionSlot', [event.isNew]),
  broken('assessed.stopped', 'followRollout', [...toRolling, event.stalled]),
  broken('restarting', 'restartSlot', [changed(), { type: 'xstate.after.quietTime.workload.assessed.stale' }]),
  broken('restarting.verifying', 'verifyPods', toVerifying),
  broken('restarting.patching', 'restart', toPatching),
  broken('restarting.rolling', 'followRollout', toRolling),
  broken('restarting.restoring', 'restore', [...toRolling, { type: 'rollout.emptied' }]),
  broken('writingState', 'writeState', [event.isNew, event.granted]),
  broken('releasing', 'writeState', [event.isUnmanaged]),
];

function broken(state: string, actor: string, events: RareTransition['events']): RareTransition {
  const type = `xstate.error.actor.${actor}` as const;
  const name = `workload.${state} -- ${type} -> workload.backingOff`;
  return { name, why: throwsOnlyOnBug, events: [...events, { type, actorId: actor }] };
}
