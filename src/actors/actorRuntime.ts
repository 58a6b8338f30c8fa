import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { Clock } from '../base/clock.ts';

/** What every root actor is started with, so that one clock drives and one inspector sees all of them. */
export interface ActorRuntime {
  readonly clock: Clock;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** What an inspector is told of is always an actor; XState's type of it says less. */
export function isActor(inspected: object): inspected is AnyActorRef {
  return 'system' in inspected;
}
