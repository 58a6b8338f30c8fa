import { type AnyActorRef, type InspectionEvent, isMachineSnapshot, type StateValue } from 'xstate';
import type { Clock } from '../base/clock.ts';
import { isActor } from './actorRuntime.ts';

/** A timer of XState's: an event that is due after a delay (milliseconds). */
export type ScheduledEvent = ReturnType<AnyActorRef['system']['getSnapshot']>['_scheduledEvents'][string];

/** Since when each actor is in its state, and since when its timers run: one note for each, by the clock that was given. */
export interface ActorTimes {
  /** An inspector for `createActor`. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Epoch milliseconds; undefined for an actor that has no states. */
  since(actor: AnyActorRef): number | undefined;
  /** Epoch milliseconds; XState's own `startedAt` is by the system's clock, whatever clock the timer runs by. */
  startedAt(timer: ScheduledEvent): number | undefined;
}

interface Note {
  value: StateValue;
  since: number;
}

export function createActorTimes({ now }: Pick<Clock, 'now'>): ActorTimes {
  // Held by the actors themselves: what has ended is forgotten with them.
  const notes = new WeakMap<object, Note>();
  const starts = new WeakMap<ScheduledEvent, number>();

  function noteTimers(actor: object): void {
    if (!isActor(actor)) return;
    for (const timer of Object.values(actor.system.getSnapshot()._scheduledEvents)) {
      if (!starts.has(timer)) starts.set(timer, now());
    }
  }

  return {
    inspect(event) {
      if (event.type !== '@xstate.snapshot' || !isMachineSnapshot(event.snapshot)) return;
      noteTimers(event.actorRef);
      const value: StateValue = event.snapshot.value;
      const note = notes.get(event.actorRef);
      if (note === undefined) notes.set(event.actorRef, { value, since: now() });
      else if (!isSameState(note.value, value)) {
        note.value = value;
        note.since = now();
      }
    },
    since: (actor) => notes.get(actor)?.since,
    startedAt: (timer) => starts.get(timer),
  };
}

/** XState gives each snapshot a new value, of few parts, whether it is another one or not. */
function isSameState(one: StateValue | undefined, other: StateValue | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isSameState(one[key], other[key]));
}
