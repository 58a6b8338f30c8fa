import { isObject, textOf } from '@weeder/kube-runtime/base';
import { type InspectionEvent, isMachineSnapshot } from 'xstate';

/**
 * The newest state of each root actor: of an endpoint by `namespace/service`, of a podDeletion by the pod's uid. The
 * state of a workload's rollout belongs to that of the workload: `restarting.active.rolling`.
 */
export function replayStates() {
  const states = new Map<string, string>();
  const rollouts = new Map<string, string>();
  return {
    inspect(event: InspectionEvent) {
      if (event.type !== '@xstate.snapshot' || !isMachineSnapshot(event.snapshot)) return;
      const { actorRef } = event;
      const id = 'id' in actorRef ? textOf(actorRef.id) : undefined;
      const state = innermost(event.snapshot.value);
      if (id !== undefined && actorRef.sessionId === event.rootId) states.set(id, state);
      if (event.snapshot.machine.id === 'rollout') rollouts.set(event.snapshot.context.workload, state);
    },
    /** Such as `ready.windowOpen.settled`; undefined: there is no such actor. */
    get(id: string) {
      const state = states.get(id);
      return state === 'restarting' ? `${state}.${rollouts.get(id)}` : state;
    },
    clear: () => states.clear(),
  };
}

/** Whether an expected state such as `ready.windowOpen` is this one, or contains it. */
export function isWithin(state: string | undefined, expected: string): boolean {
  return state === expected || state?.startsWith(`${expected}.`) === true;
}

function innermost(value: unknown): string {
  if (!isObject(value)) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => {
      const below = innermost(inner);
      return below === '' ? name : `${name}.${below}`;
    })
    .join(' + ');
}
