import type { Transition } from '@weeder/live-page';
import { eventName, idOf } from '@weeder/machine-diagrams';
import { type AnyTransitionDefinition, type InspectedMicrostepEvent, isMachineSnapshot } from 'xstate';
import { activeStates } from '../actors/actorStates.ts';

/** A transition of an actor, and its active states right after it. */
export interface Step {
  readonly transition: Transition;
  readonly states: readonly string[];
}

/** One step for each parallel region that moved; none for a transition without a target. `at`: epoch milliseconds. */
export function stepsOf({ snapshot, _transitions }: InspectedMicrostepEvent, at: number): Step[] {
  if (!isMachineSnapshot(snapshot)) return [];
  const states = activeStates(snapshot.value);
  return _transitions.flatMap((microTransition) => {
    const transition = transitionOf(microTransition, at);
    return transition === undefined ? [] : { transition, states };
  });
}

/** In the form of the picture; undefined for a transition without a target. */
function transitionOf({ source, target, eventType }: AnyTransitionDefinition, at: number): Transition | undefined {
  const [to] = target ?? [];
  return to === undefined ? undefined : { at, event: eventName(eventType), from: idOf(source), to: idOf(to) };
}
