import { type AnyActorRef, type InspectionEvent, isMachineSnapshot, type StateValue } from 'xstate';
import type { Clock } from './clock.ts';

/** Since when each actor is in its state: one note for each actor, taken when its state changes. */
export interface ActorTimes {
  /** An inspector for `createActor`. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Epoch milliseconds; undefined for an actor that has no states. */
  since(actor: AnyActorRef): number | undefined;
}

interface Note {
  value: StateValue;
  since: number;
}

export function createActorTimes({ now }: Pick<Clock, 'now'>): ActorTimes {
  // Held by the actors themselves: what has ended is forgotten with them.
  const notes = new WeakMap<object, Note>();
  return {
    inspect(event) {
      if (event.type !== '@xstate.snapshot' || !isMachineSnapshot(event.snapshot)) return;
      const value: StateValue = event.snapshot.value;
      const note = notes.get(event.actorRef);
      if (note === undefined) notes.set(event.actorRef, { value, since: now() });
      else if (!isSameState(note.value, value)) {
        note.value = value;
        note.since = now();
      }
    },
    since: (actor) => notes.get(actor)?.since,
  };
}

/** XState gives each snapshot a new value, of few parts, whether it is another one or not. */
function isSameState(one: StateValue | undefined, other: StateValue | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isSameState(one[key], other[key]));
}
