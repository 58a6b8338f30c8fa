import type { Clock } from '@weeder/kube-runtime/base';
import { type AnyActorRef, type InspectionEvent, isMachineSnapshot, type StateValue } from 'xstate';
import { isActor } from './actorRuntime.ts';

/** A timer of XState: an event that is due after a delay (milliseconds). */
export type ScheduledEvent = ReturnType<AnyActorRef['system']['getSnapshot']>['_scheduledEvents'][string];

/** Records since when each actor has been in its state, and since when its timers run, by the given clock. */
export interface ActorTimes {
  /** An inspector for `createActor`. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Epoch milliseconds; undefined for an actor without states. */
  since(actor: AnyActorRef): number | undefined;
  /** Epoch milliseconds; XState's own `startedAt` uses the system's clock, whatever clock the timer uses. */
  startedAt(timer: ScheduledEvent): number | undefined;
}

interface Note {
  value: StateValue;
  since: number;
}

export function createActorTimes({ now }: Pick<Clock, 'now'>): ActorTimes {
  // Keyed weakly by the actors, so that entries of ended actors are garbage-collected.
  const notes = new WeakMap<object, Note>();
  const starts = new WeakMap<ScheduledEvent, number>();

  function recordTimers(actor: object): void {
    if (!isActor(actor)) return;
    for (const timer of Object.values(actor.system.getSnapshot()._scheduledEvents)) {
      if (!starts.has(timer)) starts.set(timer, now());
    }
  }

  return {
    inspect(event) {
      if (event.type !== '@xstate.snapshot' || !isMachineSnapshot(event.snapshot)) return;
      recordTimers(event.actorRef);
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

/** XState creates a new value for each snapshot, even if the state is the same. The values are small. */
function isSameState(one: StateValue | undefined, other: StateValue | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isSameState(one[key], other[key]));
}
