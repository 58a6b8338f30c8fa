import type { AnyActorRef, StateValue } from 'xstate';
import type { ScheduledEvent } from './actorTimes.ts';

/** The ids of the active states, outermost first: `ready`, `ready.windowOpen`, `ready.windowOpen.settled`. */
export function activeStates(value: StateValue, path = ''): string[] {
  if (typeof value === 'string') return [path + value];
  return Object.entries(value).flatMap(([name, inner]) => [
    path + name,
    ...(inner === undefined ? [] : activeStates(inner, `${path}${name}.`)),
  ]);
}

/** The maximum delay of a Node timer: a machine with this delay waits until something changes. */
const maxDelay = 2 ** 31 - 1;

/** When the first timer of an actor fires; undefined: none runs. `entered`: since when it has been in its state. */
export function firstTimerAt(actor: AnyActorRef, entered: number): number | undefined {
  const delays = timersOf(actor).map(({ delay }) => delay);
  return delays.length === 0 ? undefined : entered + Math.min(...delays);
}

/** The timers of an actor that will fire. */
export function timersOf(actor: AnyActorRef): ScheduledEvent[] {
  const scheduled = Object.values(actor.system.getSnapshot()._scheduledEvents);
  return scheduled.filter(({ source, delay }) => source === actor && delay < maxDelay);
}
